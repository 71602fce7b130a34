package distributed_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/settings"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestDocumentation: what docs/distributed.md shows works, and its versions are those that are known.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "distributed.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := yamlBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples instead of a Chroma and an Input", len(blocks))
	}
	var typed v1alpha1.Chroma
	if err := yaml.UnmarshalStrict([]byte(blocks[0][1]), &typed); err != nil {
		t.Fatal(err)
	}
	var example map[string]any
	if err := yaml.Unmarshal([]byte(blocks[0][1]), &example); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, "")
	c.xr["spec"] = example["spec"]
	c.secret("chroma-postgres", map[string]string{"username": "chroma", "password": "s3cret"})
	c.secret("chroma-storage", map[string]string{"accessKeyId": "AKIA", "secretAccessKey": "key"})
	for range 12 {
		c.pass()
		c.settle()
	}
	if !c.last.Ready || len(c.observed) != 66 {
		t.Errorf("the example gets ready: %d objects, %+v", len(c.observed), c.last.Conditions)
	}

	var step struct {
		Input map[string]any `json:"input"`
	}
	if err := yaml.UnmarshalStrict([]byte(blocks[1][1]), &step); err != nil {
		t.Fatal(err)
	}
	if got, err := settings.Parse(step.Input, settings.Environment{}); err != nil || len(got.Checks.HostsDenied) != 2 || len(got.Checks.HostsAllowed) != 1 {
		t.Errorf("the Input is one: %+v, %v", got.Checks, err)
	}

	for _, version := range distributed.Versions() {
		if row := "| `" + version.Commit + "` | " + version.Chart + " |"; !strings.Contains(string(page), row) {
			t.Errorf("the page has no row %q", row)
		}
	}
}
