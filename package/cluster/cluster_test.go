package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// rights by group and resource.
type rights map[string][]string

func (r rights) add(group, resource string, verbs ...string) {
	key := strings.TrimPrefix(group+"/"+resource, "/")
	r[key] = slices.Compact(slices.Sorted(slices.Values(append(r[key], verbs...))))
}

// compose a kind: Crossplane asks for its status too before it explains a refusal.
func (r rights) compose(kind schema.GroupVersionKind) {
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	r.add(kind.Group, resource.Resource, verbs...)
	r.add(kind.Group, resource.Resource+"/status", verbs...)
}

func (r rights) require(kind schema.GroupVersionKind) {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	r.add(kind.Group, resource.Resource, "get", "list", "watch")
}

func (r rights) grant(rules ...rbacv1.PolicyRule) {
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				r.add(group, resource, rule.Verbs...)
			}
		}
	}
}

// recorder of the kinds that a function composes and requires.
type recorder struct {
	simulator.Function
	t      *testing.T
	rights rights
}

func (r recorder) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := r.Function.RunFunction(ctx, req)
	for _, resource := range rsp.GetDesired().GetResources() {
		fields := resource.GetResource().GetFields()
		r.rights.compose(schema.FromAPIVersionAndKind(fields["apiVersion"].GetStringValue(), fields["kind"].GetStringValue()))
	}
	for _, selector := range rsp.GetRequirements().GetResources() {
		r.rights.require(schema.FromAPIVersionAndKind(selector.GetApiVersion(), selector.GetKind()))
	}
	return rsp, err
}

