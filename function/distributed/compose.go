package distributed

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/previous"
)

// compose the objects of a pass, sorted by role: all of ours that is observed is kept, unless a rule here says otherwise.
func (s situation) compose(c course) ([]pass.Object, error) {
	roles := make(map[string]struct{}, len(s.w.Observed)+len(s.wanted))
	for role, observed := range s.w.Observed {
		if s.w.composes(role, observed) {
			roles[role] = struct{}{}
		}
	}
	if c.stage != hold {
		for role := range s.wanted {
			roles[role] = struct{}{}
		}
	}
	var objects []pass.Object
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		manifest, err := s.composeRole(role, c)
		if err != nil {
			return nil, fmt.Errorf("cannot compose %q of Chroma %q: %w", role, s.w.Chroma.GetName(), err)
		}
		if manifest == nil {
			continue
		}
		if c.mayWrite(role) {
			s.applyRepairs(role, manifest, c.repairs)
		}
		objects = append(objects, pass.Object{Role: role, Manifest: manifest, Ready: s.objectReady(role)})
	}
	return objects, nil
}

// composes says that an observed object is ours. Crossplane shows what all steps of the pipeline compose: another step's
// object, sent back as it was, would undo what that step changes, and live on when it is no longer wanted. All of ours
// have the label, and those whose label somebody took off a role that a version has.
func (w World) composes(role string, observed *unstructured.Unstructured) bool {
	label, _, _ := unstructured.NestedString(observed.Object, "metadata", "labels", v1alpha1.LabelChroma)
	return label == w.Chroma.GetName() ||
		strings.HasPrefix(role, chart.MigrationRole("")) ||
		slices.ContainsFunc(Versions(), func(version chart.Version) bool { return version.HasRole(role) })
}

// composeRole gives the manifest of one role. Nil leaves it out.
func (s situation) composeRole(role string, c course) (any, error) {
	observed := s.w.Observed[role]
	if observed != nil && observed.GetDeletionTimestamp() != nil {
		return nil, nil // Sent now, it would be made again the moment it is gone, perhaps by a pass that is late.
	}
	wanted, isWanted := s.wanted[role]
	switch {
	case c.stage == hold, c.stage == claim && role != accountRole():
		return keep(observed)
	case !isWanted:
		return s.composeObsolete(role, observed, c.progress.done)
	case c.stage == build && wanted.Tier > c.progress.reached, !c.mayWrite(role):
		return keep(observed)
	case observed == nil && !s.w.mayCreate(wanted):
		return nil, nil
	case wanted.Kind == chart.KindJob:
		return s.composeJob(wanted, observed)
	}
	return s.apply(wanted, observed)
}

// composeObsolete keeps what the wanted version has no more until it is no longer needed: the Jobs of other versions
// until they have ended and the wanted one is migrated, all else until every tier runs the wanted version.
func (s situation) composeObsolete(role string, observed *unstructured.Unstructured, done bool) (any, error) {
	if job := s.w.Jobs[role]; job != nil {
		done = ended(job) && s.migrated()
	}
	if done {
		return nil, nil
	}
	return keep(observed)
}

// composeJob makes the migration Job, keeps it, or leaves it out to have it made anew. What was migrated once is not
// migrated again.
func (s situation) composeJob(wanted chart.Object, observed *unstructured.Unstructured) (any, error) {
	if observed == nil && s.migrated() {
		return nil, nil
	}
	if observed == nil {
		// An orphan is taken as it is: a template that differs is refused, and then nothing would ever delete it.
		if orphan := s.w.Required[askName(wanted.Role)].Object(); orphan != nil {
			return previous.Intent(orphan)
		}
		return wanted.Manifest, nil
	}
	if s.jobFate(s.w.Jobs[wanted.Role]) == frozen {
		return keep(observed)
	}
	return nil, nil
}

// apply what is wanted.
func (s situation) apply(wanted chart.Object, observed *unstructured.Unstructured) (any, error) {
	switch wanted.Kind {
	case chart.KindMemberList:
		return s.memberListObject(wanted), nil
	case chart.KindConfigMap:
		if observed != nil && s.keepsTemplate(wanted.Component) {
			return keep(observed)
		}
	case string(chart.Deployment), string(chart.StatefulSet):
		if observed != nil && s.keepsTemplate(wanted.Component) {
			return s.withPreviousTemplate(wanted, observed)
		}
		if !s.configObserved(wanted.Component) {
			return keep(observed)
		}
	}
	return wanted.Manifest, nil
}

