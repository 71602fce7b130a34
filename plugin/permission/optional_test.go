package permission_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/plugin/permission"
)

// alternatives are rights that are optional because not every use of a command needs them. Their reason is why.
func alternatives() map[string]string {
	const kinds, mode = "a command is about one kind or the other", "only a distributed Chroma has them"
	return map[string]string{
		"explain get chromas":              kinds,
		"explain get valdoperatorreleases": kinds,
		"events get valdoperatorreleases":  kinds,
		"report get valdoperatorreleases":  kinds,
		"status get valdoperatorreleases":  kinds,
		"tree get valdoperatorreleases":    kinds,
		"status list chromas":              "only without a name",
		"upgrade check list chromas":       "only without a name",
		"delete list objects":              "only with --wait, and only a distributed Chroma has them",
		"logs list pods":                   mode,
		"restart get statefulsets":         mode,
		"restart patch statefulsets":       mode,
		"version list functions":           "not with --client",
		"check get serviceaccounts":        "what cannot be checked is told, and is not passed",
	}
}

// TestWithoutAnOptionalRightThereIsStillAnAnswer takes away, one after the other, each that a command makes use of.
func TestWithoutAnOptionalRightThereIsStillAnAnswer(t *testing.T) {
	unused := alternatives()
	for name, tc := range invocations() {
		if tc.Command == "install" {
			// It applies what it may, and tells the rest as an error.
			continue
		}
		t.Run(name, func(t *testing.T) {
			objects, args := fixture.Load(t, tc.State), append(slices.Clone(tc.Args), "-n", "default")
			whole := fixture.Serve(t, objects...)
			want := fixture.Run(t, whole, "", args...)
			for _, rule := range optional(tc.Command) {
				isAsked := func(request string) bool {
					one := asked(request)
					return one.Verb == rule.Verb && one.Group == rule.Group && one.Resource == rule.Resource
				}
				if !slices.ContainsFunc(whole.Requests(), isAsked) {
					continue
				}
				server := fixture.Serve(t, objects...)
				server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
					return isAsked(r.Method+" "+r.URL.Path) && fixture.Forbid("/")(w, r)
				}
				got := fixture.Run(t, server, "", args...)
				key := tc.Command + " " + rule.Verb + " " + rule.Resource
				if _, is := alternatives()[key]; is && got.Code != want.Code {
					delete(unused, key)
				} else if got.Code != want.Code {
					t.Errorf("without the right to %s %s: want exit code %d, got:\n%s", rule.Verb, rule.Resource, want.Code, got)
				}
			}
		})
	}
	for key, why := range unused {
		t.Errorf("%q is excused (%s), and there is an answer without it", key, why)
	}
}

// optional rights of a command in the namespace of its object.
func optional(command string) []permission.Rule {
	i := slices.IndexFunc(permission.Commands(), func(c permission.Command) bool { return c.Name == command })
	return slices.DeleteFunc(permission.Commands()[i].Rules, func(r permission.Rule) bool { return !r.Optional || r.Namespace != "" })
}
