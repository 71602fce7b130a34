package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
	"github.com/function-chroma/function-chroma/test/requests"
)

const (
	// disturbancesPerSequence is about how many a sequence has, with some passes and steps of controllers after each.
	disturbancesPerSequence = 40
	// disturbancesPerCalm come between two calm times.
	disturbancesPerCalm = 25
	// passesToReady is how many passes a Chroma may need once the disturbances stop and the spec is allowed.
	passesToReady   = 20
	passesThatWrote = "passes that wrote"
	// wordsToReady is how often a person may have to say something before the spec is allowed.
	wordsToReady = 12
)

// watched is the function, with the oracle looking at what it sees, and asked twice for the same bytes: the second time as
// the server would ask it.
type watched struct {
	fn    simulator.Function
	run   *run
	n     int
	older translation
}

func (f *watched) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if f.run.newer {
		req = f.older.fromNewer(req)
	}
	f.run.oracle.asked(req)
	rsp, err := f.fn.RunFunction(ctx, req)
	if f.n++; err == nil && f.n%16 == 0 {
		served, err := requests.Served(req)
		if err != nil {
			f.run.oracle.violatef(6, "%v", err)
		}
		again, _ := f.fn.RunFunction(ctx, served)
		if !slices.Equal(encoded(rsp), encoded(again)) {
			f.run.oracle.violatef(6, "the same request gave other bytes")
		}
	}
	if f.run.newer && err == nil {
		toNewer(rsp)
	}
	return rsp, err
}

func encoded(m proto.Message) []byte {
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return out
}

// newRun of a function: the real one, or one with a mistake.
func newRun(t *testing.T, seed uint64, wrap func(*run) simulator.Function) *run {
	t.Helper()
	return newRunOf(t, seed, withRivals, wrap)
}

// newRunOf Chromas of a definition.
func newRunOf(t *testing.T, seed uint64, define func(*simulator.Config), wrap func(*run) simulator.Function) *run {
	t.Helper()
	r := &run{counts: map[string]int{}, served: map[types.UID]server{}, spec: &chroma.Chroma{Spec: chroma.ChromaSpec{
		Image: image158, Storage: storageOf("10Gi"), PVCDeletionPolicy: chroma.PVCRetain,
	}}}
	r.world = build(t, func(config *simulator.Config) {
		config.Seed = seed
		config.Composites[0].Function = &watched{fn: wrap(r), run: r, older: translation{}}
		define(config)
		r.backed = config.Composites[0].Kind == kindXChroma
		config.Changed = func(c store.Change) {
			if r.oracle == nil {
				return // The cluster is still being furnished.
			}
			r.counts["writes"]++
			if !ofTheBreaker(c) {
				r.written = append(r.written[max(0, len(r.written)-20):], r.Now().Format("15:04:05.000 ")+c.Actor+" "+string(c.Outcome)+" "+c.Key.String()+" "+c.Subresource)
			}
			r.debug(c)
			r.oracle.changed(c)
			r.outcome(c)
		}
		config.Passed = func(p *simulator.Pass) {
			r.counts["passes"]++
			if p.Outcome != "" {
				r.counts["pass: "+p.Outcome]++
			} else if len(p.Calls) > 0 { // One that lets a Chroma go sees nothing.
				composite := r.Store().Peek(p.Composite)
				r.oracle.recall(composite)
				// A function writes nothing into the record of a newer one, whatever it observes.
				if _, because, _ := simulator.Condition(composite, string(reason.UpgradeBlocked)); because != string(reason.LedgerNewer) {
					r.oracle.passed()
				}
			}
			if wroteAnything(p) {
				r.counts[passesThatWrote]++
			}
			r.recent = append(r.recent, p)
			if len(r.recent) > 12 {
				r.recent = r.recent[1:]
			}
		}
	})
	r.oracle = newOracle(r.world)
	r.Admit(func(request *store.Request) error {
		if dying := r.Get(kindNamespace(), "", namespace); dying != nil && dying.GetDeletionTimestamp() != nil {
			return nil // It lets Namespaces die.
		}
		return guard(request)
	})
	return r
}

// wroteAnything tells whether a pass has changed something. Crossplane applies the status and then updates its conditions as another
// field manager, so that the apply of the next pass takes over who owns them: the API server writes that down, and nothing
// else is written.
func wroteAnything(p *simulator.Pass) bool {
	return slices.ContainsFunc(p.Writes, func(w simulator.Write) bool { return w.Outcome != store.OutcomeUpdated || len(w.Changed) > 0 })
}

