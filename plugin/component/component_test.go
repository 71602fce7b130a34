package component_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/plugin/component"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestFind(t *testing.T) {
	query := component.Component{Name: "queryService", Kind: "StatefulSet", Workload: "query-service"}
	frontend := component.Component{Name: "frontend", Kind: "Deployment", Workload: "rust-frontend-service"}
	cases := map[string]struct {
		reason, name string
		want         component.Component
		code         exit.Code
	}{
		"Spec":     {reason: "What status shows can be typed.", name: "queryService", want: query},
		"Workload": {reason: "What kubectl shows can be typed.", name: "query-service", want: query},
		"Frontend": {reason: "The spec's name of the frontend.", name: "frontend", want: frontend},
		"Rust":     {reason: "The whole name of the workload.", name: "rust-frontend-service", want: frontend},
		"Shorter":  {reason: "The name without what it is written in.", name: "frontend-service", want: frontend},
		"Unknown":  {reason: "Another name is a usage error that has the names.", name: "postgres", code: exit.Usage},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := component.Find(component.All(), tc.name)
			if diff := cmp.Diff(tc.want, got); diff != "" || exit.CodeOf(err) != tc.code {
				t.Errorf("\n%s\nFind(%s): %v, -want, +got:\n%s", tc.reason, tc.name, err, diff)
			}
			if err != nil && !strings.Contains(err.Error(), "queryService, ") {
				t.Errorf("\n%s\nwant the names in %q", tc.reason, err)
			}
		})
	}
}

// TestAllAreInTheCluster holds the names against what the function composes.
func TestAllAreInTheCluster(t *testing.T) {
	found := map[string]bool{}
	var apps []string
	for _, object := range fixture.Load(t, "distributed-ready") {
		found[object.GetKind()+"/"+object.GetName()] = true
		if object.GetKind() == "Job" {
			apps = append(apps, object.GetName())
		}
	}
	for _, one := range component.All() {
		if !found[string(one.Kind)+"/"+one.Workload] {
			t.Errorf("no %s %s in the cluster", one.Kind, one.Workload)
		}
	}
	if want := component.Migration().Workload; !slices.ContainsFunc(apps, func(name string) bool { return strings.HasPrefix(name, want) }) {
		t.Errorf("no Job begins with %s: %v", want, apps)
	}
}

func TestComplete(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Restart": {reason: "What can be restarted.", args: []string{"restart", "demo", "--component", "q"}, want: "queryService\n:4\n"},
		"Logs":    {reason: "The migration has a log, and cannot be restarted.", args: []string{"logs", "demo", "--component", "mi"}, want: "migration\n:4\n"},
		"Nothing": {reason: "Other names are not completed.", args: []string{"restart", "demo", "--component", "mi"}, want: ":4\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := fixture.Run(t, nil, "", append([]string{"__complete"}, tc.args...)...); got.Out != tc.want {
				t.Errorf("\n%s\nwant %q, got:\n%s", tc.reason, tc.want, got)
			}
		})
	}
}
