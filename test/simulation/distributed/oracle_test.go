package distributed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	annotationRole = "crossplane.io/composition-resource-name"
	account        = "sysdb-serviceaccount"
	// patience before a repair, and what two clocks of whole seconds may differ by.
	patience = 180*time.Second - time.Second
)

// An oracle knows what must never happen, from the objects alone: it asks the function nothing.
type oracle struct {
	t failure
	s *system
	// incidents by component.
	incidents map[string]*incident
	// restarts counts repairs by component.
	restarts map[string]int
	// tiers of the workloads and their ConfigMaps by role, and the roles of each version.
	tiers map[string]chart.Tier
	roles map[string]map[string]bool
}

// An incident of a component as passes see it. The zero time: it is well.
type incident struct {
	since     time.Time
	restarted bool
}

func newOracle(t failure, s *system) *oracle {
	o := &oracle{
		t: t, s: s, incidents: map[string]*incident{chart.WorkQueue: {}, chart.SysDB: {}}, restarts: map[string]int{},
		tiers: map[string]chart.Tier{}, roles: map[string]map[string]bool{},
	}
	for _, version := range distributed.Versions() {
		o.roles[version.Commit] = map[string]bool{}
		for _, object := range objectsOf(version) {
			o.roles[version.Commit][object.Role] = true
			if object.Tier >= chart.TierSysDB {
				o.tiers[object.Role] = object.Tier
			}
		}
	}
	return o
}

// changed looks at one write, by whomever.
func (o *oracle) changed(change store.Change) {
	o.keepsMembers(change)
	if change.Actor != simulator.ActorCrossplane {
		return
	}
	switch {
	case change.Key.GVK == kindChroma():
		return
	case change.Verb == store.VerbDelete:
		o.mayDelete(change)
	case change.Before == nil:
		o.mayCreate(change)
	default:
		o.mayUpdate(change)
	}
}

// keepsMembers: nobody but the sysdb takes members from a list that stays.
func (o *oracle) keepsMembers(change store.Change) {
	if change.Key.GVK != kindMemberList() || change.Before == nil || change.After == nil || change.Actor == simulator.ActorSysDB {
		return
	}
	before, after := members(change.Before), members(change.After)
	for _, member := range before {
		if !slices.Contains(after, member) {
			o.t.Fatalf("%s took %s from %s", change.Actor, member, change.Key.Name)
		}
	}
}

func members(list *unstructured.Unstructured) []string {
	entries, _, _ := unstructured.NestedSlice(list.Object, "spec", "members")
	out := make([]string, 0, len(entries))
	for _, entry := range entries {
		id, _ := entry.(map[string]any)["member_id"].(string)
		out = append(out, id)
	}
	return out
}

// addresses of the members.
func addresses(list *unstructured.Unstructured) map[string]string {
	entries, _, _ := unstructured.NestedSlice(list.Object, "spec", "members")
	out := map[string]string{}
	for _, entry := range entries {
		member, _ := entry.(map[string]any)
		id, _ := member["member_id"].(string)
		out[id], _ = member["member_ip"].(string)
	}
	return out
}

func addressOf(pod *unstructured.Unstructured) string {
	address, _, _ := unstructured.NestedString(pod.Object, "status", "podIP")
	return address
}

// mayDelete: what runs is never dropped. Jobs are made anew, and what the wanted version does not have goes once all runs
// that version.
func (o *oracle) mayDelete(change store.Change) {
	before := change.Before
	of := o.s.Get(kindChroma(), namespace, name)
	owner := metav1.GetControllerOf(before)
	if of == nil || of.GetDeletionTimestamp() != nil || owner == nil || owner.UID != of.GetUID() || before.GetDeletionTimestamp() != nil {
		return
	}
	role, version := before.GetAnnotations()[annotationRole], o.wanted()
	if strings.HasPrefix(role, chart.MigrationRole("")) {
		if role == chart.MigrationRole(version.Commit) && jobIs(before, "Complete") && o.migrates(before) {
			o.t.Fatalf("the completed Job %s was deleted", change.Key.Name)
		}
		if role != chart.MigrationRole(version.Commit) && !jobIs(before, "Complete") && !jobIs(before, "Failed") {
			o.t.Fatalf("the Job %s was deleted, which has not ended", change.Key.Name)
		}
		return
	}
	if o.roles[version.Commit][role] {
		o.t.Fatalf("%s was dropped", change.Key)
	}
	for _, component := range version.Components {
		if live := o.s.Get(store.Kind("apps/v1", string(component.Kind)), namespace, component.Workload); live == nil || tag(live.Object) != version.Commit {
			o.t.Fatalf("%s was dropped before %s ran version %s", change.Key, component.Workload, version.Commit)
		}
	}
}