// ofTheBreaker tells whether a write changed nothing but Crossplane's own condition Responsive. Its message stays when the
// circuit breaker was open in a pass that failed: such a pass updates the status as another field manager than the one that
// applies it afterwards, and so cannot take the message away. Each pass gives the condition a new time then.
func ofTheBreaker(c store.Change) bool {
	if c.Before == nil || c.After == nil || c.Subresource != "status" || (c.Key.GVK != kindChroma && c.Key.GVK != kindXChroma) {
		return false
	}
	return store.Same(withoutResponsive(c.Before), withoutResponsive(c.After))
}

func withoutResponsive(o *unstructured.Unstructured) map[string]any {
	status, _, _ := unstructured.NestedMap(o.Object, "status")
	conditions, _ := status["conditions"].([]any)
	if len(conditions) > 0 {
		status["conditions"] = slices.DeleteFunc(conditions, func(condition any) bool { return condition.(map[string]any)["type"] == "Responsive" })
	}
	return status
}

// guard is the admission policy that is shipped beside the package: a Chroma whose spec says Retain is not deleted while
// its claim would still go with it.
func guard(request *store.Request) error {
	if request.Verb != store.VerbDelete || request.Key.GVK.Kind != kindChroma.Kind || request.Actor == "crossplane" || request.Before == nil {
		return nil
	}
	of := &chroma.Chroma{}
	if err := k8sruntime.DefaultUnstructuredConverter.FromUnstructured(request.Before.Object, of); err != nil {
		return err
	}
	if of.Spec.PVCDeletionPolicy != chroma.PVCDelete && of.Status.PVCDeletionPolicy == chroma.PVCDelete {
		return fmt.Errorf("the claim would still go with the Chroma")
	}
	return nil
}

// realFunction as it is served.
func realFunction(r *run) simulator.Function {
	fn, err := composition.New(logging.NewNopLogger(), settings.Environment{}, func() time.Time { return r.Now() })
	if err != nil {
		panic(err)
	}
	return fn
}

func storageOf(size string) *chroma.Storage {
	quantity := resource.MustParse(size)
	return &chroma.Storage{Size: &quantity}
}

func kindNamed(name string) schema.GroupVersionKind {
	switch name {
	case "Pod", "PersistentVolumeClaim", "ConfigMap", "Service", "Node":
		return corev1.SchemeGroupVersion.WithKind(name)
	case "StorageClass":
		return storagev1.SchemeGroupVersion.WithKind(name)
	case "Object":
		return simulatorKindObject()
	case kindXChroma.Kind:
		return kindXChroma
	}
	return kindChroma
}

// play a random sequence of disturbances, with calm times between them, and let it come to rest.
func (r *run) play(t fataler, c *choice, length int) {
	actions := disturbances()
	r.spec.Spec.Image = pick(c, images()[:5])
	r.must(r.Apply(priorityClass(someClass)))
	if !r.createXR(c) {
		t.Fatalf("cannot create the Chroma")
	}
	for n := range length {
		steps := c.between(0, 10)
		for range 10 { // Until one finds something to disturb.
			next := r.rarest(pick(c, actions), pick(c, actions), pick(c, actions))
			if next.do(r, c) {
				r.disturbed("fault: " + next.name)
				if next.patient() && c.coin() {
					steps = c.between(20, 50)
				}
				break
			}
		}
		for range steps {
			if !r.step() {
				break
			}
		}
		r.check(t)
		if n%disturbancesPerCalm == disturbancesPerCalm-1 {
			r.calm(t, c)
		}
	}
	r.rest(t, c)
}

// rarest of some disturbances in this sequence so far.
func (r *run) rarest(some ...action) action {
	return slices.MinFunc(some, func(a, b action) int { return cmp.Compare(r.counts["fault: "+a.name], r.counts["fault: "+b.name]) })
}

func (r *run) disturbed(name string) {
	r.counts[name]++
	r.counts["actions"]++
	r.log = append(r.log, r.Now().Format("15:04:05.000 ")+name)
}

// step of whoever has something to do: a pass or a controller's look.
func (r *run) step() bool {
	_, more := r.Step()
	if more {
		r.counts["actions"]++
	}
	return more
}

// until something holds, at most some steps, and whether it does.
func (r *run) until(steps int, holds func() bool) bool {
	for range steps {
		if holds() || !r.step() {
			break
		}
	}
	return holds()
}

// fataler is a test, or a check of a property.
type fataler interface {
	Fatalf(format string, args ...any)
}

func (r *run) check(t fataler) {
	if len(r.oracle.violations) > 0 {
		t.Fatalf("%s\n%s", strings.Join(r.oracle.violations, "\n"), r.story())
	}
}

// story of the last passes.
func (r *run) story() string {
	last := &world{passes: r.recent[max(0, len(r.recent)-8):]}
	return strings.Join(r.log[max(0, len(r.log)-40):], "\n") + "\n" + last.trace()
}

