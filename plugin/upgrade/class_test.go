package upgrade_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// TestAClassThatDoesNotExist: what is played has the classes of the cluster, and none of its own.
func TestAClassThatDoesNotExist(t *testing.T) {
	for _, command := range []string{"check", "plan"} {
		t.Run(command, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, "important", "spec", "priorityClassName")
			})
			got := fixture.Run(t, server, "", "upgrade", command, "demo", "-n", "default", "--image", repository+"1.5.10")
			if got.Code != exit.Refused || !strings.Contains(got.String(), "InvalidSpec") {
				t.Errorf("the API would refuse such a Pod: want that said, got:\n%s", got)
			}
		})
	}
}
