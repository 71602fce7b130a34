package permission_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/plugin/permission"
)

// asked of the API server by a request: verb, group and resource.
func asked(request string) permission.Rule {
	method, path, _ := strings.Cut(request, " ")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	rule := permission.Rule{}
	if parts[0] == "apis" {
		rule.Group, parts = parts[1], parts[3:]
	} else {
		parts = parts[2:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	rule.Resource = parts[0]
	if len(parts) > 2 {
		rule.Resource += "/" + parts[2]
	}
	rule.Verb = map[string]string{http.MethodGet: "get", http.MethodPatch: "patch", http.MethodPost: "create", http.MethodDelete: "delete"}[method]
	if rule.Verb == "get" && len(parts) == 1 {
		rule.Verb = "list"
	}
	return rule
}

func TestCommandsAskForNoMoreThanTheTableSays(t *testing.T) {
	for name, tc := range fixture.Invocations() {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.State)...)
			got := fixture.Run(t, server, "", append(tc.Args, "-n", "default")...)
			if len(server.Requests()) == 0 {
				t.Fatalf("no request was made: %s", got)
			}
			i := slices.IndexFunc(permission.Commands(), func(c permission.Command) bool { return c.Name == tc.Command })
			if i < 0 {
				t.Fatalf("the table does not have %s", tc.Command)
			}
			for _, request := range server.Requests() {
				rule := asked(request)
				if !slices.ContainsFunc(permission.Commands()[i].Rules, func(r permission.Rule) bool {
					return r.Verb == rule.Verb && r.Group == rule.Group && r.Resource == rule.Resource
				}) {
					t.Errorf("%s asks for %q, which the table does not name", tc.Command, request)
				}
			}
		})
	}
}
