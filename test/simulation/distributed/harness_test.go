// Package distributed_test drives a distributed Chroma in a simulated cluster with Pods: an oracle looks at every pass
// and at every single write.
package distributed_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
	"github.com/function-chroma/function-chroma/test/requests"
)

const (
	namespace = simulator.Namespace
	name      = "demo"
	rival     = "rival"
	older     = "93652ec"
	newer     = "52ce844"
	mirror    = "mirror.example.com/chroma"

	password  = "a-password-of-postgres"
	secretKey = "a-key-of-the-bucket"
)

func kindChroma() schema.GroupVersionKind { return v1alpha1.GroupVersionKind() }
func kindSecret() schema.GroupVersionKind { return store.Kind("v1", "Secret") }
func kindPod() schema.GroupVersionKind    { return store.Kind("v1", "Pod") }
func kindJob() schema.GroupVersionKind    { return store.Kind("batch/v1", "Job") }
func kindObject() schema.GroupVersionKind {
	return store.Kind("kubernetes.m.crossplane.io/v1alpha1", "Object")
}
func kindMemberList() schema.GroupVersionKind { return store.Kind("chroma.cluster/v1", "MemberList") }

// A mistake of a mutant: in what the function is shown, or in what it answers.
type mistake struct {
	request  func(*fnv1.RunFunctionRequest)
	response func(*fnv1.RunFunctionRequest, *fnv1.RunFunctionResponse)
}

// A system is a simulated cluster with a distributed Chroma in it.
type system struct {
	*simulator.Cluster

	function simulator.Function
	mistake  mistake
	oracle   *oracle
	// spec of the Chroma, spec.distributed.
	spec map[string]any
	// checks are the answers about Postgres and the bucket.
	checks distributed.Checks
	// storage is whether the work queue finds its storage when it starts.
	storage bool
	passes  []*simulator.Pass
	// rounds of half a minute in which the system gets ready once all is mended.
	rounds int
	// writes of Crossplane.
	writes int
	// asked is how often the function was.
	asked int
}

// failure is how a violation ends a test, or the run of a mutant.
type failure interface {
	Fatalf(format string, args ...any)
}

