package distributed

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// patience before a repair. Chroma has two failures that do not heal by themselves: a work queue that started before its
// storage stays NOT_SERVING for ever, and a sysdb that lost its lease refreshes no MemberList until it restarts.
const patience = 180 * time.Second

// A repair of this pass: what goes into the status, and when to look again. Zero: nothing to wait for.
type repair struct {
	v1alpha1.Repair
	wait time.Duration
	// due says that patience is at its end in this pass: the restart begins, unless the API refuses it.
	due bool
}

// restartedInIncident says that this incident had its one restart.
func (r repair) restartedInIncident() bool {
	return r.Restarted != nil && r.UnreadySince != nil && !r.Restarted.Before(r.UnreadySince)
}

// knownRepair of a component: what the status says, and what the object says, which was written before the status.
func (w World) knownRepair(component chart.Component, why reason.Reason) repair {
	known := repair{Repair: w.Chroma.Status.Repairs[component.Name]}
	if at := w.restartedAt(component); at != nil && (known.Restarted == nil || known.Restarted.Before(at)) {
		known.Restarted, known.Reason = at, string(why)
		if known.UnreadySince == nil {
			known.UnreadySince = at
		}
	}
	return known
}

// restartedAt is the time of the last repair of an observed component. See chart.AnnotationRestartedAt.
func (w World) restartedAt(component chart.Component) *metav1.Time {
	observed, there := w.Workloads[component.Name]
	if !there {
		return nil
	}
	text := observed.Meta.Annotations[chart.AnnotationRestartedAt]
	if component.Kind == chart.Deployment {
		text = observed.Template.Annotations[chart.AnnotationRestartedAt]
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return &metav1.Time{Time: at}
}

// A symptom of an incident.
type symptom int

const (
	// unclear: there is no answer. The clock goes on as it was.
	unclear symptom = iota
	// well: there is no incident.
	well
	// ill, and a restart would help if it lasts.
	ill
	// excused: ill for another reason that a restart does not mend. The clock starts when that reason is gone.
	excused
)

// goOn with a repair by what is seen now. A restart that may not be written is not decided either: the incident may be over
// before it may.
func (w World) goOn(known repair, seen symptom, why reason.Reason, mayWrite bool) repair {
	switch seen {
	case unclear:
		return known
	case well:
		known.UnreadySince = nil
		return known
	case excused:
		if !known.restartedInIncident() {
			known.UnreadySince = nil
		}
		return known
	case ill:
	}
	now := metav1.NewTime(w.Now.UTC().Truncate(time.Second))
	if known.UnreadySince == nil {
		known.UnreadySince = &now
	}
	if known.restartedInIncident() {
		return known
	}
	if left := patience - w.Now.Sub(known.UnreadySince.Time); left > 0 {
		known.wait = left
		return known
	}
	known.due = true
	if !mayWrite {
		known.wait = ttlWaiting
		return known
	}
	known.Restarted, known.Reason = &now, string(why)
	return known
}

// repairs of this pass by component.
func (s situation) repairs(c course) map[string]repair {
	out := map[string]repair{}
	for _, rule := range []struct {
		component string
		why       reason.Reason
		look      func() symptom
	}{
		{chart.WorkQueue, reason.WorkQueueRestarted, s.workQueueSymptom},
		{chart.SysDB, reason.SysdbLeaderLost, s.sysdbSymptom},
	} {
		component, _ := s.layout.Component(rule.component)
		known := s.w.goOn(s.w.knownRepair(component, rule.why), rule.look(), rule.why, c.mayWrite(workloadRole(component)))
		if known.UnreadySince != nil || known.Restarted != nil {
			out[rule.component] = known
		}
	}
	return out
}

// workQueueSymptom: not ready although the storage is there.
func (s situation) workQueueSymptom() symptom {
	observed, there := s.w.Workloads[chart.WorkQueue]
	storage, known := s.storageThere()
	switch {
	case !there:
		return well
	case observed.Ready > 0 && observed.Ready >= observed.Replicas:
		return well
	case !known:
		return unclear
	case !storage:
		// No restart mends that, and one that came before does not count: loading without storage is for good.
		return well
	}
	return ill
}

// sysdbSymptom: a MemberList lacks ready Pods although the sysdb is ready.
func (s situation) sysdbSymptom() symptom {
	observed, there := s.w.Workloads[chart.SysDB]
	if !there {
		return well
	}
	seen := well
	for _, component := range s.layout.Components {
		if component.MemberList == "" {
			continue
		}
		complete, known := s.listComplete(component)
		if known && !complete {
			seen = ill
			break
		}
		if !known {
			seen = unclear
		}
	}
	if seen == ill && !observed.RolledOut() {
		return excused
	}
	return seen
}

// listComplete says whether a MemberList has all ready Pods of its component, with their addresses.
func (s situation) listComplete(component chart.Component) (complete, known bool) {
	if _, there := s.w.Workloads[component.Name]; !there {
		return true, true
	}
	pods, answered := s.w.pods(askPods(component.Name))
	if !answered {
		return false, false
	}
	members, listed := s.members(component)
	for _, pod := range pods {
		// The sysdb finds members by this label. In an update, Pods of a version whose component was no member lack it, and
		// there may be no list yet.
		if pod.Labels[chart.LabelMemberType] != component.MemberType || !podReady(pod) {
			continue
		}
		if !listed {
			return false, false
		}
		// A StatefulSet's Pod comes back under its name with another address: who finds it by the list does not reach it.
		if address, there := members[pod.Name]; !there || address != "" && pod.Status.PodIP != "" && address != pod.Status.PodIP {
			return false, true
		}
	}
	return true, true
}

// members of a component's MemberList: their addresses by the name of their Pod. False: the list is not there or not
// answered.
func (s situation) members(component chart.Component) (map[string]string, bool) {
	list := s.w.Required[askList(component.Name)].Object()
	if list == nil {
		return nil, false
	}
	found, _, _ := unstructured.NestedFieldNoCopy(list.Object, "spec", "members")
	entries, isList := found.([]any)
	if found != nil && !isList {
		return nil, false
	}
	members := make(map[string]string, len(entries))
	for _, entry := range entries {
		member, _ := entry.(map[string]any)
		if id, ok := member["member_id"].(string); ok {
			members[id], _ = member["member_ip"].(string)
		}
	}
	return members, true
}

// workQueueReplicas while its Pod is being replaced: a StatefulSet does not replace a Pod that never got ready, whatever
// its template says, so the Pod goes with replicas 0, and 1 makes another. True: the number is meant.
func (s situation) workQueueReplicas(known repair) (int32, bool) {
	if known.Restarted == nil {
		return 0, false
	}
	observed, there := s.w.Workloads[chart.WorkQueue]
	if !there {
		return 0, false
	}
	component, _ := s.layout.Component(chart.WorkQueue)
	wanted := component.Replicas
	if !s.w.restartedAt(component).Equal(known.Restarted) {
		return 0, true // The restart begins in this pass.
	}
	if observed.Replicas > 0 {
		return wanted, true
	}
	pods, answered := s.w.pods(askPods(chart.WorkQueue))
	gone := answered && len(pods) == 0 && observed.Existing == 0 && observed.ObservedGeneration == observed.Meta.Generation
	if gone {
		return wanted, true
	}
	return 0, true
}

// repairedFinding says what was restarted last, and when.
func repairedFinding(repairs map[string]repair) finding {
	var last repair
	for _, name := range []string{chart.WorkQueue, chart.SysDB} {
		known := repairs[name]
		if known.Restarted != nil && (last.Restarted == nil || last.Restarted.Before(known.Restarted)) {
			last = known
		}
	}
	if last.Restarted == nil {
		return finding{reason.NothingRepaired, ""}
	}
	at := last.Restarted.UTC().Format(time.RFC3339)
	if reason.Reason(last.Reason) == reason.WorkQueueRestarted {
		return finding{reason.WorkQueueRestarted, fmt.Sprintf("The work queue was restarted at %s: it was not ready for 180 s although the storage was there.", at)}
	}
	return finding{reason.SysdbLeaderLost, fmt.Sprintf("The sysdb was restarted at %s: a MemberList lacked ready Pods for 180 s although the sysdb was ready.", at)}
}