// mayCreate: the deciding ServiceAccount comes first, and who does not have it composes nothing.
func (o *oracle) mayCreate(change store.Change) {
	controller := metav1.GetControllerOf(change.After)
	holder := o.s.Get(store.Kind("v1", "ServiceAccount"), namespace, account)
	if change.Key.Name == account || controller == nil {
		return
	}
	if holder == nil || metav1.GetControllerOf(holder) == nil || metav1.GetControllerOf(holder).UID != controller.UID {
		// One that is deleted by hand is made again, in the same pass as something else perhaps.
		if holder == nil && o.s.Get(kindObject(), namespace, "query-service-memberlist") != nil {
			return
		}
		o.t.Fatalf("%s of %s was made, who has not the namespace", change.Key, controller.Name)
	}
}

// mayUpdate: nothing of somebody else is taken over, and repairs come once per incident.
func (o *oracle) mayUpdate(change store.Change) {
	controller := metav1.GetControllerOf(change.Before)
	now := metav1.GetControllerOf(change.After)
	if controller != nil && now != nil && controller.UID != now.UID {
		o.t.Fatalf("%s was taken from %s", change.Key, controller.Name)
	}
	for _, of := range []struct {
		component string
		path      []string
	}{
		{chart.SysDB, []string{"spec", "template", "metadata", "annotations", chart.AnnotationRestartedAt}},
		{chart.WorkQueue, []string{"metadata", "annotations", chart.AnnotationRestartedAt}},
	} {
		component, _ := distributed.Versions()[0].Component(of.component)
		if change.Key.Name != component.Workload || change.Key.GVK.Kind != string(component.Kind) {
			continue
		}
		before, _, _ := unstructured.NestedString(change.Before.Object, of.path...)
		after, _, _ := unstructured.NestedString(change.After.Object, of.path...)
		if after != before {
			o.repaired(of.component, after)
		}
	}
}

func (o *oracle) repaired(component, at string) {
	seen := o.incidents[component]
	switch {
	case at == "":
		o.t.Fatalf("the time of the repair of %s was taken back, which is another restart", component)
	case seen.restarted:
		o.t.Fatalf("%s was restarted twice in one incident", component)
	case seen.since.IsZero() || o.s.Now().Sub(seen.since) < patience:
		o.t.Fatalf("%s was restarted at %s, and is ill since %s", component, o.s.Now(), seen.since)
	}
	seen.restarted = true
	o.restarts[component]++
}

// passed looks at one pass: what it was shown last, and what it answered.
func (o *oracle) passed(p *simulator.Pass) {
	if len(p.Calls) == 0 || p.Composite.Name != name {
		return
	}
	call := p.Calls[len(p.Calls)-1]
	if call.Err != nil || p.Outcome == "hanging" {
		return
	}
	o.look(p.At)
	o.keepsOrder(call.Request, call.Response)
	o.keepsSecrets(call.Response)
}

// look at the two components that are repaired, as the pass could see them.
func (o *oracle) look(now time.Time) {
	queue := o.s.Get(store.Kind("apps/v1", "StatefulSet"), namespace, "work-queue-service")
	wanted, _, _ := unstructured.NestedInt64(object(queue), "spec", "replicas")
	ready, _, _ := unstructured.NestedInt64(object(queue), "status", "readyReplicas")
	well := queue == nil || (ready > 0 && ready >= wanted)
	// A check without an answer says nothing of the storage: what was known stays.
	if storage := o.s.checks.ObjectStorage.Status; well || storage != "" {
		o.incidents[chart.WorkQueue].see(well, storage == "False", now)
	}

	sysdb := o.s.Get(store.Kind("apps/v1", "Deployment"), namespace, "sysdb")
	complete := true
	for _, list := range o.s.Store().List(kindMemberList(), namespace) {
		listed := addresses(list)
		for _, pod := range o.s.Store().List(kindPod(), namespace) {
			status, _, _ := simulator.Condition(pod, "Ready")
			member := pod.GetLabels()[chart.LabelMemberType]+"-memberlist" == list.GetName()
			complete = complete && (!member || status != "True" || pod.GetDeletionTimestamp() != nil || listed[pod.GetName()] == addressOf(pod))
		}
	}
	o.incidents[chart.SysDB].see(sysdb == nil || complete, false, now)
}

func (i *incident) see(well, excused bool, now time.Time) {
	switch {
	case well, excused:
		*i = incident{}
	case i.since.IsZero():
		i.since = now
	}
}