// end the disturbances.
func (r *run) end(c *choice) {
	r.heal(c)
	r.SetImageWebhook(nil, false)
	r.CrashCrossplane(0, false)
	r.newer = r.writtenNewer // Its record is read by no older one.
	r.createNamespace(c)
	r.createXR(c)
	r.spec.Spec.Storage = storageOf("80Gi")
	_ = r.Apply(priorityClass(someClass))
	if r.spec.Spec.PriorityClassName == absentClass {
		r.spec.Spec.PriorityClassName = ""
	}
	r.applySpec()
}

// rest is invariant 7: when the disturbances stop and the spec is allowed, the Chroma is Ready with that image within
// some passes; and invariant 6: then nothing is written any more.
func (r *run) rest(t fataler, c *choice) {
	r.end(c)
	r.getReady(t, c, r.agree)
	// Everything that comes with time comes once: the longest is the provider's look at its claims every ten minutes.
	r.Advance(11 * time.Minute)
	r.written = nil
	r.Advance(11 * time.Minute)
	if len(r.written) > 0 {
		t.Fatalf("invariant 6: a settled system was written to:\n%s\n%s", strings.Join(r.written, "\n"), r.story())
	}
	r.check(t)
}

// calm time: the disturbances stop, and what people do with a server that is well gets done.
func (r *run) calm(t fataler, c *choice) {
	r.end(c)
	r.getReady(t, c, r.follow)
	for range 4 {
		next := pick(c, undertakings())
		if !next.do(r, c) {
			continue
		}
		r.disturbed("calm: " + next.name)
		r.check(t)
		r.getReady(t, c, r.follow)
	}
}

// getReady with an allowed spec: a person says what the conditions ask for, and from the last word on the passes count. A
// pass counts when it changes something: one that only looks waits for somebody else, for a kubelet's back-off of five
// minutes with a look every ten seconds, and how many of those come is up to the one who is waited for.
func (r *run) getReady(t fataler, c *choice, speak func(*choice) bool) {
	wrote, all, words := r.counts[passesThatWrote], r.counts["passes"], 0
	for looks := 0; !r.serves(r.spec.Spec.Image); looks++ {
		before := r.counts["passes"]
		if speak(c) {
			wrote, all, words = r.counts[passesThatWrote], before, words+1
		}
		if passes := r.counts[passesThatWrote] - wrote; passes > passesToReady || words > wordsToReady || looks > wordsToReady*passesToReady {
			t.Fatalf("invariant 7: after %d passes and %d words not Ready with %s, but %s, %s, running %q\n%s", passes, words, r.spec.Spec.Image,
				r.condition("demo", reason.ServerReady), r.condition("demo", reason.UpgradeBlocked), r.running("demo"), r.story())
		}
		// A Chroma whose Namespace goes has to be made again, and has no passes meanwhile.
		if !r.until(1000, func() bool { return r.counts["passes"] > before }) && r.exists() {
			t.Fatalf("invariant 7: no pass comes any more, %v is left to do\n%s", r.Pending(), r.story())
		}
	}
	r.check(t)
	r.counts[fmt.Sprintf("ready after %2d passes that wrote", r.counts[passesThatWrote]-wrote)]++
	r.counts[fmt.Sprintf("ready after %3d passes in all", (r.counts["passes"]-all+9)/10*10)]++
	r.counts[fmt.Sprintf("allowed after %2d words", words)]++
}

// serves tells whether the server is ready with an image, which a webhook may have rewritten. A Pod or a claim that is on its
// way out serves only for now, and the condition may not tell yet.
func (r *run) serves(image string) bool {
	of, pod, claim := r.Get(kindChroma, namespace, "demo"), r.pod("demo"), r.claim("demo")
	if of == nil || pod == nil || claim == nil || of.GetDeletionTimestamp() != nil || pod.GetDeletionTimestamp() != nil || claim.GetDeletionTimestamp() != nil {
		return false
	}
	status, _, _ := simulator.Condition(of, string(reason.ServerReady))
	return status == "True" && r.running("demo") != "" && pod.GetAnnotations()[chroma.AnnotationWantedImage] == image
}

// agree makes the spec allowed, as a person does who follows the conditions: the claim accepted, the incident declared,
// the image the newest Chroma on data that only Chroma has opened, else the one that ran last. It tells whether there was
// something to say.
func (r *run) agree(c *choice) bool {
	of := r.chroma("demo")
	if of == nil || of.GetDeletionTimestamp() != nil || r.mustSpeak(of) {
		return r.follow(c)
	}
	xr := decode[chroma.Chroma](r.t, r.xr("demo"))
	if xr == nil || xr.Spec.Image != of.Spec.Image || xr.Status.ObservedGeneration != xr.GetGeneration() {
		return false // What was asked for has not been looked at yet. What a claim says comes to its XR and back.
	}
	want := image159
	if _, ok := xr.Status.DataVersions[chroma.ProductVecturaDB]; ok {
		want = ranLast(xr)
	}
	return r.ask(want)
}

