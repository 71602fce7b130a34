package lifecycle

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
)

// A recorded condition, without its time.
type recordedCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func recordedConditions(answer pass.Answer) []recordedCondition {
	var out []recordedCondition
	for _, c := range answer.Conditions {
		out = append(out, recordedCondition{Type: string(c.Type), Status: string(c.Status), Reason: string(c.Reason), Message: c.Message})
	}
	return out
}

// TestTheConditionsOfTheRecordedCasesHold for the cases in which nothing is generated: types, statuses, reasons, messages
// and the number of objects. The number of phases is 3 here, as the documentation has it.
func TestTheConditionsOfTheRecordedCasesHold(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(shared(t), "cases", "*", "expected-error.txt"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range folders {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var want struct {
				Conditions []recordedCondition `json:"conditions"`
				Phase      string              `json:"phase"`
				Objects    int                 `json:"objects"`
			}
			var vor valdv1.ValdOperatorRelease
			var document map[string]any
			decode(t, file, &want)
			decode(t, filepath.Join(folder, "vor.yaml"), &vor)
			decode(t, filepath.Join(folder, "config.yaml"), &document)

			c := newCrossplane(&vor)
			c.settings.Config = document
			if text, err := os.ReadFile(filepath.Join(folder, "nodes.yaml")); err == nil {
				for _, node := range split(t, text) {
					c.put(node)
				}
			}
			answer := c.settle(t)
			got := recordedConditions(answer)
			for i := range got {
				// Beyond the recording the message says which labels were looked for.
				if i < len(want.Conditions) && strings.HasPrefix(want.Conditions[i].Message, emptyBuildMessage) && strings.HasPrefix(got[i].Message, want.Conditions[i].Message+": no Node has the labels ") {
					got[i].Message = want.Conditions[i].Message
				}
			}
			if diff := cmp.Diff(want.Conditions, got); diff != "" {
				t.Errorf("conditions: -want, +got:\n%s", diff)
			}
			if got := string(c.status(t).Phase); got != want.Phase || len(answer.Objects) != want.Objects || answer.Ready {
				t.Errorf("want phase %s, %d objects, not ready; got %s, %d, %v", want.Phase, want.Objects, got, len(answer.Objects), answer.Ready)
			}
			completed := int64(0)
			for _, condition := range want.Conditions {
				if condition.Status == "True" {
					completed++
				}
			}
			if diff := cmp.Diff(&valdv1.Progress{Total: 3, Completed: completed}, c.status(t).Progress); diff != "" {
				t.Errorf("progress: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestTheRecordedStoriesEndAlike holds where each story is after every change, once it has come to rest. The way there
// differs: the Vald Operator takes one phase in a pass.
func TestTheRecordedStoriesEndAlike(t *testing.T) {
	var stories []struct {
		Name       string `json:"name"`
		Reconciles []struct {
			Change       string              `json:"change"`
			Conditions   []recordedCondition `json:"conditions"`
			Phase        string              `json:"phase"`
			ValdReleases map[string]string   `json:"valdReleases"`
		} `json:"reconciles"`
	}
	decode(t, filepath.Join(shared(t), "status-traces.yaml"), &stories)
	changes := map[string]func(*crossplane){
		"":                                       func(*crossplane) {},
		"delete ValdRelease search-prod-green-a": func(c *crossplane) { c.remove("ValdRelease/search-prod-green-a") },
		"clear spec.infrastructure[0].clusters[1].id": edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[0].Clusters[1].ID = "" }),
		"set the id again":                            edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[0].Clusters[1].ID = "id-green-b" }),
		"remove cluster green-b": edited(func(v *valdv1.ValdOperatorRelease) {
			v.Spec.Infrastructure[0].Clusters = v.Spec.Infrastructure[0].Clusters[:1]
		}),
		"set spec.infrastructure[2].active=false":   edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[2].Active = false }),
		"empty spec.infrastructure":                 edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure = nil }),
		"make the inactive entry lose its clusters": edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[1].Clusters = nil }),
		"give it a cluster again": edited(func(v *valdv1.ValdOperatorRelease) {
			v.Spec.Infrastructure[1].Clusters = []valdv1.Cluster{{ID: "x", Name: "standby-a"}}
		}),
		"set every active=false": edited(func(v *valdv1.ValdOperatorRelease) {
			for i := range v.Spec.Infrastructure {
				v.Spec.Infrastructure[i].Active = false
			}
		}),
	}
	for _, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			c := newCrossplane(object())
			for i, reconcile := range story.Reconciles {
				change, ok := changes[reconcile.Change]
				if !ok {
					t.Skipf("this test cannot do %q", reconcile.Change)
				}
				change(c)
				if i+1 < len(story.Reconciles) && story.Reconciles[i+1].Change == "" {
					continue // The operator has not come to rest yet.
				}
				answer := c.settle(t)
				if diff := cmp.Diff(reconcile.Conditions, recordedConditions(answer)); diff != "" {
					t.Errorf("after reconcile %d: conditions: -want, +got:\n%s", i, diff)
				}
				if got := string(c.status(t).Phase); got != reconcile.Phase {
					t.Errorf("after reconcile %d: want phase %s, got %s", i, reconcile.Phase, got)
				}
				want := map[string]string{}
				for name, generation := range reconcile.ValdReleases {
					want[name] = strings.TrimPrefix(generation, "generation ")
				}
				if diff := cmp.Diff(want, c.names("ValdRelease")); diff != "" {
					t.Errorf("after reconcile %d: ValdReleases: -want, +got:\n%s", i, diff)
				}
			}
		})
	}
}

func edited(change func(*valdv1.ValdOperatorRelease)) func(*crossplane) {
	return func(c *crossplane) { c.edit(change) }
}

func decode(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := sigsyaml.Unmarshal(text, into); err != nil {
		t.Fatalf("cannot decode %s: %v", file, err)
	}
}

func split(t *testing.T, text []byte) []string {
	t.Helper()
	var out []string
	for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(bytes.TrimSpace(document)))
	}
}
