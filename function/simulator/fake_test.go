package simulator

import (
	"context"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func kindServer() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "proto.example.org", Version: "v1", Kind: "Srv"}
}

// answer is what a fake function may change before it answers.
type answer func(request *fnv1.RunFunctionRequest, response *fnv1.RunFunctionResponse)

// fake composes a ConfigMap, a claim behind an Object, and a Pod. It requires the claim and the Pod by name.
type fake struct {
	calls  []*fnv1.RunFunctionRequest
	change answer
}

func (f *fake) RunFunction(_ context.Context, request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	f.calls = append(f.calls, request)
	xr := request.GetObserved().GetComposite().GetResource().AsMap()
	name := xr["metadata"].(map[string]any)["name"].(string)
	namespace, _ := xr["metadata"].(map[string]any)["namespace"].(string)
	image, _ := xr["spec"].(map[string]any)["image"].(string)
	response := &fnv1.RunFunctionResponse{
		Meta: &fnv1.ResponseMeta{Ttl: durationpb.New(time.Minute)},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: message(map[string]any{"status": map[string]any{"image": image}})},
			Resources: map[string]*fnv1.Resource{
				"config": {Resource: message(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name + "-config"}, "data": map[string]any{"config.yaml": "port: 8000"}}), Ready: fnv1.Ready_READY_TRUE},
				"claim":  {Resource: message(claimObject(name, namespace)), Ready: fnv1.Ready_READY_TRUE},
				"pod":    {Resource: message(podOf(name, image)), Ready: fnv1.Ready_READY_TRUE},
			},
		},
		Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{
			"pod":   selector("Pod", namespace, name+"-1"),
			"claim": selector("PersistentVolumeClaim", namespace, name+"-1"),
		}},
		Conditions: []*fnv1.Condition{{Type: "ServerReady", Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "PodReady", Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}},
	}
	if f.change != nil {
		f.change(request, response)
	}
	return response, nil
}

// replaceEnded leaves out a Pod that has ended, so that it is replaced.
func replaceEnded(request *fnv1.RunFunctionRequest, response *fnv1.RunFunctionResponse) {
	phase := request.GetObserved().GetResources()["pod"].GetResource().GetFields()["status"].GetStructValue().GetFields()["phase"].GetStringValue()
	deleting := request.GetObserved().GetResources()["pod"].GetResource().GetFields()["metadata"].GetStructValue().GetFields()["deletionTimestamp"] != nil
	if phase == "Failed" || deleting {
		delete(response.GetDesired().GetResources(), "pod")
	}
	if request.GetObserved().GetResources()["pod"] == nil {
		response.Meta.Ttl = durationpb.New(10 * time.Second)
	}
}

func selector(kind, namespace, name string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: "v1", Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	if namespace != "" {
		s.Namespace = &namespace
	}
	return s
}

func message(content map[string]any) *structpb.Struct {
	s, err := structpb.NewStruct(content)
	if err != nil {
		panic(err)
	}
	return s
}

func claimObject(name, namespace string) map[string]any {
	return map[string]any{
		"apiVersion": kindObject().GroupVersion().String(), "kind": kindObject().Kind, "metadata": map[string]any{"name": name + "-claim"},
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Create", "Update"},
			"providerConfigRef":  map[string]any{"name": "default", "kind": "ProviderConfig"},
			"forProvider": map[string]any{"manifest": map[string]any{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim",
				"metadata": map[string]any{"name": name + "-1", "namespace": namespace, "annotations": map[string]any{"serial": "1"}},
				"spec":     map[string]any{"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}},
			}},
		},
	}
}

func podOf(name, image string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name + "-1", "labels": map[string]any{"app": name}},
		"spec": map[string]any{
			"containers": []any{map[string]any{
				"name": "server", "image": image, "ports": []any{map[string]any{"containerPort": 8000, "name": "http"}},
				"resources": map[string]any{"limits": map[string]any{"memory": "1Gi"}},
			}},
			"volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": name + "-1"}}},
		},
	}
}

func server(name, image string) *unstructured.Unstructured {
	return object(kindServer(), Namespace, name, map[string]any{"spec": map[string]any{"image": image}})
}

// newFake is a cluster with the fake function and one server "demo" that has settled.
func newFake(t testing.TB, f *fake, configure func(*Config)) *Cluster {
	t.Helper()
	config := Config{Composites: []Composite{{Kind: kindServer(), Function: f}}, Seed: 1}
	if configure != nil {
		configure(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func settled(t testing.TB, c *Cluster) {
	t.Helper()
	if err := c.Settle(2000); err != nil {
		t.Fatal(err)
	}
}

func applied(t testing.TB, c *Cluster, objects ...*unstructured.Unstructured) {
	t.Helper()
	if err := c.Apply(objects...); err != nil {
		t.Fatal(err)
	}
	settled(t, c)
}