// configObserved says that no Pod can start with an outdated config file. Crossplane applies in any order, and a Pod
// that starts before its ConfigMap is rewritten reads the old one, once and for all. One whose ConfigMap does not exist
// waits for it.
func (s situation) configObserved(name string) bool {
	component, _ := s.version.Component(name)
	if component.Config == nil {
		return true
	}
	role := chart.RoleOf(chart.KindConfigMap, component.Config.Name)
	observed := s.w.Observed[role]
	if observed == nil {
		return true
	}
	wanted, ok := s.wanted[role].Manifest.(*applycorev1.ConfigMapApplyConfiguration)
	if !ok || observed.GetDeletionTimestamp() != nil {
		return false
	}
	data, _, err := unstructured.NestedStringMap(observed.Object, "data")
	if err != nil {
		return false
	}
	// Server-side apply leaves the keys that somebody else has added.
	for key, text := range wanted.Data {
		if data[key] != text {
			return false
		}
	}
	return true
}

// keepsTemplate: another release of this function would render the component differently, and the user has decided
// nothing new. The Pods keep what they have until somebody does.
func (s situation) keepsTemplate(name string) bool {
	observed, there := s.w.Workloads[name]
	if !there {
		return false
	}
	component, _ := s.version.Component(name)
	return observed.Meta.Annotations[v1alpha1.AnnotationUserHash] == s.wanted[workloadRole(component)].UserHash &&
		observed.Meta.Annotations[chart.AnnotationRendering] != component.Rendering
}

// withPreviousTemplate is what is wanted with the Pod template that we sent before. A template whose image somebody
// else has changed is not ours any more, and is taken back.
func (s situation) withPreviousTemplate(wanted chart.Object, observed *unstructured.Unstructured) (any, error) {
	intent, err := keep(observed)
	if err != nil {
		return nil, err
	}
	rendering := map[string]string{chart.AnnotationRendering: observed.GetAnnotations()[chart.AnnotationRendering]}
	switch before := intent.(type) {
	case *applyappsv1.DeploymentApplyConfiguration:
		if manifest, ok := wanted.Manifest.(*applyappsv1.DeploymentApplyConfiguration); ok && before.Spec != nil && hasImage(before.Spec.Template) {
			manifest.Spec.Template = before.Spec.Template
			manifest.WithAnnotations(rendering)
		}
	case *applyappsv1.StatefulSetApplyConfiguration:
		if manifest, ok := wanted.Manifest.(*applyappsv1.StatefulSetApplyConfiguration); ok && before.Spec != nil && hasImage(before.Spec.Template) {
			manifest.Spec.Template = before.Spec.Template
			manifest.WithAnnotations(rendering)
		}
	}
	return wanted.Manifest, nil
}

func hasImage(template *applycorev1.PodTemplateSpecApplyConfiguration) bool {
	return template != nil && template.Spec != nil && len(template.Spec.Containers) > 0 && template.Spec.Containers[0].Image != nil
}

// keep what is observed as we sent it before.
func keep(observed *unstructured.Unstructured) (any, error) {
	if observed == nil {
		return nil, nil
	}
	intent, err := previous.Intent(observed)
	if err != nil {
		return nil, err
	}
	// A repair changes a workload that is kept.
	switch chart.Kind(observed.GetKind()) {
	case chart.Deployment:
		return typed(observed, intent, &applyappsv1.DeploymentApplyConfiguration{})
	case chart.StatefulSet:
		return typed(observed, intent, &applyappsv1.StatefulSetApplyConfiguration{})
	}
	return intent, nil
}

func typed(observed *unstructured.Unstructured, intent map[string]any, into any) (any, error) {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent, into); err != nil {
		return nil, fmt.Errorf("cannot read the previous intent of %s %q: %w", observed.GetKind(), observed.GetName(), err)
	}
	return into, nil
}

