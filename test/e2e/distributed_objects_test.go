//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// TestDistributedObjects applies every object of every version without keeping any, as Crossplane would, and with its rights.
func TestDistributedObjects(t *testing.T) {
	s := newScene(t, 0)
	config := rest.CopyConfig(s.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + crossplaneNamespace + ":crossplane"}
	crossplane, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	discovered, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovered))
	force, counted := true, map[string]int{}
	for _, version := range distributed.Versions() {
		values, err := chart.Derive("demo", s.namespace, specification(version.Commit), version, distributed.Versions())
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range version.Objects(values) {
			text, err := json.Marshal(object.Manifest)
			if err != nil {
				t.Fatal(err)
			}
			content := &unstructured.Unstructured{}
			if err := content.UnmarshalJSON(text); err != nil {
				t.Fatal(err)
			}
			mapping, err := mapper.RESTMapping(content.GroupVersionKind().GroupKind(), content.GroupVersionKind().Version)
			if err != nil {
				t.Fatal(err)
			}
			var client dynamic.Interface = crossplane
			if object.Kind == chart.KindRoleBinding {
				// The Role that a binding names is not there in a dry run, so that its rights cannot be compared.
				client = s.client
			}
			_, err = client.Resource(mapping.Resource).Namespace(s.namespace).Patch(t.Context(), object.Name, types.ApplyPatchType, text,
				metav1.PatchOptions{FieldManager: "apiextensions.crossplane.io/composed/e2e", Force: &force, DryRun: []string{metav1.DryRunAll}})
			if err != nil {
				t.Errorf("%s: the API server refuses %s %s: %v", version.Commit, object.Kind, object.Name, err)
			}
			counted[version.Commit]++
		}
	}
	s.sayf("TestDistributedObjects: applied %v", counted)
	if diff := cmp.Diff(map[string]int{"93652ec": 61, "52ce844": 66}, counted); diff != "" {
		t.Errorf("objects by version: -want, +got:\n%s", diff)
	}
}
