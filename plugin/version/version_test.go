package version

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
)

func TestOf(t *testing.T) {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	cases := map[string]struct {
		reason string
		info   *debug.BuildInfo
		want   v1.ClientVersion
	}{
		"Released": {
			reason: "A released plugin has the version of its module and the commit it was built from.",
			info: &debug.BuildInfo{
				Main:     debug.Module{Version: "v0.1.0"},
				Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-01T00:00:00Z"}, {Key: "CGO_ENABLED", Value: "0"}},
			},
			want: v1.ClientVersion{Version: "v0.1.0", Commit: "abc", Time: "2026-01-01T00:00:00Z", GoVersion: runtime.Version(), Platform: platform},
		},
		"Unknown": {
			reason: "A program without build information is a development version.",
			want:   v1.ClientVersion{Version: "(devel)", GoVersion: runtime.Version(), Platform: platform},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Of(tc.info)); diff != "" {
				t.Errorf("\n%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
