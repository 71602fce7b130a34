package vald

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// A recording of what the Vald Operator v1.8.0 built.
type recording struct {
	vor        *valdv1.ValdOperatorRelease
	config     config.Config
	template   map[string]any
	capability Capability
	// want has the releases by name. Without it the operator refused.
	want map[string]any
	// builderError of a refused one; empty when it renders.
	builderError   string
	builderRenders int
}

func readRecording(tb testing.TB, folder string) recording {
	tb.Helper()
	var r recording
	decodeFile(tb, filepath.Join(folder, "vor.yaml"), &r.vor)

	var document map[string]any
	decodeFile(tb, filepath.Join(folder, "config.yaml"), &document)
	var err error
	if r.config, err = config.Parse(document, config.Environment{}); err != nil {
		tb.Fatalf("cannot read the configuration of %s: %v", folder, err)
	}

	r.template = config.ShippedTemplate()
	if text, err := os.ReadFile(filepath.Join(folder, "default-vrs.yaml")); err == nil {
		if r.template, err = config.ParseTemplate(text); err != nil {
			tb.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(folder, "nodes.yaml")); err == nil {
		r.capability = capabilityOf(tb, text, r.vor.GetNamespace(), r.config)
	}
	if _, err := os.Stat(filepath.Join(folder, "expected-error.txt")); err == nil {
		var refused struct {
			BuilderError   string `json:"builderError"`
			BuilderRenders int    `json:"builderRenders"`
			// What the operator's reconciler makes of it: the lifecycle's to hold.
			Phase      any `json:"phase"`
			Progress   any `json:"progress"`
			Conditions any `json:"conditions"`
			Objects    any `json:"objects"`
		}
		decodeFile(tb, filepath.Join(folder, "expected-error.txt"), &refused)
		r.builderError, r.builderRenders = refused.BuilderError, refused.BuilderRenders
		return r
	}
	text, err := os.ReadFile(filepath.Join(folder, "expected.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	r.want = map[string]any{}
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return r
		} else if err != nil {
			tb.Fatal(err)
		}
		r.want[document["metadata"].(map[string]any)["name"].(string)] = normalised(document)
	}
}

func decodeFile(tb testing.TB, path string, into any) {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := sigsyaml.UnmarshalStrict(text, into); err != nil {
		tb.Fatalf("cannot decode %s: %v", path, err)
	}
}

// capabilityOf Node documents, by hand: what the lifecycle does with required resources.
func capabilityOf(tb testing.TB, text []byte, namespace string, with config.Config) Capability {
	tb.Helper()
	var out Capability
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var node corev1.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			tb.Fatal(err)
		}
		if node.Labels[with.NodePool.Key("namespace")] != namespace {
			continue
		}
		out.General = out.General || node.Labels[with.NodePool.Key("type")] == "general"
		out.Agent = out.Agent || node.Labels[with.NodePool.Key("type")] == "agent"
	}
}

// normalised takes away what the Vald Operator's typed decoding adds: nulls everywhere, and the zeros and empty objects
// of the sub-trees that it decodes into configuration structs.
func normalised(value any) any { return normalise(value, false, false) }

func normalise(value any, dropZeros, quantities bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			zeros := dropZeros || slices.Contains([]string{"observability", "server_config", "tls", "backoff", "net", "logging"}, key)
			n := normalise(member, zeros, quantities || key == "resources")
			if n == nil || zeros && isZero(n) {
				continue
			}
			out[key] = n
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, normalise(item, dropZeros, quantities))
		}
		return out
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case string:
		if quantity, err := resource.ParseQuantity(v); quantities && err == nil {
			return quantity.String()
		}
	}
	return value
}

func isZero(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case string:
		return v == ""
	case float64:
		return v == 0
	case bool:
		return !v
	}
	return false
}

// TestBuildEqualsTheRecordings holds Build against what the Vald Operator built.
func TestBuildEqualsTheRecordings(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(shared(t), "cases", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		if strings.HasPrefix(name, "9") {
			continue // Quirks of the typed decoding, which an implementation may leave out.
		}
		t.Run(name, func(t *testing.T) {
			r := readRecording(t, folder)
			releases, err := Build(r.vor, r.config, r.template, r.capability)
			if r.want == nil {
				got := ""
				if err != nil {
					got = err.Error()
				}
				if got != r.builderError || len(releases) != r.builderRenders {
					t.Errorf("\nBuild(...): want %q and %d releases, got %q and %d", r.builderError, r.builderRenders, got, len(releases))
				}
				return
			}
			if err != nil {
				t.Fatalf("Build(...): %v", err)
			}
			got := map[string]any{}
			for _, release := range releases {
				got[release.Name] = normalised(release.Manifest)
			}
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Errorf("\nBuild(...): -want, +got:\n%s", diff)
			}
		})
	}
}