// mustSpeak tells whether a claim or an incident waits for a person's word.
func (r *run) mustSpeak(of *chroma.Chroma) bool {
	claim := r.claim("demo")
	return r.because(reason.ServerReady) == reason.ClaimLost || (claim != nil && claim.GetDeletionTimestamp() != nil) || of.Status.DataVersionUnknown
}

func (r *run) because(kind reason.ConditionType) reason.Reason {
	_, because, _ := simulator.Condition(r.Get(kindChroma, namespace, "demo"), string(kind))
	return reason.Reason(because)
}

// follow what the conditions ask for. It tells whether there was something to do.
func (r *run) follow(c *choice) bool {
	of := r.chroma("demo")
	switch {
	case of == nil:
		r.createNamespace(c)
		return r.createXR(c)
	case of.GetDeletionTimestamp() != nil:
		return false
	case r.because(reason.ServerReady) == reason.ClaimLost:
		return of.GetAnnotations()[chroma.AnnotationAcceptClaim] != r.acceptance() && r.acceptClaim(c)
	}
	if claim := r.claim("demo"); claim != nil && claim.GetDeletionTimestamp() != nil {
		pod := r.pod("demo")
		return pod != nil && pod.GetDeletionTimestamp() == nil && r.deletePod(c) // The data is copied out; let it go.
	}
	if of.Status.DataVersionUnknown {
		declared := "chroma:1.5.9"
		if of.Status.DataProduct == chroma.ProductVecturaDB {
			declared = "vecturadb:1.0.0-preview.3"
		}
		declared += "/" + of.Status.DataVersionUnknownIncident
		return of.GetAnnotations()[chroma.AnnotationDeclaredDataVersion] != declared && r.Annotate(kindChroma, namespace, "demo", chroma.AnnotationDeclaredDataVersion, declared) == nil
	}
	if told(r.because(reason.UpgradeBlocked)) != imageRefused || of.Status.DataVersion == "" {
		return false
	}
	return r.ask(ranLast(of))
}

// ranLast is the image of what ran last on the data.
func ranLast(of *chroma.Chroma) string {
	if of.Status.DataProduct == chroma.ProductVecturaDB {
		return "ghcr.io/vecturadb/vecturadb:" + of.Status.DataVersion
	}
	return "docker.io/chromadb/chroma:" + of.Status.DataVersion
}

// TestSimulation plays random sequences against the real decision. SIM_ACTIONS says how many actions at least.
func TestSimulation(t *testing.T) {
	want := 3000
	if text := os.Getenv("SIM_ACTIONS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("cannot read SIM_ACTIONS: %v", err)
		}
		want = n
	}
	if testing.Short() {
		want = 1500
	}
	play := &playing{seed: firstSeed(t), want: want, counts: map[string]int{}}
	t.Run("sequences", func(t *testing.T) {
		for range runtime.GOMAXPROCS(0) {
			t.Run("player", func(t *testing.T) {
				t.Parallel()
				for seed, more := play.next(); more; seed, more = play.next() {
					// One that fails ends alone.
					t.Run(fmt.Sprintf("SIM_SEED=%d", seed), func(t *testing.T) {
						c := &choice{rand.New(rand.NewPCG(seed, 1))}
						define := withRivals
						if c.between(0, 2) == 0 {
							define = claimBacked
						}
						r := newRunOf(t, seed, define, realFunction)
						r.play(seeded{t, seed}, c, c.between(disturbancesPerSequence/2, disturbancesPerSequence*2))
						play.took(t, r.counts)
					})
				}
			})
		}
	})
	t.Log("\n" + play.report())
	if least := os.Getenv("SIM_LEAST"); least != "" && !t.Failed() {
		n, err := strconv.Atoi(least)
		if err != nil {
			t.Fatalf("cannot read SIM_LEAST: %v", err)
		}
		for _, name := range play.rare(n) {
			t.Errorf("%q came %d times, and %d are wanted: play more actions", name, play.counts[name], n)
		}
	}
}

// seeded tells which sequence failed: SIM_SEED=<seed> plays it first.
type seeded struct {
	*testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.T.Helper()
	s.T.Fatalf("SIM_SEED=%d: "+format, append([]any{s.seed}, args...)...)
}

// firstSeed of the sequences. The same one plays the same sequences.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("SIM_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("cannot read SIM_SEED: %v", err)
	}
	return seed
}