// exercise the function in a simulated cluster, so that it composes and asks for everything that it ever does.
func exercise(t *testing.T, into rights) {
	t.Helper()
	var c *simulator.Cluster
	function, err := composition.New(logging.NewNopLogger(), settings.Environment{ChecksDisabled: true}, func() time.Time { return c.Now() })
	if err != nil {
		t.Fatal(err)
	}
	c, err = simulator.New(simulator.Config{Composites: []simulator.Composite{
		{Kind: chroma.GroupVersionKind(), Function: recorder{Function: function, t: t, rights: into}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	single := func(size string) *unstructured.Unstructured {
		return of(chroma.GroupVersionKind(), "single", map[string]any{"storage": map[string]any{"size": size}})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Apply(single("10Gi"), of(chroma.GroupVersionKind(), "distributed", map[string]any{
		"mode": "distributed",
		"distributed": map[string]any{
			"version":       distributed.Versions()[0].Commit,
			"postgres":      map[string]any{"host": "postgres", "credentialsSecret": map[string]any{"name": "postgres"}},
			"objectStorage": map[string]any{"s3": map[string]any{"credentialsSecret": map[string]any{"name": "bucket"}}},
		},
	})))
	c.Advance(3 * time.Minute)
	// A Pod that gets another class.
	classed := single("10Gi")
	must(unstructured.SetNestedField(classed.Object, "important", "spec", "priorityClassName"))
	must(c.Apply(classed))
	c.Advance(time.Minute)
	// A claim that grows, and a Pod that vanishes with its Node.
	must(c.Apply(single("20Gi")))
	c.Advance(time.Minute)
	node := c.Get(corev1.SchemeGroupVersion.WithKind("Pod"), simulator.Namespace, chroma.PodName("single"))
	name, _, _ := unstructured.NestedString(node.Object, "spec", "nodeName")
	c.SetNodeLost(name, true)
	must(c.ForceDeletePod(simulator.Namespace, chroma.PodName("single")))
	c.Advance(10 * time.Minute)
}

func of(kind schema.GroupVersionKind, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(kind)
	object.SetNamespace(simulator.Namespace)
	object.SetName(name)
	return object
}

func TestClusterRole(t *testing.T) {
	want := rights{}
	exercise(t, want)
	for _, version := range distributed.Versions() {
		for _, object := range version.Objects(chart.Values{Name: "demo", Namespace: "demo"}) {
			if object.Kind != chart.KindMemberList { // It is behind an Object.
				want.compose(schema.FromAPIVersionAndKind(object.APIVersion, object.Kind))
			}
		}
		for _, role := range version.Roles {
			rule := &rbacv1.PolicyRule{}
			convert(t, role.Rule, rule)
			want.grant(*rule)
		}
	}
	// What the Vald operator's part composes and asks for.
	want.compose(valdv1.GroupVersion().WithKind(valdv1.KindValdRelease))
	want.require(corev1.SchemeGroupVersion.WithKind("Node"))

	role := &rbacv1.ClusterRole{}
	convert(t, manifests(t)["ClusterRole function-chroma:crossplane"], role)
	got := rights{}
	got.grant(role.Rules...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nCrossplane has the rights that composing takes, and no others\nClusterRole: -want, +got:\n%s", diff)
	}
	if got := role.Labels["rbac.crossplane.io/aggregate-to-crossplane"]; got != "true" {
		t.Errorf("\nThe rights reach Crossplane by a label\nClusterRole: want \"true\", got %q", got)
	}
}

func TestProviderRights(t *testing.T) {
	role := &rbacv1.ClusterRole{}
	convert(t, manifests(t)["ClusterRole function-chroma:provider-kubernetes"], role)
	got := rights{}
	got.grant(role.Rules...)
	want := rights{
		"persistentvolumeclaims":     {"create", "get", "patch"},
		"chroma.cluster/memberlists": {"create", "delete", "get", "patch"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nWhoever may create an Object has the provider's rights, and none deletes a claim\nClusterRole: -want, +got:\n%s", diff)
	}
}

func TestRender(t *testing.T) {
	cases := map[string]struct {
		reason string
		with   Parameters
		has    []string
		lacks  []string
		err    bool
	}{
		"Usual": {
			reason: "Without parameters the manifests are as they are in the repository.",
			has:    []string{"system:serviceaccount:crossplane-system:crossplane", "prefix: " + defaultFunctionRepository + "\n"},
		},
		"Namespace": {
			reason: "Crossplane may run in another namespace: its account, the provider's and the function's Pods are there.",
			with:   Parameters{Namespace: "platform"},
			has:    []string{"system:serviceaccount:platform:crossplane", "namespace: platform\n"},
			lacks:  []string{"crossplane-system"},
		},
		"Mirror": {
			reason: "Packages may come from a mirror.",
			with:   Parameters{FunctionRepository: "registry.example.org/function", ProviderRepository: "registry.example.org/provider"},
			has:    []string{"prefix: registry.example.org/function\n", "prefix: registry.example.org/provider\n"},
			lacks:  []string{"ghcr.io", "xpkg.crossplane.io"},
		},
		"BadNamespace": {
			reason: "What is no namespace would change the meaning of the manifests.",
			with:   Parameters{Namespace: "a: b"},
			err:    true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Render(tc.with)
			if (err != nil) != tc.err {
				t.Fatalf("\n%s\nRender(...): want an error: %t, got: %v", tc.reason, tc.err, err)
			}
			for _, text := range tc.has {
				if !bytes.Contains(got.Before, []byte(text)) {
					t.Errorf("\n%s\nRender(...): %q is not there", tc.reason, text)
				}
			}
			for _, text := range tc.lacks {
				if bytes.Contains(got.Before, []byte(text)) {
					t.Errorf("\n%s\nRender(...): %q is there", tc.reason, text)
				}
			}
		})
	}
}

// manifests by kind and name.
func manifests(t *testing.T) map[string]map[string]any {
	t.Helper()
	rendered, err := Render(Parameters{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]any{}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(append(rendered.Before, rendered.After...)), 4096)
	for {
		object := map[string]any{}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(object) > 0 {
			u := unstructured.Unstructured{Object: object}
			out[u.GetKind()+" "+u.GetName()] = object
		}
	}
}

func TestManifests(t *testing.T) {
	want := []string{
		"ClusterProviderConfig default",
		"ClusterRole function-chroma:crossplane",
		"ClusterRole function-chroma:provider-kubernetes",
		"ClusterRoleBinding function-chroma:provider-kubernetes",
		"CustomResourceDefinition memberlists.chroma.cluster",
		"DeploymentRuntimeConfig function-chroma",
		"DeploymentRuntimeConfig provider-kubernetes",
		"ImageConfig function-chroma",
		"ImageConfig provider-kubernetes",
		"NetworkPolicy function-chroma",
		"PodDisruptionBudget function-chroma",
		"ValidatingAdmissionPolicy chroma-retain",
		"ValidatingAdmissionPolicyBinding chroma-retain",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(manifests(t)))); diff != "" {
		t.Errorf("\nEvery file is rendered\nRender(...): -want, +got:\n%s", diff)
	}
}

func convert(t *testing.T, from, to any) {
	t.Helper()
	content, ok := from.(map[string]any)
	if !ok {
		var err error
		if content, err = runtime.DefaultUnstructuredConverter.ToUnstructured(from); err != nil {
			t.Fatal(err)
		}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, to, true); err != nil {
		t.Fatal(err)
	}
}
