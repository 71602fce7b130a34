package install_test

import (
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestInstallPrints(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		code   exit.Code
		want   []string
		not    string
	}{
		"Rights":    {reason: "Without a version what no package carries is printed.", want: []string{"kind: ClusterRole", "kind: ValidatingAdmissionPolicy", "kind: ClusterProviderConfig", "memberlists.chroma.cluster"}, not: "kind: Configuration\n"},
		"Package":   {reason: "With a version the package is among it.", args: []string{"--version", "v0.1.0"}, want: []string{"package: ghcr.io/function-chroma/configuration-chroma:v0.1.0"}},
		"Claims":    {reason: "Clusters with claims have a package of their own.", args: []string{"--version", "v0.1.0", "--claims"}, want: []string{"configuration-chroma-claims:v0.1.0"}},
		"Namespace": {reason: "Crossplane can run elsewhere.", args: []string{"-n", "platform"}, want: []string{"namespace: platform"}, not: "crossplane-system"},
		"Registry":  {reason: "Packages can come from a mirror.", args: []string{"--registry", "registry.example.org/mirror", "--version", "v0.1.0"}, want: []string{"registry.example.org/mirror/configuration-chroma:v0.1.0"}},
		"Format":    {reason: "There is one format.", args: []string{"-o", "json"}, code: exit.Usage, want: []string{"--output"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := fixture.Run(t, nil, "", append([]string{"install"}, tc.args...)...)
			for _, want := range tc.want {
				if got.Code != tc.code || !strings.Contains(got.Out+got.Err, want) {
					t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, want, got)
				}
			}
			if tc.not != "" && strings.Contains(got.Out, tc.not) {
				t.Errorf("\n%s\n%q is not wanted in:\n%s", tc.reason, tc.not, got)
			}
		})
	}
}

func TestInstallApplies(t *testing.T) {
	server := fixture.Serve(t)
	if got := fixture.Run(t, server, "", "install", "--apply", "--version", "v0.1.0"); got.Code != exit.Fine {
		t.Fatal(got)
	}
	last := ""
	for _, write := range server.Writes() {
		if !strings.Contains(write.Query, "fieldManager=kubectl-chroma") {
			t.Errorf("a write that is not the plugin's own: %v", write)
		}
		last = write.Path
	}
	if !strings.Contains(last, "clusterproviderconfigs") {
		t.Errorf("the provider's configuration comes last, since its kind comes with the package: %s", last)
	}
}
