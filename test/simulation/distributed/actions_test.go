package distributed_test

import (
	"maps"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// act at random: as a user, as a person who mends by hand, or as bad luck.
func (s *system) act(rt *rapid.T) {
	actions := map[string]func(*rapid.T){
		"version": s.changeVersion, "component": s.changeComponent, "storage": s.changeStorage, "postgres": s.changePostgres,
		"registry": s.changeRegistry, "secret": s.changeSecret, "checks": s.changeChecks, "fault": s.changeFault,
		"work queue": s.stopWorkQueue, "leader": s.loseLeader, "rival": s.createRival, "recreate": s.recreate,
		"delete": s.deleteByHand, "edit": s.editByHand, "crash": s.crash, "down": s.stopSomething, "refuse": s.refuse,
		"late": s.holdPass, "stale": s.freeze, "node": s.loseNode, "pod": s.breakPod, "obey": func(*rapid.T) { s.obeyIfThere() },
	}
	actions[rapid.SampledFrom(slices.Sorted(maps.Keys(actions))).Draw(rt, "action")](rt)
}

func (s *system) obeyIfThere() {
	if s.chroma() != nil {
		s.obey()
	}
}

func (s *system) changeVersion(rt *rapid.T) {
	s.spec["version"] = rapid.SampledFrom([]string{older, newer, "0123456"}).Draw(rt, "version")
	s.apply(name)
	if rapid.Bool().Draw(rt, "allowed") {
		s.must(s.Annotate(kindChroma(), namespace, name, v1alpha1.AnnotationAllowDowngrade, "true"))
	}
}

func (s *system) changeComponent(rt *rapid.T) {
	component := rapid.SampledFrom(distributed.Versions()[0].Components).Draw(rt, "component")
	wanted := map[string]any{}
	if component.Fields.Replicas && rapid.Bool().Draw(rt, "with replicas") {
		wanted["replicas"] = rapid.IntRange(0, 4).Draw(rt, "replicas")
	}
	if rapid.Bool().Draw(rt, "with memory") {
		wanted["resources"] = map[string]any{"limits": map[string]any{"memory": rapid.SampledFrom([]string{"2Gi", "4Gi"}).Draw(rt, "memory")}}
	}
	if component.Fields.NodeSelector && rapid.Bool().Draw(rt, "with nodeSelector") {
		wanted["nodeSelector"] = map[string]any{"pool": rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "pool")}
	}
	s.spec[component.Name] = wanted
	s.apply(name)
}

func (s *system) changeStorage(rt *rapid.T) {
	s.spec["objectStorage"].(map[string]any)["s3"].(map[string]any)["bucket"] = rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "bucket")
	s.apply(name)
}

func (s *system) changePostgres(rt *rapid.T) {
	field := rapid.SampledFrom([]string{"database", "host", "sslMode", "credentialsSecret"}).Draw(rt, "field")
	var value any
	switch field {
	case "database":
		value = rapid.SampledFrom([]string{"sysdb", "other"}).Draw(rt, "database")
	case "host":
		value = rapid.SampledFrom([]string{"postgres", "db.example.com"}).Draw(rt, "host")
	case "sslMode":
		value = rapid.SampledFrom([]string{"disable", "require"}).Draw(rt, "sslMode")
	default:
		value = map[string]any{"name": rapid.SampledFrom([]string{"pg", "pg-2"}).Draw(rt, "secret")}
	}
	s.spec["postgres"].(map[string]any)[field] = value
	s.apply(name)
}

func (s *system) changeRegistry(rt *rapid.T) {
	s.spec["imageRegistry"] = rapid.SampledFrom([]string{"docker.io/chromadb", mirror, "evil.example.com/chroma"}).Draw(rt, "registry")
	s.apply(name)
}

func (s *system) changeSecret(rt *rapid.T) {
	switch rapid.IntRange(0, 2).Draw(rt, "how") {
	case 0:
		s.secrets(password)
	case 1:
		s.secrets("not $(usable)")
	default:
		called := rapid.SampledFrom([]string{"pg", "s3"}).Draw(rt, "secret")
		if s.Get(kindSecret(), namespace, called) != nil {
			s.must(s.Delete(kindSecret(), namespace, called, metav1.DeletePropagationBackground))
		}
	}
}

func (s *system) changeChecks(rt *rapid.T) {
	s.mend()
	result := func(of string) distributed.Result {
		return rapid.SampledFrom([]distributed.Result{
			{}, {Status: pass.True, Reason: reason.CheckPassed}, {Status: pass.False, Reason: reason.Timeout, Message: "It does not answer."},
		}).Draw(rt, of)
	}
	s.checks.Postgres, s.checks.ObjectStorage = result("postgres"), result("bucket")
}

func (s *system) changeFault(rt *rapid.T) {
	repositories := []string{distributed.Versions()[0].Migration.Image}
	for _, component := range distributed.Versions()[0].Components {
		repositories = append(repositories, component.Image)
	}
	of := imageOf(rapid.SampledFrom(repositories).Draw(rt, "image"), rapid.SampledFrom([]string{older, newer}).Draw(rt, "version"))
	s.SetImageFault(of, rapid.SampledFrom([]simulator.ImageFault{
		{}, {Pull: true}, {NeverReady: true}, {Exits: true, ExitCode: 1}, {Exits: true, ExitCode: 132}, {Exits: true},
	}).Draw(rt, "fault"))
}

// stopWorkQueue for good: it lost its storage, or starts without.
func (s *system) stopWorkQueue(rt *rapid.T) {
	s.storage = rapid.Bool().Draw(rt, "storage")
	s.SetSilent(namespace, "work-queue-service-0")
	s.CrashPod(namespace, "work-queue-service-0", 1, false)
}