// keepsOrder: what a pass creates or changes in a tier comes only when everything in the tiers before is updated and
// ready, and stays as it is.
func (o *oracle) keepsOrder(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	observed, desired := map[string]map[string]any{}, map[string]map[string]any{}
	for role, resource := range req.GetObserved().GetResources() {
		observed[role] = resource.GetResource().AsMap()
	}
	for role, resource := range rsp.GetDesired().GetResources() {
		desired[role] = resource.GetResource().AsMap()
	}
	xr := &unstructured.Unstructured{Object: req.GetObserved().GetComposite().GetResource().AsMap()}
	text, _, _ := unstructured.NestedString(xr.Object, "spec", "distributed", "version")
	version, known := distributed.Version(text)
	unlisted := unlistedTiers(req)
	for role, manifest := range desired {
		tier, has := o.tiers[role]
		if !has || !changes(manifest, observed[role]) {
			continue
		}
		if !known {
			o.t.Fatalf("%s was changed for a version that is not known", role)
		}
		if job := observed[chart.MigrationRole(version.Commit)]; !jobIs(&unstructured.Unstructured{Object: job}, "Complete") && !migratedBefore(xr, version.Commit) {
			o.t.Fatalf("%s was changed before version %s was migrated", role, version.Commit)
		}
		for list, before := range unlisted {
			if before < tier {
				o.t.Fatalf("%s was changed while %s lacked a ready Pod", role, list)
			}
		}
		for earlier, before := range o.tiers {
			if before >= tier || strings.HasPrefix(earlier, "configmap-") {
				continue
			}
			switch {
			case observed[earlier] == nil:
				o.t.Fatalf("%s was changed before there was %s", role, earlier)
			case desired[earlier] == nil || changes(desired[earlier], observed[earlier]):
				o.t.Fatalf("%s was changed together with %s", role, earlier)
			case !rolledOut(observed[earlier]):
				o.t.Fatalf("%s was changed while %s was not ready", role, earlier)
			}
		}
	}
}

// unlistedTiers of the components whose ready Pods are not all in their MemberList, by the list, as far as a pass is shown.
// Nobody waits for the list of the fn-consumers.
func unlistedTiers(req *fnv1.RunFunctionRequest) map[string]chart.Tier {
	var pods []*unstructured.Unstructured
	lists := map[string]map[string]string{}
	for _, found := range req.GetRequiredResources() {
		for _, item := range found.GetItems() {
			switch of := (&unstructured.Unstructured{Object: item.GetResource().AsMap()}); of.GetKind() {
			case "MemberList":
				lists[of.GetName()] = addresses(of)
			case "Pod":
				pods = append(pods, of)
			}
		}
	}
	out := map[string]chart.Tier{}
	for _, component := range distributed.Versions()[0].Components {
		listed, shown := lists[component.MemberList]
		for _, pod := range pods {
			status, _, _ := simulator.Condition(pod, "Ready")
			member := shown && pod.GetLabels()[chart.LabelMemberType] == component.MemberType
			if member && status == "True" && pod.GetDeletionTimestamp() == nil && listed[pod.GetName()] != addressOf(pod) {
				out[component.MemberList] = component.Tier
			}
		}
	}
	return out
}

func migratedBefore(xr *unstructured.Unstructured, commit string) bool {
	history, _, _ := unstructured.NestedStringSlice(xr.Object, "status", "versionHistory")
	return slices.Contains(history, commit)
}

// objectsOf a version, with whatever values.
func objectsOf(version chart.Version) []chart.Object {
	values, err := chart.Derive("x", "x", v1alpha1.Distributed{
		Version: version.Commit, Postgres: v1alpha1.Postgres{Host: "x", CredentialsSecret: v1alpha1.SecretReference{Name: "x"}},
		ObjectStorage: v1alpha1.ObjectStorage{S3: v1alpha1.S3{CredentialsSecret: v1alpha1.SecretReference{Name: "x"}}},
	}, version, nil)
	if err != nil {
		panic(err)
	}
	return version.Objects(values)
}

