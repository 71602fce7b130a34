//go:build e2e && linux

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// A kind of objects.
type kind struct {
	resource schema.GroupVersionResource
	name     string
}

func kindOf(group, version, resource, name string) kind {
	return kind{schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, name}
}

var (
	kindNamespace     = kindOf("", "v1", "namespaces", "Namespace")
	kindPod           = kindOf("", "v1", "pods", "Pod")
	kindClaim         = kindOf("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
	kindVolume        = kindOf("", "v1", "persistentvolumes", "PersistentVolume")
	kindDeployment    = kindOf("apps", "v1", "deployments", "Deployment")
	kindStatefulSet   = kindOf("apps", "v1", "statefulsets", "StatefulSet")
	kindJob           = kindOf("batch", "v1", "jobs", "Job")
	kindComposition   = kindOf("apiextensions.crossplane.io", "v1", "compositions", "Composition")
	kindObject        = kindOf("kubernetes.m.crossplane.io", "v1alpha1", "objects", "Object")
	kindConfiguration = kindOf("pkg.crossplane.io", "v1", "configurations", "Configuration")
	kindProvider      = kindOf("pkg.crossplane.io", "v1", "providers", "Provider")
	kindFunction      = kindOf("pkg.crossplane.io", "v1", "functions", "Function")
	kindChroma        = kindOf(chroma.Group, "v1alpha1", "chromas", chroma.Kind)
	kindXChroma       = kindOf(chroma.Group, "v1alpha1", "xchromas", chroma.KindXChroma)

	listAll = metav1.ListOptions{}
)

// get an object, or nil when there is none.
func (e *environment) get(ctx context.Context, of kind, namespace, name string) (*unstructured.Unstructured, error) {
	object, err := e.client.Resource(of.resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // An object that is not there is an answer here.
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s %s/%s: %w", of.name, namespace, name, err)
	}
	return object, nil
}

func conditionOf(object *unstructured.Unstructured, name string) (status, reason, message string) {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range conditions {
		if condition, ok := item.(map[string]any); ok && condition["type"] == name {
			status, _ = condition["status"].(string)
			reason, _ = condition["reason"].(string)
			message, _ = condition["message"].(string)
		}
	}
	return status, reason, message
}

// A scene is a test's own namespace.
type scene struct {
	*environment
	*testing.T
	namespace string
	// unique begins the names of what is the scene's and in no namespace.
	unique string
}

// newScene makes a namespace and volumes for some claims. Both go when the test ends.
func newScene(t *testing.T, volumes int) *scene {
	t.Helper()
	return newSceneIn(t, "", volumes)
}

// newSceneIn a namespace of a name, which an earlier run may have left.
func newSceneIn(t *testing.T, name string, volumes int) *scene {
	t.Helper()
	s := &scene{environment: world, T: t}
	metadata := map[string]any{"generateName": "e2e-"}
	if name != "" {
		metadata = map[string]any{"name": name}
		s.wait("namespace "+name+" of an earlier run gone", 2*time.Minute, func() (string, bool) {
			err := s.client.Resource(kindNamespace.resource).Delete(t.Context(), name, metav1.DeleteOptions{})
			return fmt.Sprint(err), apierrors.IsNotFound(err)
		})
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}}
	made, err := s.client.Resource(kindNamespace.resource).Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("cannot make a namespace: %v", err)
	}
	s.namespace = made.GetName()
	s.unique = s.namespace + "-" + string(made.GetUID()[:8])
	t.Cleanup(func() {
		if t.Failed() {
			s.dump()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.client.Resource(kindNamespace.resource).Delete(ctx, s.namespace, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("cannot delete the namespace: %v", err)
		}
	})
	s.makeVolumes(volumes)
	return s
}

// dump what a person would look at first.
func (s *scene) dump() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, what := range []string{"chromas,objects.kubernetes.m.crossplane.io,pods,persistentvolumeclaims -o yaml", "events --sort-by=.metadata.creationTimestamp"} {
		output, err := s.run(ctx, nil, "kubectl", append([]string{"get", "-n", s.namespace}, strings.Fields(what)...)...)
		s.Logf("%v\n%s", err, output[:min(len(output), 20000)])
	}
}

// apply a manifest as a person does.
func (s *scene) apply(object map[string]any) {
	s.Helper()
	if err := s.tryApply(object); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) tryApply(object map[string]any) error {
	content := &unstructured.Unstructured{Object: object}
	if content.GetNamespace() == "" {
		content.SetNamespace(s.namespace)
	}
	text, err := content.MarshalJSON()
	if err != nil {
		return fmt.Errorf("cannot encode a manifest: %w", err)
	}
	return s.applyText(s.Context(), text)
}

// applyGlobal applies a manifest of a cluster-scoped kind.
func (s *scene) applyGlobal(object map[string]any) {
	s.Helper()
	text, err := (&unstructured.Unstructured{Object: object}).MarshalJSON()
	if err != nil {
		s.Fatalf("cannot encode a manifest: %v", err)
	}
	if err := s.applyText(s.Context(), text); err != nil {
		s.Fatal(err)
	}
}

// kubectl in the scene's namespace.
func (s *scene) kubectl(arguments ...string) string {
	s.Helper()
	output, err := s.tryKubectl(arguments...)
	if err != nil {
		s.Fatal(err)
	}
	return output
}

func (s *scene) tryKubectl(arguments ...string) (string, error) {
	return s.run(s.Context(), nil, "kubectl", append([]string{"-n", s.namespace}, arguments...)...)
}

// wait until a condition holds.
func (s *scene) wait(what string, limit time.Duration, check func() (seen string, done bool)) time.Duration {
	s.Helper()
	start := time.Now()
	if err := s.until(s.Context(), what, limit, func(context.Context) (string, bool) { return check() }); err != nil {
		s.Fatal(err)
	}
	took := time.Since(start)
	s.sayf("%s: %s after %.2f s", s.Name(), what, took.Seconds())
	return took
}

// read an object into its type, or nil when there is none.
func read[T any](s *scene, of kind, name string) *T {
	s.Helper()
	object, err := s.get(s.Context(), of, s.namespace, name)
	if err != nil {
		// The API server may be what this test has just killed.
		s.Logf("%v", err)
		return nil
	}
	if object == nil {
		return nil
	}
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out); err != nil {
		s.Fatalf("cannot read %s %s: %v", of.name, name, err)
	}
	return out
}

func (s *scene) pod(name string) *corev1.Pod {
	s.Helper()
	return read[corev1.Pod](s, kindPod, chroma.PodName(name))
}

func (s *scene) claim(name string) *corev1.PersistentVolumeClaim {
	s.Helper()
	return read[corev1.PersistentVolumeClaim](s, kindClaim, chroma.ClaimName(name))
}

func (s *scene) chroma(name string) *chroma.Chroma {
	s.Helper()
	return read[chroma.Chroma](s, kindChroma, name)
}
