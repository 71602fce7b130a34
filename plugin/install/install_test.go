package install_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

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
		// whole output in a golden file.
		whole bool
	}{
		"Rights":    {reason: "Without a version what no package carries is printed.", want: []string{"kind: ClusterRole", "kind: ValidatingAdmissionPolicy", "kind: ClusterProviderConfig", "memberlists.chroma.cluster"}, not: "kind: Configuration\n"},
		"Package":   {reason: "With a version the package is among it.", args: []string{"--version", "v0.1.0"}, whole: true, want: []string{"package: ghcr.io/function-chroma/configuration-chroma:v0.1.0"}},
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
			if tc.whole {
				fixture.Golden(t, t.Name()+".txt", fixture.Transcript(tc.reason, got, nil, append([]string{"install"}, tc.args...)...))
			}
			if tc.not != "" && strings.Contains(got.Out, tc.not) {
				t.Errorf("\n%s\n%q is not wanted in:\n%s", tc.reason, tc.not, got)
			}
		})
	}
}

func TestInstallApplies(t *testing.T) {
	apply := []string{"install", "--apply", "--version", "v0.1.0"}
	cases := map[string]struct {
		reason string
		args   []string
		code   exit.Code
		want   string
		fault  fixture.Fault
		// writes that reach the API server without a dry run.
		writes bool
	}{
		"Yes":      {reason: "What is said yes to is applied, and what has no namespace is named without one.", args: append(apply, "--yes"), want: "clusterrole function-chroma:crossplane applied", writes: true},
		"NotAsked": {reason: "Rights and a policy of the whole cluster need a yes, after it is told what would be applied.", args: apply, code: exit.Usage, want: "ValidatingAdmissionPolicy chroma-retain"},
		"NoKind": {
			reason: "What the API server refuses is told, and the rest is applied.", args: append(apply, "--yes"),
			fault: fixture.Forbid("/clusterproviderconfigs"), code: exit.Error, want: "cannot apply ClusterProviderConfig",
		},
		"Client":  {reason: "A dry run of the client asks nothing and writes nothing.", args: append(apply, "--dry-run", "client"), want: "would be applied"},
		"Server":  {reason: "A dry run of the server changes nothing.", args: append(apply, "--dry-run", "server"), want: "applied (server dry run)"},
		"NoApply": {reason: "A dry run of printing is a mistake that is told.", args: []string{"install", "--dry-run", "server"}, code: exit.Usage, want: "--dry-run needs --apply"},
	}
	printed := map[string]bool{}
	for text := range strings.SplitSeq(fixture.Run(t, nil, "", "install", "--version", "v0.1.0").Out, "---\n") {
		printed[bodyOf(t, text)] = true
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", tc.args...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			writes := server.Writes()
			last := ""
			for i, write := range writes {
				if !printed[bodyOf(t, write.Body)] {
					t.Errorf("\n%s\nwhat is applied is not what is printed: %v", tc.reason, write)
				}
				writes[i].Body = "as printed"
				if write.Dry() {
					continue
				}
				if !strings.Contains(write.Query, "fieldManager=kubectl-chroma") {
					t.Errorf("a write that is not the plugin's own: %v", write)
				}
				last = write.Path
			}
			fixture.Golden(t, t.Name()+".txt", fixture.Transcript(tc.reason, got, writes, tc.args...))
			// The provider's configuration comes last, since its kind comes with the package.
			if tc.writes != strings.Contains(last, "clusterproviderconfigs") {
				t.Errorf("\n%s\nthe last write is %q", tc.reason, last)
			}
		})
	}
}

// bodyOf a write or of a manifest, however it is encoded.
func bodyOf(t *testing.T, text string) string {
	t.Helper()
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
