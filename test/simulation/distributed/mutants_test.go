package distributed_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// A mutant is the function with one mistake, and a story in which the oracle finds it.
type mutant struct {
	reason string
	mistake
	// story by name.
	story string
	// found is what the oracle says.
	found string
}

// A violation ends the run of a mutant.
type violation struct{ message string }

// Fatalf ends the run.
func (v *violation) Fatalf(format string, args ...any) {
	v.message = fmt.Sprintf(format, args...)
	panic(v)
}

// live through a story with a mistake, and give what was found. Empty: nothing.
func live(made mistake, story func(*system)) (found string) {
	caught := &violation{}
	defer func() {
		if of := recover(); of != nil {
			if of != any(caught) {
				panic(of)
			}
			found = caught.message
		}
	}()
	s := newSystem(caught, 1, made)
	s.rounds = 10
	story(s)
	return ""
}

// seen changes an observed object before the function sees it.
func seen(role string, change func(map[string]any)) func(*fnv1.RunFunctionRequest) {
	return func(req *fnv1.RunFunctionRequest) {
		for observed, resource := range req.GetObserved().GetResources() {
			if strings.HasPrefix(observed, role) {
				rewrite(resource, change)
			}
		}
	}
}

// seenXR changes the Chroma before the function sees it.
func seenXR(change func(map[string]any)) func(*fnv1.RunFunctionRequest) {
	return func(req *fnv1.RunFunctionRequest) { rewrite(req.GetObserved().GetComposite(), change) }
}

// answered changes a desired object that the function has answered.
func answered(role string, change func(map[string]any)) func(*fnv1.RunFunctionRequest, *fnv1.RunFunctionResponse) {
	return func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
		for desired, resource := range rsp.GetDesired().GetResources() {
			if strings.HasPrefix(desired, role) {
				rewrite(resource, change)
			}
		}
	}
}

func rewrite(resource *fnv1.Resource, change func(map[string]any)) {
	content := resource.GetResource().AsMap()
	change(content)
	written, err := structpb.NewStruct(content)
	if err != nil {
		panic(err)
	}
	resource.Resource = written
}

func set(value any, path ...string) func(map[string]any) {
	return func(object map[string]any) {
		if err := unstructured.SetNestedField(object, value, path...); err != nil {
			panic(err)
		}
	}
}

func unset(path ...string) func(map[string]any) {
	return func(object map[string]any) { unstructured.RemoveNestedField(object, path...) }
}

func all[T any](changes ...func(T)) func(T) {
	return func(of T) {
		for _, change := range changes {
			change(of)
		}
	}
}

// looksReady is a workload as it will be once it has rolled out.
func looksReady(object map[string]any) {
	status, ok := object["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		object["status"] = status
	}
	replicas, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "replicas")
	generation, _, _ := unstructured.NestedFieldNoCopy(object, "metadata", "generation")
	for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
		status[field] = replicas
	}
	status["observedGeneration"] = generation
	status["currentRevision"] = status["updateRevision"]
}

// The names of the stories.
const (
	upgrade         = "upgrade"
	running         = "upgrade of a running system"
	downgrade       = "downgrade"
	migrationFails  = "failed migration"
	settingsChange  = "changed settings of Postgres"
	deletion        = "deletion"
	neverReady      = "work queue that is never ready"
	leaderLostAgain = "leader that is lost again"
	twoInOne        = "two in one namespace"
	leaderless      = "update without a leader"
	reverted        = "update that is taken back as it migrates"
)

// stories that lead to the mistakes. The function comes through them without a violation.
func stories() map[string]func(*system) {
	return map[string]func(*system){
		upgrade: func(s *system) {
			s.create(older)
			s.rest(newer)
		},
		running: func(s *system) {
			made := s.mistake
			s.mistake = mistake{}
			s.create(older)
			s.mistake = made
			s.rest(newer)
		},
		downgrade: func(s *system) {
			s.create(newer)
			s.rest(older)
		},
		migrationFails: func(s *system) {
			s.SetImageFault(imageOf("sysdb-migration", newer), simulator.ImageFault{Exits: true, ExitCode: 1})
			s.create(older)
			s.spec["version"] = newer
			s.apply(name)
			s.Advance(2 * time.Minute)
		},
		settingsChange: func(s *system) {
			s.create(newer)
			s.spec["postgres"].(map[string]any)["sslMode"] = "require"
			s.apply(name)
			s.Advance(time.Minute)
		},
		deletion: func(s *system) {
			s.create(newer)
			s.delete(name)
			s.Advance(5 * time.Minute)
			if left := s.Store().List(kindMemberList(), namespace); len(left) > 0 {
				s.oracle.t.Fatalf("%d MemberLists are left", len(left))
			}
		},
		neverReady: func(s *system) {
			s.SetImageFault(imageOf("work-queue-service", newer), simulator.ImageFault{NeverReady: true})
			s.create(newer)
			s.Advance(5 * time.Minute)
		},
		leaderLostAgain: func(s *system) {
			s.create(newer)
			s.LoseLeader(namespace)
			s.spec["queryService"] = map[string]any{"replicas": 3}
			s.apply(name)
			for range 40 {
				s.Advance(10 * time.Second)
				s.LoseLeader(namespace)
			}
		},
		leaderless: func(s *system) {
			s.updateWithoutLeader()
			s.Advance(2 * time.Minute)
		},
		reverted: func(s *system) {
			s.SetImageFault(imageOf("sysdb-migration", newer), simulator.ImageFault{Pull: true})
			s.create(older)
			for _, version := range []string{newer, older} {
				s.spec["version"] = version
				s.apply(name)
				s.Advance(time.Minute)
			}
			if !s.is(older) {
				s.oracle.t.Fatalf("the system is not ready")
			}
		},
		twoInOne: func(s *system) {
			s.create(older)
			s.spec["version"] = newer
			s.apply(rival)
			s.Advance(time.Minute)
		},
	}
}