func newSystem(t failure, seed uint64, made mistake) *system {
	s := &system{mistake: made, storage: true, rounds: 40, spec: map[string]any{
		"version":       older,
		"postgres":      map[string]any{"host": "postgres", "credentialsSecret": map[string]any{"name": "pg"}},
		"objectStorage": map[string]any{"s3": map[string]any{"endpoint": "http://10.0.0.1:9000", "credentialsSecret": map[string]any{"name": "s3"}}},
	}}
	s.oracle = newOracle(t, s)
	s.mend()
	allowed := image.DefaultRepositories()
	for _, of := range image.DefaultRepositories() {
		if _, repository, found := strings.Cut(of, "docker.io/chromadb/"); found {
			allowed = append(allowed, mirror+"/"+repository)
		}
	}
	function, err := composition.New(logging.NewNopLogger(), settings.Environment{AllowedImages: allowed}, func() time.Time { return s.Now() })
	if err != nil {
		t.Fatalf("%v", err)
	}
	function.CheckWith(s.check)
	s.function = function
	input, err := structpb.NewStruct(map[string]any{"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input"})
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.Cluster, err = simulator.New(simulator.Config{
		Seed: seed, Pods: true, Nodes: []string{"node-1", "node-2"},
		Composites: []simulator.Composite{{Kind: kindChroma(), Function: s, Input: input}},
		Changed:    s.changed, Passed: s.passed,
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.secrets(password)
	return s
}

// RunFunction with the mistake of a mutant.
func (s *system) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	shown := req
	if s.mistake.request != nil {
		shown = proto.CloneOf(req)
		s.mistake.request(shown)
	}
	rsp, err := s.function.RunFunction(ctx, shown)
	if s.asked++; err == nil && s.asked%64 == 0 {
		s.askAsServed(ctx, shown, rsp)
	}
	if err == nil && s.mistake.response != nil {
		s.mistake.response(req, rsp)
	}
	return rsp, err
}

// askAsServed asks again, as the server would: the answer has to be the same.
func (s *system) askAsServed(ctx context.Context, req *fnv1.RunFunctionRequest, want *fnv1.RunFunctionResponse) {
	served, err := requests.Served(req)
	if err != nil {
		s.oracle.t.Fatalf("%v", err)
	}
	got, err := s.function.RunFunction(ctx, served)
	if err != nil {
		s.oracle.t.Fatalf("%v", err)
	}
	if !proto.Equal(want, got) {
		s.oracle.t.Fatalf("a request as it is served has another answer: %s", cmp.Diff(want, got, protocmp.Transform()))
	}
}

// check answers about what there is to check.
func (s *system) check(_ context.Context, _ pass.Request, targets distributed.Targets) distributed.Checks {
	answers := s.checks
	if targets.Postgres == nil {
		answers.Postgres, answers.Revision = distributed.Result{}, ""
	}
	if targets.ObjectStorage == nil {
		answers.ObjectStorage = distributed.Result{}
	}
	return answers
}

func (s *system) changed(change store.Change) {
	if s.Cluster == nil {
		return // It is still being furnished.
	}
	if change.Actor == simulator.ActorCrossplane {
		s.writes++
	}
	// A work queue that starts without its storage never serves, and nobody but us replaces it.
	if pod := change.After; !s.storage && change.Outcome == store.OutcomeCreated && pod.GetKind() == "Pod" && pod.GetLabels()["app"] == "work-queue-service" {
		s.SetSilent(namespace, pod.GetName())
	}
	s.oracle.changed(change)
}

func (s *system) passed(p *simulator.Pass) {
	if s.passes = append(s.passes, p); len(s.passes) > 8 {
		s.passes = s.passes[1:]
	}
	s.oracle.passed(p)
}

// mend Postgres and the bucket.
func (s *system) mend() {
	good := distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
	s.checks, s.storage = distributed.Checks{Postgres: good, ObjectStorage: good, Revision: "20250101000000"}, true
}

func (s *system) secrets(postgres string) {
	s.secret("pg", map[string]string{"username": "chroma", "password": postgres})
	s.secret("pg-2", map[string]string{"username": "chroma", "password": postgres})
	s.secret("s3", map[string]string{"accessKeyId": "AKIA", "secretAccessKey": secretKey})
}

func (s *system) secret(called string, values map[string]string) {
	data := map[string]any{}
	for key, value := range values {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	of := &unstructured.Unstructured{Object: map[string]any{"data": data}}
	of.SetGroupVersionKind(kindSecret())
	of.SetNamespace(namespace)
	of.SetName(called)
	s.must(s.Apply(of))
}

// apply the Chroma, with its spec as it is now. Nothing happens while another is on its way out.
func (s *system) apply(called string) {
	if live := s.Get(kindChroma(), namespace, called); live != nil && live.GetDeletionTimestamp() != nil {
		return
	}
	raw, err := json.Marshal(map[string]any{
		"apiVersion": kindChroma().GroupVersion().String(), "kind": kindChroma().Kind,
		"metadata": map[string]any{"name": called, "namespace": namespace},
		"spec":     map[string]any{"mode": "distributed", "distributed": s.spec},
	})
	s.must(err)
	of := &unstructured.Unstructured{}
	s.must(of.UnmarshalJSON(raw))
	s.must(s.Apply(of))
}

// create the Chroma in a version, and let it get ready.
func (s *system) create(version string) {
	s.spec["version"] = version
	s.apply(name)
	s.Advance(2 * time.Minute)
}

func (s *system) delete(called string) {
	if s.Get(kindChroma(), namespace, called) != nil {
		s.must(s.Delete(kindChroma(), namespace, called, metav1.DeletePropagationBackground))
	}
}

func (s *system) must(err error) {
	if err != nil {
		s.oracle.t.Fatalf("%v", err)
	}
}

// chroma as it is. Nil: it is not there.
func (s *system) chroma() *unstructured.Unstructured { return s.Get(kindChroma(), namespace, name) }

func (s *system) condition(kind reason.ConditionType) (status string, because reason.Reason, message string) {
	status, why, message := simulator.Condition(s.chroma(), string(kind))
	return status, reason.Reason(why), message
}

// is says that the Chroma runs a version and is ready.
func (s *system) is(version string) bool {
	status, _, _ := s.condition("Ready")
	runs, _, _ := unstructured.NestedString(s.chroma().Object, "status", "version")
	return status == "True" && runs == version
}

// story of the last passes, for people.
func (s *system) story() string {
	var out strings.Builder
	for _, p := range s.passes {
		fmt.Fprintf(&out, "pass %d of %s at %s: %s %v\n", p.Number, p.Composite.Name, p.At.Format("15:04:05.000"), p.Outcome, p.Err)
		if len(p.Calls) > 0 {
			for _, c := range p.Calls[len(p.Calls)-1].Response.GetConditions() {
				fmt.Fprintf(&out, "    %s=%s %s: %s\n", c.GetType(), c.GetStatus(), c.GetReason(), c.GetMessage())
			}
		}
		for _, w := range p.Writes {
			fmt.Fprintf(&out, "  %s %s %s %s %v %v\n", w.Verb, w.Outcome, w.Key, w.Subresource, w.Changed, w.Err)
		}
	}
	if s.chroma() != nil {
		_, because, message := s.condition("ServerReady")
		_, blocked, why := s.condition("UpgradeBlocked")
		fmt.Fprintf(&out, "ServerReady: %s %s\nUpgradeBlocked: %s %s\n", because, message, blocked, why)
	}
	return out.String()
}

// fatal is a failure of a test that tells the story.
type fatal struct {
	testing.TB

	of func() string
}

func (f fatal) Fatalf(format string, args ...any) {
	f.Helper()
	f.TB.Fatalf(format+"\n%s", append(args, f.of())...)
}
