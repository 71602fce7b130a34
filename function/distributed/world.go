// Package distributed decides what should become of a distributed Chroma: the objects of Chroma's chart, tier by tier.
// It is pure: values in, values out.
//
// The rules by file: whose names are they (names.go), can the version run (assess.go), what has migrated the database
// (history.go) and the Job that does (job.go), which tier may go on (order.go) and when it is ready (readiness.go), what
// is restarted because of a known failure (repair.go), what a person has to do (stuck.go), and how all that is told
// (conditions.go, status.go).
package distributed

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
)

// A World is what one pass sees of a distributed Chroma and its objects.
type World struct {
	// Chroma under the name and namespace that people know: those of the claim when there is one. Its UID is the XR's.
	Chroma *v1alpha1.Chroma
	// XR identifies the composite itself.
	XR XR

	// Observed objects by role, as Crossplane composed them for this XR.
	Observed map[string]*unstructured.Unstructured
	// Workloads by component, of those observed.
	Workloads map[string]Workload
	// Jobs by role, of those observed.
	Jobs map[string]*batchv1.Job
	// Required are the answers to the questions.
	Required map[string]pass.Found
	// Pods of the answered questions for Pods.
	Pods map[string][]corev1.Pod

	Checks   Checks
	Settings settings.Settings
	Now      time.Time
}

// XR identifies the composite.
type XR struct {
	APIVersion, Kind, Name string
	ClaimBacked            bool
}

// A finding is a reason and what to say about it.
type finding struct {
	reason  reason.Reason
	message string
}

// none is the finding that nothing is the matter.
func (f finding) none() bool { return f.reason == "" }

// observe the Chroma and the answers of a pass, without what it composes.
func observe(request pass.Request, checks Checks) (World, error) {
	w := World{
		Chroma: &v1alpha1.Chroma{},
		XR: XR{
			APIVersion: request.XR.GetAPIVersion(), Kind: request.XR.GetKind(), Name: request.XR.GetName(),
			ClaimBacked: request.ClaimBacked,
		},
		Observed:  request.Observed,
		Workloads: map[string]Workload{},
		Jobs:      map[string]*batchv1.Job{},
		Pods:      map[string][]corev1.Pod{},
		Required:  request.Required,
		Checks:    checks,
		Settings:  request.Settings,
		Now:       request.Now,
	}
	if err := pass.Decode(request.XR, w.Chroma); err != nil {
		return World{}, err
	}
	w.Chroma.SetName(request.Name)
	w.Chroma.SetNamespace(request.Namespace)
	return w, nil
}

// Observe the world of a pass. It fails on what cannot be read, and decides nothing.
func Observe(request pass.Request, checks Checks) (World, error) {
	w, err := observe(request, checks)
	if err != nil {
		return World{}, err
	}
	for role, object := range request.Observed {
		if !strings.HasPrefix(role, chart.MigrationRole("")) {
			continue
		}
		job := &batchv1.Job{}
		if err := pass.Decode(object, job); err != nil {
			return World{}, err
		}
		w.Jobs[role] = job
	}
	for question, found := range request.Required {
		if !found.Answered || !strings.HasPrefix(question, askPodsPrefix) {
			continue
		}
		if pods, readable := decodePods(found); readable {
			w.Pods[question] = pods
		}
	}
	// Every version has the same components; they differ in what is in them.
	for _, component := range Versions()[0].Components {
		if object := request.Observed[workloadRole(component)]; object != nil {
			observed, err := decodeWorkload(object, component.Kind)
			if err != nil {
				return World{}, err
			}
			w.Workloads[component.Name] = observed
		}
	}
	return w, nil
}

func workloadRole(component chart.Component) string {
	return chart.RoleOf(string(component.Kind), component.Workload)
}

// A Workload is a Deployment or a StatefulSet as observed.
type Workload struct {
	Meta     metav1.ObjectMeta
	Template corev1.PodTemplateSpec
	// Replicas wanted by its spec.
	Replicas int32
	// Existing, Updated and Ready Pods by its status. Ready are those available of a Deployment.
	Existing, Updated, Ready int32
	ObservedGeneration       int64
	// CurrentRevision and UpdateRevision of a StatefulSet. Equal when its roll-out is done.
	CurrentRevision, UpdateRevision string
	// Refused are the API's words when it refuses a Pod of a Deployment. A StatefulSet has them in its events only.
	Refused string
}

func decodeWorkload(object *unstructured.Unstructured, kind chart.Kind) (Workload, error) {
	if kind == chart.Deployment {
		var d appsv1.Deployment
		if err := pass.Decode(object, &d); err != nil {
			return Workload{}, err
		}
		refused := ""
		for _, condition := range d.Status.Conditions {
			if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
				refused = condition.Message
			}
		}
		return Workload{
			Meta: d.ObjectMeta, Template: d.Spec.Template, Replicas: replicas(d.Spec.Replicas),
			Existing: d.Status.Replicas, Updated: d.Status.UpdatedReplicas, Ready: d.Status.AvailableReplicas,
			ObservedGeneration: d.Status.ObservedGeneration, Refused: refused,
		}, nil
	}
	var s appsv1.StatefulSet
	if err := pass.Decode(object, &s); err != nil {
		return Workload{}, err
	}
	return Workload{
		Meta: s.ObjectMeta, Template: s.Spec.Template, Replicas: replicas(s.Spec.Replicas),
		Existing: s.Status.Replicas, Updated: s.Status.UpdatedReplicas, Ready: s.Status.ReadyReplicas,
		ObservedGeneration: s.Status.ObservedGeneration,
		CurrentRevision:    s.Status.CurrentRevision, UpdateRevision: s.Status.UpdateRevision,
	}, nil
}

// replicas of a spec, where the API's default is one.
func replicas(wanted *int32) int32 {
	if wanted == nil {
		return 1
	}
	return *wanted
}

// live is the observed object of a role, unless it is being deleted.
func (w World) live(role string) *unstructured.Unstructured {
	object := w.Observed[role]
	if object == nil || object.GetDeletionTimestamp() != nil {
		return nil
	}
	return object
}

// started says whether something of the system was created that waits for nothing any more.
func (w World) started() bool { return len(w.Workloads) > 0 || len(w.Jobs) > 0 }

// condition of the XR as observed.
func (w World) condition(kind reason.ConditionType) *metav1.Condition {
	for i := range w.Chroma.Status.Conditions {
		if w.Chroma.Status.Conditions[i].Type == string(kind) {
			return &w.Chroma.Status.Conditions[i]
		}
	}
	return nil
}

// pods of a question. They are false when it was not asked or answered.
func (w World) pods(question string) ([]corev1.Pod, bool) {
	pods, answered := w.Pods[question]
	return pods, answered
}

// decodePods of an answer. One that cannot be read tells nothing. The API server serves none.
func decodePods(found pass.Found) ([]corev1.Pod, bool) {
	pods := make([]corev1.Pod, len(found.Objects))
	for i, object := range found.Objects {
		if err := pass.Decode(object, &pods[i]); err != nil {
			return nil, false
		}
	}
	return pods, true
}
