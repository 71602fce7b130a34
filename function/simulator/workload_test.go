package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func kindDeployment() schema.GroupVersionKind {
	return appsv1.SchemeGroupVersion.WithKind("Deployment")
}

func deployment(image string) *unstructured.Unstructured {
	return object(kindDeployment(), Namespace, "frontend", map[string]any{"spec": map[string]any{
		"replicas": int64(2), "selector": map[string]any{"matchLabels": map[string]any{"app": "frontend"}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "frontend"}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "frontend", "image": image}}},
		},
	}})
}

func TestWorkloadsRollOut(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	ready := func() string {
		d := c.Get(kindDeployment(), Namespace, "frontend")
		observed, _ := at(d, "status", "observedGeneration").(int64)
		replicas, _ := at(d, "status", "readyReplicas").(int64)
		return cmp.Diff([]int64{d.GetGeneration(), 2}, []int64{observed, replicas})
	}
	applied(t, c, deployment(older))
	if diff := ready(); diff != "" {
		t.Errorf("observed generation and ready replicas: -want, +got:\n%s", diff)
	}
	c.SetStuck(kindDeployment(), Namespace, "frontend", true)
	applied(t, c, deployment(newer))
	if ready() == "" {
		t.Error("a workload that is stuck must not get ready")
	}
	c.SetStuck(kindDeployment(), Namespace, "frontend", false)
	settled(t, c)
	if diff := ready(); diff != "" {
		t.Errorf("observed generation and ready replicas, set free: -want, +got:\n%s", diff)
	}
}

func TestScaledByHandSurvivesAKeptIntent(t *testing.T) {
	const manager = "apiextensions.crossplane.io/composed/x"
	c := newFake(t, &fake{}, nil)
	_, err := c.store.Apply(deployment(older), store.Options{Manager: manager})
	must(t, err)
	must(t, c.Scale(kindDeployment(), Namespace, "frontend", 5))
	settled(t, c)
	typed := &appsv1.Deployment{}
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(c.Get(kindDeployment(), Namespace, "frontend").Object, typed))
	intent, err := applyappsv1.ExtractDeployment(typed, manager)
	must(t, err)
	if intent.Spec.Replicas != nil {
		t.Errorf("the extracted intent must not have replicas, got %d", *intent.Spec.Replicas)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(intent)
	must(t, err)
	before := c.store.Version()
	after, err := c.store.Apply(&unstructured.Unstructured{Object: content}, store.Options{Manager: manager})
	must(t, err)
	if replicas, _ := at(after, "spec", "replicas").(int64); replicas != 5 || c.store.Version() != before {
		t.Errorf("want 5 replicas and no write, got %d, version %s -> %s", replicas, before, c.store.Version())
	}
}