// changes says whether a manifest wishes something that is not so. Repairs do not count: they know no tiers.
func changes(manifest, live map[string]any) bool {
	if live == nil {
		return true
	}
	for _, of := range []map[string]any{manifest, live} {
		unstructured.RemoveNestedField(of, "spec", "template", "metadata", "annotations", chart.AnnotationRestartedAt)
	}
	wanted, _, _ := unstructured.NestedFieldNoCopy(manifest, "spec", "replicas")
	replicas, _, _ := unstructured.NestedFieldNoCopy(live, "spec", "replicas")
	repaired := wanted == float64(0) || replicas == float64(0)
	if manifest["kind"] == "ConfigMap" {
		return !within(manifest["data"], live["data"])
	}
	spec, _ := manifest["spec"].(map[string]any)
	liveSpec, _ := live["spec"].(map[string]any)
	return !within(spec["template"], liveSpec["template"]) || (wanted != nil && wanted != replicas && !repaired)
}

// within says that all of part is in whole. Lists are compared by position.
func within(part, whole any) bool {
	switch wished := part.(type) {
	case map[string]any:
		has, ok := whole.(map[string]any)
		if !ok {
			return len(wished) == 0
		}
		for key, value := range wished {
			if !within(value, has[key]) {
				return false
			}
		}
		return true
	case []any:
		has, ok := whole.([]any)
		if !ok || len(has) != len(wished) {
			return len(wished) == 0 && !ok
		}
		for i := range wished {
			if !within(wished[i], has[i]) {
				return false
			}
		}
		return true
	}
	return part == whole
}

// rolledOut as kubectl rollout status understands it.
func rolledOut(live map[string]any) bool {
	number := func(path ...string) float64 {
		value, _, _ := unstructured.NestedFieldNoCopy(live, path...)
		count, _ := value.(float64)
		return count
	}
	status, _ := live["status"].(map[string]any)
	replicas := number("spec", "replicas")
	ready := number("status", "readyReplicas")
	if live["kind"] == "Deployment" {
		ready = number("status", "availableReplicas")
	}
	return number("status", "observedGeneration") == number("metadata", "generation") && status["currentRevision"] == status["updateRevision"] &&
		number("status", "updatedReplicas") == replicas && number("status", "replicas") == replicas && ready == replicas
}

// keepsSecrets: no credential is in an answer.
func (o *oracle) keepsSecrets(message proto.Message) {
	raw, err := proto.Marshal(message)
	if err != nil {
		o.t.Fatalf("%v", err)
	}
	o.isFreeOfSecrets(raw, "an answer")
}

func (o *oracle) isFreeOfSecrets(raw []byte, where string) {
	for _, secret := range []string{password, secretKey} {
		if bytes.Contains(raw, []byte(secret)) || bytes.Contains(raw, []byte(base64.StdEncoding.EncodeToString([]byte(secret)))) {
			o.t.Fatalf("a credential is in %s", where)
		}
	}
}

// objectsAreFreeOfSecrets looks through all that is stored, and through the events.
func (o *oracle) objectsAreFreeOfSecrets() {
	for _, of := range o.s.Objects() {
		if of.GetKind() == "Secret" {
			continue
		}
		raw, err := json.Marshal(of)
		if err != nil {
			o.t.Fatalf("%v", err)
		}
		o.isFreeOfSecrets(raw, of.GetKind()+" "+of.GetName())
	}
	for _, event := range o.s.Events() {
		o.isFreeOfSecrets([]byte(event.Message), "an event")
	}
}

// wanted version of the spec. One that is not known counts as the newest: it changes nothing.
func (o *oracle) wanted() chart.Version {
	text, _, _ := unstructured.NestedString(o.s.chroma().Object, "spec", "distributed", "version")
	if version, known := distributed.Version(text); known {
		return version
	}
	return distributed.Versions()[1]
}

// migrates says that a Job migrates the database of the spec.
func (o *oracle) migrates(job *unstructured.Unstructured) bool {
	postgres, _, _ := unstructured.NestedMap(o.s.chroma().Object, "spec", "distributed", "postgres")
	database, given := postgres["database"].(string)
	if !given {
		database = chart.DefaultDatabase
	}
	raw, _ := json.Marshal(job.Object["spec"])
	return strings.Contains(string(raw), "@"+postgres["host"].(string)+":5432/"+database+"?")
}

func jobIs(job *unstructured.Unstructured, kind string) bool {
	if job == nil || job.Object == nil {
		return false
	}
	status, _, _ := simulator.Condition(job, kind)
	return status == "True"
}

func object(of *unstructured.Unstructured) map[string]any {
	if of == nil {
		return nil
	}
	return of.Object
}

// tag of the image that a workload runs.
func tag(workload map[string]any) string {
	containers, _, _ := unstructured.NestedSlice(workload, "spec", "template", "spec", "containers")
	for _, container := range containers {
		text, _ := container.(map[string]any)["image"].(string)
		return text[strings.LastIndex(text, ":")+1:]
	}
	return ""
}
