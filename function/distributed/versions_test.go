package distributed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestVersion(t *testing.T) {
	whole := "93652ec0869489b803fe1682427fc02bd47bec14"
	cases := map[string]struct {
		reason, commit, want string
	}{
		"Short":    {"the first 7 characters", "93652ec", "93652ec"},
		"Whole":    {"a whole hash is cut", whole, "93652ec"},
		"Unknown":  {"a commit of which nothing is known", "0123456", ""},
		"Between":  {"neither short nor whole", whole[:20], ""},
		"Capitals": {"a tag of an image is what it is", "93652EC", ""},
		"Empty":    {"none", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			version, known := distributed.Version(tc.commit)
			if diff := cmp.Diff(tc.want, version.Commit); diff != "" || known != (tc.want != "") {
				t.Errorf("\n%s\nVersion(%q): known %t, -want, +got:\n%s", tc.reason, tc.commit, known, diff)
			}
		})
	}
}

// TestVersionNotKnown: the message has the versions that are known.
func TestVersionNotKnown(t *testing.T) {
	c := newCluster(t, "0123456")
	c.pass()
	want := "Version 0123456 of Chroma is not known to this function. The known versions are 93652ec, 52ce844."
	if diff := cmp.Diff(want, c.condition(reason.ServerReady).Message); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestChartVerified(t *testing.T) {
	cases := map[string]struct {
		reason string
		status pass.ConditionStatus
		why    reason.Reason
		says   string
	}{
		"93652ec": {"its objects were compared with its own chart", pass.True, reason.Compared, "chart 0.1.92"},
		"52ce844": {"its own chart could not be had", pass.False, reason.NotCompared, "0.1.94, was not available"},
	}
	for version, tc := range cases {
		t.Run(version, func(t *testing.T) {
			c := newCluster(t, version)
			c.pass()
			got := c.condition(reason.ChartVerified)
			if got.Status != tc.status || got.Reason != tc.why || !strings.Contains(got.Message, tc.says) {
				t.Errorf("\n%s\nChartVerified: got %+v", tc.reason, got)
			}
		})
	}
}
