package permission_test

import (
	"maps"
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

// invocations of the commands, also of those whose end is no answer of this server, and about all kinds of objects.
func invocations() map[string]fixture.Invocation {
	out := fixture.Invocations()
	maps.Copy(out, map[string]fixture.Invocation{
		"tree vectors":        {State: "distributed-ready", Command: "tree", Args: []string{"tree", "demo"}},
		"tree vor":            {State: "vald-completed", Command: "tree", Args: []string{"tree", "vor/demo"}},
		"report vectors":      {State: "distributed-ready", Command: "report", Args: []string{"report", "demo", "-f", "-"}},
		"report vor":          {State: "vald-completed", Command: "report", Args: []string{"report", "vor/demo", "-f", "-"}},
		"report claim":        {State: "claim-backed", Command: "report", Args: []string{"report", "demo", "-f", "-"}},
		"events vectors":      {State: "distributed-ready", Command: "events", Args: []string{"events", "demo"}},
		"events vor":          {State: "vald-completed", Command: "events", Args: []string{"events", "vor/demo"}},
		"explain vor":         {State: "vald-completed", Command: "explain", Args: []string{"explain", "vor/demo"}},
		"logs vectors":        {State: "distributed-ready", Command: "logs", Args: []string{"logs", "demo"}},
		"endpoint vectors":    {State: "distributed-ready", Command: "endpoint", Args: []string{"endpoint", "demo"}},
		"port-forward":        {State: "ready", Command: "port-forward", Args: []string{"port-forward", "demo", "--port", "0"}},
		"port-forward vector": {State: "distributed-ready", Command: "port-forward", Args: []string{"port-forward", "demo", "--port", "0"}},
		"delete vectors":      {State: "distributed-ready", Command: "delete", Args: []string{"delete", "demo", "--keep-data", "-y"}},
		"delete and wait":     {State: "distributed-ready", Command: "delete", Args: []string{"delete", "demo", "--keep-data", "-y", "--wait", "--timeout", "1s"}},
		"upgrade check claim": {State: "claim-backed", Command: "upgrade check", Args: []string{"upgrade", "check", "demo", "--image", "docker.io/chromadb/chroma:1.5.9"}},
		"install":             {State: "ready", Command: "install", Args: []string{"install", "--apply", "-y", "--version", "v0.1.0"}},
		"version":             {State: "ready", Command: "version", Args: []string{"version"}},
	})
	return out
}

// beyond the table is what a command has asked for and the table does not name.
func beyond(t *testing.T, command string, requests []string) []string {
	t.Helper()
	i := slices.IndexFunc(permission.Commands(), func(c permission.Command) bool { return c.Name == command })
	if i < 0 {
		t.Fatalf("the table does not have %s", command)
	}
	return slices.DeleteFunc(slices.Clone(requests), func(request string) bool {
		rule := asked(request)
		return slices.ContainsFunc(permission.Commands()[i].Rules, func(r permission.Rule) bool {
			return r.Verb == rule.Verb && r.Group == rule.Group && r.Resource == rule.Resource
		})
	})
}

func TestCommandsAskForNoMoreThanTheTableSays(t *testing.T) {
	for name, tc := range invocations() {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.State)...)
			args := tc.Args
			if tc.Command != "install" {
				args = append(args, "-n", "default")
			}
			got := fixture.Run(t, server, "", args...)
			if len(server.Requests()) == 0 {
				t.Fatalf("no request was made: %s", got)
			}
			for _, request := range beyond(t, tc.Command, server.Requests()) {
				t.Errorf("%s asks for %q, which the table does not name", tc.Command, request)
			}
		})
	}
}

func TestCompletionAsksForNoMoreThanTheTableSays(t *testing.T) {
	for _, words := range [][]string{{"status", ""}, {"tree", "vor/"}, {"adopt", ""}, {"upgrade", "check", "demo", "--image", ""}, {"status", "--namespace", ""}} {
		server := fixture.Serve(t, fixture.Load(t, "ready")...)
		fixture.Run(t, nil, "", append([]string{"__complete", "--server", server.URL}, words...)...)
		if len(server.Requests()) == 0 {
			t.Errorf("%v: no request was made", words)
		}
		for _, request := range beyond(t, "completion", server.Requests()) {
			t.Errorf("completion asks for %q, which the table does not name", request)
		}
	}
}

func TestInstallNamesEveryKindThatItApplies(t *testing.T) {
	server := fixture.Serve(t)
	fixture.Run(t, server, "", "install", "--apply", "-y", "--version", "v0.1.0")
	var unused []string
	for _, command := range permission.Commands() {
		if command.Name != "install" {
			continue
		}
		for _, rule := range command.Rules {
			if rule.Verb == "patch" && !slices.ContainsFunc(server.Requests(), func(request string) bool {
				one := asked(request)
				return one.Group == rule.Group && one.Resource == rule.Resource
			}) {
				unused = append(unused, rule.Resource)
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("the table names what is not applied: %v", unused)
	}
}
