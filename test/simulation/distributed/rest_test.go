package distributed_test

import (
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// command in a message for a person to type.
var command = regexp.MustCompile(`kubectl delete (pod|job) -n (\S+) (\S+)$`)

// restart of a Deployment that a person types.
var restart = regexp.MustCompile(`kubectl rollout restart -n (\S+) deployment/(\S+)$`)

// obey what the conditions tell a person to type.
func (s *system) obey() {
	_, _, message := s.condition("ServerReady")
	if found := restart.FindStringSubmatch(message); found != nil {
		s.must(s.Edit(store.Kind("apps/v1", "Deployment"), found[1], found[2], simulator.ManagerEdit, func(of *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(of.Object, s.Now().Format(time.RFC3339), "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
		}))
	}
	found := command.FindStringSubmatch(message)
	if found == nil {
		return
	}
	kind := kindPod()
	if found[1] == "job" {
		kind = kindJob()
	}
	if s.Get(kind, found[2], found[3]) != nil {
		s.must(s.Delete(kind, found[2], found[3], "Background"))
	}
}

// rest with everything mended, and a person who types what the conditions say: the system gets ready in the version, is
// complete, and then nobody writes any more.
func (s *system) rest(version string) {
	s.Heal()
	s.mend()
	s.secrets(password)
	s.delete(rival)
	s.spec["version"] = version
	s.spec["imageRegistry"] = "docker.io/chromadb"
	s.apply(name)
	s.must(s.Annotate(kindChroma(), namespace, name, v1alpha1.AnnotationAllowDowngrade, "true"))
	for range s.rounds {
		if s.Advance(30 * time.Second); s.is(version) && s.complete(version) {
			break
		}
		s.obey()
	}
	if !s.is(version) {
		s.oracle.t.Fatalf("the system does not get ready in version %s", version)
	}
	if !s.complete(version) {
		s.oracle.t.Fatalf("the system is ready and not complete: its roles are %v", s.observed())
	}
	// After five minutes Crossplane's circuit breaker may close, and after ten the provider looks at its Objects by itself.
	s.Advance(16 * time.Minute)
	before := s.writes
	if s.Advance(4 * time.Minute); s.writes != before {
		s.oracle.t.Fatalf("a settled system was written to %d times", s.writes-before)
	}
	s.oracle.objectsAreFreeOfSecrets()
}

// observed roles of the Chroma, sorted.
func (s *system) observed() []string {
	var out []string
	uid := s.chroma().GetUID()
	for _, of := range s.Objects() {
		for _, owner := range of.GetOwnerReferences() {
			if owner.UID == uid {
				out = append(out, of.GetAnnotations()[annotationRole])
			}
		}
	}
	slices.Sort(out)
	return out
}

// complete says that a version has all its objects and no others, but perhaps its Job: one that is done may be deleted.
// The MemberLists have all ready Pods.
func (s *system) complete(version string) bool {
	roles := map[string]bool{}
	for _, role := range s.observed() {
		if !s.oracle.roles[version][role] {
			return false
		}
		roles[role] = true
	}
	for role := range s.oracle.roles[version] {
		if !roles[role] && role != "job-sysdb-migration-"+version {
			return false
		}
	}
	of, _ := distributed.Version(version)
	for _, component := range of.Components {
		if component.MemberList == "" {
			continue
		}
		list := s.Get(kindMemberList(), namespace, component.MemberList)
		if list == nil || len(members(list)) != len(s.ready(component.Workload)) {
			return false
		}
	}
	return true
}

// ready Pods of a workload.
func (s *system) ready(app string) []*unstructured.Unstructured {
	return slices.DeleteFunc(s.PodsOf(namespace, app), func(pod *unstructured.Unstructured) bool {
		status, _, _ := simulator.Condition(pod, "Ready")
		return status != "True" || pod.GetDeletionTimestamp() != nil
	})
}