func mutants() map[string]mutant {
	restartedAt := chart.AnnotationRestartedAt
	return map[string]mutant{
		"TierOrderIgnored": {
			reason:  "It takes a tier for ready that is not.",
			mistake: mistake{request: all(seen("deployment-", looksReady), seen("statefulset-", looksReady))},
			story:   upgrade, found: "not ready",
		},
		"UnlistedPodsIgnored": {
			reason: "It takes a tier for ready whose Pods are in no MemberList.",
			mistake: mistake{request: func(req *fnv1.RunFunctionRequest) {
				maps.DeleteFunc(req.GetRequiredResources(), func(question string, _ *fnv1.Resources) bool { return strings.HasPrefix(question, "pods-") })
			}},
			story: leaderless, found: "lacked a ready Pod",
		},
		"AllTiersAtOnce": {
			reason: "It gives every kept workload the wanted image.",
			mistake: mistake{response: func(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				version := req.GetObserved().GetComposite().GetResource().AsMap()["spec"].(map[string]any)["distributed"].(map[string]any)["version"].(string)
				answered("statefulset-", func(object map[string]any) {
					containers, _, _ := unstructured.NestedSlice(object, "spec", "template", "spec", "containers")
					container := containers[0].(map[string]any)
					container["image"] = strings.Replace(container["image"].(string), older, version, 1)
					_ = unstructured.SetNestedSlice(object, containers, "spec", "template", "spec", "containers")
				})(req, rsp)
			}},
			story: upgrade, found: "was changed before version",
		},
		"MigrationIgnored": {
			reason:  "It takes a Job for complete that failed.",
			mistake: mistake{request: seen("job-", set([]any{map[string]any{"type": "Complete", "status": "True"}}, "status", "conditions"))},
			story:   migrationFails, found: "was changed before version",
		},
		"CompletedJobMadeAnew": {
			reason:  "It does not see that the Job is complete.",
			mistake: mistake{request: seen("job-", unset("status"))},
			story:   upgrade, found: "does not get ready",
		},
		"CompletedJobDeleted": {
			reason: "It does not freeze a completed Job whose settings have changed since.",
			mistake: mistake{response: func(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				spec := req.GetObserved().GetComposite().GetResource().AsMap()["spec"].(map[string]any)["distributed"].(map[string]any)
				if spec["postgres"].(map[string]any)["sslMode"] == "require" {
					delete(rsp.GetDesired().GetResources(), chart.MigrationRole(newer))
				}
			}},
			story: settingsChange, found: "the completed Job",
		},
		"RunningJobDeleted": {
			reason: "It drops the Job of another version that still runs.",
			mistake: mistake{response: func(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				spec := req.GetObserved().GetComposite().GetResource().AsMap()["spec"].(map[string]any)["distributed"].(map[string]any)
				if spec["version"] == older {
					delete(rsp.GetDesired().GetResources(), chart.MigrationRole(newer))
				}
			}},
			story: reverted, found: "which has not ended",
		},
		"LeftOutWhileWaiting": {
			reason: "It leaves out a workload whose tier has to wait.",
			mistake: mistake{response: func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				for role, resource := range rsp.GetDesired().GetResources() {
					if role == "deployment-rust-frontend-service" && tag(resource.GetResource().AsMap()) != newer {
						delete(rsp.GetDesired().GetResources(), role)
					}
				}
			}},
			story: running, found: "was dropped",
		},
		"ObsoleteDroppedEarly": {
			reason: "It drops at once what the wanted version does not have.",
			mistake: mistake{response: func(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				spec := req.GetObserved().GetComposite().GetResource().AsMap()["spec"].(map[string]any)["distributed"].(map[string]any)
				if spec["version"] == older {
					delete(rsp.GetDesired().GetResources(), "memberlist-fn-consumer-memberlist")
				}
			}},
			story: downgrade, found: "was dropped before",
		},
		"MemberListUpdated": {
			reason:  "It lets the provider update the lists.",
			mistake: mistake{response: answered("memberlist-", set([]any{"Observe", "Create", "Update", "Delete"}, "spec", "managementPolicies"))},
			story:   upgrade, found: "took",
		},
		"MemberListComposed": {
			reason: "It composes the lists without an Object.",
			mistake: mistake{response: answered("memberlist-", func(object map[string]any) {
				manifest, _, _ := unstructured.NestedMap(object, "spec", "forProvider", "manifest")
				if manifest == nil {
					return // It is kept, a list already.
				}
				clear(object)
				maps.Copy(object, manifest)
			})},
			story: upgrade, found: "does not get ready",
		},
		"MemberListNotDeleted": {
			reason:  "It leaves Delete out of the policies.",
			mistake: mistake{response: answered("memberlist-", set([]any{"Observe", "Create"}, "spec", "managementPolicies"))},
			story:   deletion, found: "MemberLists are left",
		},
		"WorkQueueRestartedTwice": {
			reason: "It forgets that it has restarted the work queue.",
			mistake: mistake{request: all(seen("statefulset-work-queue-service", unset("metadata", "annotations", restartedAt)),
				seenXR(unset("status", "repairs", chart.WorkQueue, "restarted")))},
			story: neverReady, found: "twice in one incident",
		},
		"SysdbRestartForgotten": {
			reason: "It forgets that it has restarted the sysdb, and takes the time of it off the Pod template, which is another restart.",
			mistake: mistake{request: all(seen("deployment-sysdb", unset("spec", "template", "metadata", "annotations", restartedAt)),
				seenXR(unset("status", "repairs", chart.SysDB, "restarted")))},
			story: leaderLostAgain, found: "which is another restart",
		},
		"RepairedTooEarly": {
			reason: "It takes every incident for older than it is.",
			mistake: mistake{request: seenXR(func(xr map[string]any) {
				for _, component := range []string{chart.SysDB, chart.WorkQueue} {
					if _, ill, _ := unstructured.NestedString(xr, "status", "repairs", component, "unreadySince"); ill {
						set("2025-12-31T23:59:00Z", "status", "repairs", component, "unreadySince")(xr)
					}
				}
			})},
			story: neverReady, found: "is ill since",
		},
		"NamespaceTaken": {
			reason: "It takes the namespace of another.",
			mistake: mistake{request: func(req *fnv1.RunFunctionRequest) {
				metadata := req.GetObserved().GetComposite().GetResource().AsMap()["metadata"].(map[string]any)
				if metadata["name"] != rival {
					return
				}
				for question, found := range req.GetRequiredResources() {
					if strings.HasPrefix(question, "name-") {
						found.Items = nil
					}
				}
				of, _ := structpb.NewStruct(map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": account, "namespace": namespace}})
				req.Observed.Resources = map[string]*fnv1.Resource{"serviceaccount-" + account: {Resource: of}}
			}},
			story: twoInOne, found: "who has not the namespace",
		},
		"EndlessReconcile": {
			reason: "It tells the time in a message.",
			mistake: mistake{response: func(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				generation := req.GetObserved().GetComposite().GetResource().AsMap()["metadata"].(map[string]any)["resourceVersion"]
				rsp.GetConditions()[0].Message = new(fmt.Sprintf("It is as it was at %v.", generation))
			}},
			story: upgrade, found: "a settled system was written to",
		},
		"SecretTold": {
			reason: "It tells a password.",
			mistake: mistake{response: func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				rsp.GetConditions()[0].Message = new("The password " + password + " is refused.")
			}},
			story: upgrade, found: "a credential is in",
		},
	}
}

// TestMutants: the oracle finds each mistake.
func TestMutants(t *testing.T) {
	for _, called := range slices.Sorted(maps.Keys(mutants())) {
		tc := mutants()[called]
		t.Run(called, func(t *testing.T) {
			if got := live(tc.mistake, stories()[tc.story]); !strings.Contains(got, tc.found) {
				t.Errorf("\n%s\nthe oracle says %q, want %q", tc.reason, got, tc.found)
			}
		})
	}
}

// TestStories: without a mistake it finds nothing in them.
func TestStories(t *testing.T) {
	for _, called := range slices.Sorted(maps.Keys(stories())) {
		t.Run(called, func(t *testing.T) {
			if got := live(mistake{}, stories()[called]); got != "" {
				t.Error(got)
			}
		})
	}
}