// AnnotationLookAgain on the Object of a MemberList has the provider look at a list that is missing.
const AnnotationLookAgain = v1alpha1.Group + "/look-again"

// lookAgainEvery keeps a missing list from changing its Object in every pass.
const lookAgainEvery = 10 * time.Second

// memberListObject holds a MemberList through provider-kubernetes. Composed directly, the list would lose the
// annotation by which Crossplane knows it, since the sysdb writes it without. Without Update the provider never empties
// the list of a running system; with Delete the list goes with the Chroma, even when nothing of ours runs.
func (s situation) memberListObject(wanted chart.Object) map[string]any {
	reference := s.w.Settings.Claims.ProviderConfig
	metadata := map[string]any{
		"name":      wanted.Name,
		"namespace": s.w.Chroma.GetNamespace(),
		"labels":    map[string]any{v1alpha1.LabelChroma: s.w.Chroma.GetName()},
	}
	if again := s.lookAgain(wanted); again != "" {
		metadata["annotations"] = map[string]any{AnnotationLookAgain: again}
	}
	return map[string]any{
		"apiVersion": objectAPIVersion,
		"kind":       objectKind,
		"metadata":   metadata,
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Create", "Delete"},
			"providerConfigRef":  map[string]any{"kind": reference.Kind, "name": reference.Name},
			"forProvider":        map[string]any{"manifest": wanted.Manifest},
		},
	}
}

// lookAgain changes as long as a list is missing that its Object holds for there: the provider looks at it by itself
// only every ten minutes.
func (s situation) lookAgain(wanted chart.Object) string {
	observed := s.w.Observed[wanted.Role]
	if observed == nil {
		return ""
	}
	// Ready would not do: it stays False when the sysdb has written the list before the provider looks at it again.
	if s.w.Required[askList(wanted.Component)].Absent() && conditionTrue(observed, "Synced") {
		return s.w.Now.UTC().Truncate(lookAgainEvery).Format(time.RFC3339)
	}
	return observed.GetAnnotations()[AnnotationLookAgain]
}

func conditionTrue(object *unstructured.Unstructured, kind string) bool {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(conditions, func(entry any) bool {
		condition, ok := entry.(map[string]any)
		return ok && condition["type"] == kind && condition["status"] == "True"
	})
}

// applyRepairs to the manifests of the two components that are repaired, be they new or kept.
func (s situation) applyRepairs(role string, manifest any, repairs map[string]repair) {
	switch object := manifest.(type) {
	case *applyappsv1.DeploymentApplyConfiguration:
		known := repairs[chart.SysDB]
		sysdb, _ := s.layout.Component(chart.SysDB)
		if role != workloadRole(sysdb) || known.Restarted == nil || object.Spec == nil || object.Spec.Template == nil {
			return
		}
		annotate(&object.Spec.Template.ObjectMetaApplyConfiguration, known)
	case *applyappsv1.StatefulSetApplyConfiguration:
		queue, _ := s.layout.Component(chart.WorkQueue)
		if role != workloadRole(queue) || object.Spec == nil {
			return
		}
		known := repairs[chart.WorkQueue]
		if known.Restarted != nil {
			annotate(&object.ObjectMetaApplyConfiguration, known)
		}
		if count, meant := s.workQueueReplicas(known); meant {
			object.Spec.WithReplicas(count)
		}
	}
}

// annotate the time of a restart, which stays: taking it off a Pod template would be another restart.
func annotate(metadata **applymetav1.ObjectMetaApplyConfiguration, known repair) {
	if *metadata == nil {
		*metadata = applymetav1.ObjectMeta()
	}
	(*metadata).WithAnnotations(map[string]string{chart.AnnotationRestartedAt: known.Restarted.UTC().Format(time.RFC3339)})
}

// objectReady tells Crossplane whether an object of a role is ready.
func (s situation) objectReady(role string) bool {
	if s.w.live(role) == nil {
		return false
	}
	if strings.HasPrefix(role, chart.MigrationRole("")) {
		return role != chart.MigrationRole(s.version.Commit) || s.migrated()
	}
	for _, component := range s.layout.Components {
		if role == workloadRole(component) {
			return s.w.Workloads[component.Name].RolledOut()
		}
	}
	return true
}