func (s *system) loseLeader(*rapid.T) { s.LoseLeader(namespace) }

func (s *system) createRival(rt *rapid.T) {
	if s.Get(kindChroma(), namespace, rival) == nil {
		s.apply(rival)
	} else if rapid.Bool().Draw(rt, "delete") {
		s.delete(rival)
	}
}

// recreate the Chroma, at once or with all of it gone.
func (s *system) recreate(rt *rapid.T) {
	s.delete(name)
	s.Advance(time.Duration(rapid.SampledFrom([]int{0, 300, 60_000}).Draw(rt, "pause")) * time.Millisecond)
	s.Until(20_000, func() bool { return s.chroma() == nil })
	s.apply(name)
}

// composed objects of the Chroma.
func (s *system) composed() []store.Key {
	var out []store.Key
	of := s.chroma()
	for _, object := range s.Objects() {
		if owner := metav1.GetControllerOf(object); of != nil && owner != nil && owner.UID == of.GetUID() {
			out = append(out, store.KeyOf(object))
		}
	}
	return out
}

func (s *system) deleteByHand(rt *rapid.T) {
	keys := s.composed()
	for _, list := range s.Store().List(kindMemberList(), namespace) {
		keys = append(keys, store.KeyOf(list))
	}
	if len(keys) == 0 {
		return
	}
	key := rapid.SampledFrom(keys).Draw(rt, "object")
	s.must(s.Delete(key.GVK, key.Namespace, key.Name, rapid.SampledFrom([]metav1.DeletionPropagation{
		metav1.DeletePropagationBackground, metav1.DeletePropagationForeground,
	}).Draw(rt, "propagation")))
}

func (s *system) editByHand(rt *rapid.T) {
	component := rapid.SampledFrom(distributed.Versions()[0].Components).Draw(rt, "component")
	kind := store.Kind("apps/v1", string(component.Kind))
	if s.Get(kind, namespace, component.Workload) == nil {
		return
	}
	switch rapid.IntRange(0, 2).Draw(rt, "how") {
	case 0:
		s.must(s.Scale(kind, namespace, component.Workload, int64(rapid.IntRange(0, 3).Draw(rt, "replicas"))))
	case 1:
		s.must(s.Edit(kind, namespace, component.Workload, simulator.ManagerSet, func(of *unstructured.Unstructured) {
			containers, _, _ := unstructured.NestedSlice(of.Object, "spec", "template", "spec", "containers")
			containers[0].(map[string]any)["image"] = "docker.io/chromadb/" + component.Image + ":" + rapid.SampledFrom([]string{older, newer, "fffffff"}).Draw(rt, "tag")
			_ = unstructured.SetNestedSlice(of.Object, containers, "spec", "template", "spec", "containers")
		}))
	default:
		s.must(s.Edit(kind, namespace, component.Workload, simulator.ManagerEdit, func(of *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(of.Object, rapid.StringMatching("[a-z]{3}").Draw(rt, "restart"), "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
		}))
	}
}

func (s *system) crash(rt *rapid.T) {
	s.CrashCrossplane(rapid.IntRange(1, 150).Draw(rt, "write"), rapid.Bool().Draw(rt, "after"))
}

func (s *system) stopSomething(rt *rapid.T) {
	set := rapid.SampledFrom([]func(bool){s.SetFunctionDown, s.SetProviderDown, s.SetCrossplaneDown}).Draw(rt, "what")
	set(true)
	s.Advance(time.Duration(rapid.IntRange(1, 300).Draw(rt, "seconds")) * time.Second)
	set(false)
}

func (s *system) refuse(rt *rapid.T) {
	s.Refuse(&simulator.Refusal{
		Actor:   rapid.SampledFrom([]string{simulator.ActorCrossplane, simulator.ActorProvider}).Draw(rt, "actor"),
		Kind:    rapid.SampledFrom([]string{"", "Deployment", "StatefulSet", "Job", "ConfigMap", "Object", "MemberList", "ServiceAccount"}).Draw(rt, "kind"),
		Code:    rapid.SampledFrom([]int{http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusInternalServerError}).Draw(rt, "code"),
		Message: "the test refuses it", Times: rapid.IntRange(1, 20).Draw(rt, "times"),
	})
}

func (s *system) holdPass(rt *rapid.T) {
	s.HoldNextPass(time.Duration(rapid.IntRange(1, 10).Draw(rt, "seconds")) * time.Second)
}

// freeze Crossplane's caches of what it composes for a while.
func (s *system) freeze(rt *rapid.T) {
	s.FreezeCaches(rapid.SampledFrom([]schema.GroupVersionKind{
		store.Kind("apps/v1", "Deployment"), store.Kind("apps/v1", "StatefulSet"), kindJob(), kindObject(), store.Kind("v1", "ConfigMap"),
	}).Draw(rt, "kind"))
	s.Advance(time.Duration(rapid.IntRange(1, 30).Draw(rt, "seconds")) * time.Second)
	s.ThawCaches()
}

func (s *system) loseNode(rt *rapid.T) {
	s.SetNodeLost("node-1", rapid.Bool().Draw(rt, "lost"))
}

func (s *system) breakPod(rt *rapid.T) {
	pods := s.Store().List(kindPod(), namespace)
	if len(pods) == 0 {
		return
	}
	pod := rapid.SampledFrom(pods).Draw(rt, "pod").GetName()
	switch rapid.IntRange(0, 2).Draw(rt, "how") {
	case 0:
		s.CrashPod(namespace, pod, 1, false)
	case 1:
		s.EvictPod(namespace, pod, "Failed")
	default:
		s.must(s.Delete(kindPod(), namespace, pod, metav1.DeletePropagationBackground))
	}
}
