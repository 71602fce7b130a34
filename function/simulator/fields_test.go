package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// extractPod is what a function does to keep a Pod: client-go's ExtractPod with Crossplane's manager.
func extractPod(t *testing.T, c *Cluster) *unstructured.Unstructured {
	t.Helper()
	pod := &corev1.Pod{}
	observed := c.Get(kindPod(), Namespace, "demo-1")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(observed.Object, pod); err != nil {
		t.Fatal(err)
	}
	extracted, err := applycorev1.ExtractPod(pod, ComposedManager(c.Get(kindServer(), Namespace, "demo")))
	if err != nil {
		t.Fatal(err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(extracted)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

func imageOf(o *unstructured.Unstructured) string { return image(o) }

func TestManagedFields(t *testing.T) {
	const admitted = "mirror.example.org/chroma:1.5.9"
	cases := map[string]struct {
		reason string
		// disturb the settled cluster, before the Pod's previous intent is extracted and sent again.
		webhook func(string) string
		disturb func(*testing.T, *Cluster)
		// image in the extracted intent, and in the Pod after the intent was sent again.
		extracted, image string
	}{
		"PreviousIntent": {
			reason:    "The extracted intent has what was applied, and sending it again changes nothing.",
			extracted: "docker.io/chromadb/chroma:1.5.9", image: "docker.io/chromadb/chroma:1.5.9",
		},
		"ImageRewrittenByWebhookCountsAsOurs": {
			reason:    "An image that a webhook rewrote at creation is in the extracted intent, rewritten.",
			webhook:   func(string) string { return admitted },
			extracted: admitted, image: admitted,
		},
		"ImageEditedByHandIsMissingInTheIntent": {
			reason: "kubectl set image takes the field over: the intent has the container without image, and sending it leaves the image alone.",
			disturb: func(t *testing.T, c *Cluster) {
				t.Helper()
				if err := c.SetImage(Namespace, "demo-1", "docker.io/chromadb/chroma:1.6.0"); err != nil {
					t.Fatal(err)
				}
			},
			extracted: "", image: "docker.io/chromadb/chroma:1.6.0",
		},
		"LabelAddedByHandStays": {
			reason: "A label of another manager is not in the intent, and survives it.",
			disturb: func(t *testing.T, c *Cluster) {
				t.Helper()
				if err := c.Label(kindPod(), Namespace, "demo-1", "team", "search"); err != nil {
					t.Fatal(err)
				}
			},
			extracted: "docker.io/chromadb/chroma:1.5.9", image: "docker.io/chromadb/chroma:1.5.9",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, &fake{}, nil)
			c.SetImageWebhook(tc.webhook, true)
			applied(t, c, server("demo", "docker.io/chromadb/chroma:1.5.9"))
			c.SetImageWebhook(nil, false)
			if tc.disturb != nil {
				tc.disturb(t, c)
			}
			intent := extractPod(t, c)
			if diff := cmp.Diff(tc.extracted, imageOf(intent)); diff != "" {
				t.Errorf("\n%s\nExtractPod(...): -want image, +got:\n%s", tc.reason, diff)
			}
			before := c.Get(kindPod(), Namespace, "demo-1")
			after, err := c.store.Apply(intent, store.Options{Actor: "crossplane", Manager: ComposedManager(c.Get(kindServer(), Namespace, "demo"))})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before.GetResourceVersion(), after.GetResourceVersion()); diff != "" {
				t.Errorf("\n%s\nApply(extracted): -want version, +got:\n%s\n%v", tc.reason, diff, Difference(before.Object, after.Object))
			}
			if diff := cmp.Diff(tc.image, imageOf(after)); diff != "" {
				t.Errorf("\n%s\nApply(extracted): -want image, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFullIntentTakesAnEditedImageBack is why a Pod is kept by its previous intent.
func TestFullIntentTakesAnEditedImageBack(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", "docker.io/chromadb/chroma:1.5.9"))
	if err := c.SetImage(Namespace, "demo-1", "docker.io/chromadb/chroma:1.6.0"); err != nil {
		t.Fatal(err)
	}
	settled(t, c)
	pod := c.Get(kindPod(), Namespace, "demo-1")
	if diff := cmp.Diff("docker.io/chromadb/chroma:1.5.9", imageOf(pod)); diff != "" {
		t.Errorf("image after a pass with the full intent: -want, +got:\n%s", diff)
	}
	volume := c.Volume(c.Get(kindClaim(), Namespace, "demo-1").GetUID())
	var images []string
	for _, o := range volume.Openings {
		images = append(images, o.Image)
	}
	if len(volume.Running()) != 1 || images[0] != "docker.io/chromadb/chroma:1.5.9" || images[len(images)-1] != "docker.io/chromadb/chroma:1.5.9" {
		t.Errorf("the container must restart in place, one at a time: %v", volume.Openings)
	}
}

// TestNumbersArriveAsFloat64 holds what functions see.
func TestNumbersArriveAsFloat64(t *testing.T) {
	f := &fake{}
	c := newFake(t, f, nil)
	applied(t, c, server("demo", "docker.io/chromadb/chroma:1.5.9"))
	last := f.calls[len(f.calls)-1]
	observed := last.GetObserved().GetResources()["pod"].GetResource().AsMap()
	u := unstructured.Unstructured{Object: observed}
	if u.GetGeneration() != 0 {
		t.Errorf("GetGeneration() on a received object: want 0 since numbers are float64, got %d", u.GetGeneration())
	}
	if len(u.GetManagedFields()) == 0 {
		t.Error("managedFields must be in what the function receives")
	}
	required := last.GetRequiredResources()["pod"].GetItems()
	if len(required) != 1 || required[0].GetResource().GetFields()["metadata"].GetStructValue().GetFields()["managedFields"] == nil {
		t.Errorf("managedFields must be in required resources too, got %v", required)
	}
	if _, found := f.calls[0].GetRequiredResources()["pod"]; found {
		t.Error("the first call of a pass has no required resources")
	}
}
