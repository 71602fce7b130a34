package composition_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"

	"github.com/function-chroma/function-chroma/test/requests"
)

// with a change to a copy of a nested map.
func changed(change func(xr map[string]any)) map[string]any {
	xr := requests.Example()
	change(xr)
	return xr
}

func TestAMalformedRequestIsFatalWithAClearMessage(t *testing.T) {
	cases := map[string]struct {
		reason string
		xr     map[string]any
		input  map[string]any
		want   string
	}{
		"NoComposite": {reason: "Nothing to decide on.", want: "cannot read the request: it has no composite resource"},
		"NoKind":      {reason: "Nothing says what it is.", xr: map[string]any{"metadata": map[string]any{"name": "demo"}}, want: "no apiVersion or kind"},
		"NoName":      {reason: "Every object is named after it.", xr: changed(func(xr map[string]any) { delete(xr, "metadata") }), want: "has no metadata.name"},
		"OtherKind":   {reason: "Another Composition refers to this function.", xr: changed(func(xr map[string]any) { xr["kind"] = "Cluster" }), want: "this function composes Chroma and ValdOperatorRelease"},
		"NoQuantity": {reason: "The API refuses it; offline nobody did.",
			xr:   changed(func(xr map[string]any) { xr["spec"] = map[string]any{"storage": map[string]any{"size": "ten"}} }),
			want: "spec.storage.size"},
		"WrongType": {reason: "A list where an object belongs.",
			xr:   changed(func(xr map[string]any) { xr["spec"] = map[string]any{"storage": []any{"10Gi"}} }),
			want: "spec.storage"},
		"UnknownInput": {reason: "A slip of the pen in the Composition.", xr: requests.Example(), input: map[string]any{"images": map[string]any{"defualt": "x"}}, want: `unknown field "images.defualt"`},
		"BadInput": {reason: "A value that cannot be.", xr: requests.Example(), input: map[string]any{"claims": map[string]any{"accessMode": "ReadWriteMany"}},
			want: "claims.accessMode"},
	}
	fn := requests.NewFunction(t, requests.Start)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{}
			if tc.xr != nil {
				req.Observed = &fnv1.State{Composite: &fnv1.Resource{Resource: requests.Struct(t, tc.xr)}}
			}
			if tc.input != nil {
				req.Input = requests.Struct(t, tc.input)
			}
			rsp, err := fn.RunFunction(context.Background(), req)
			if err != nil {
				t.Fatalf("\n%s\nRunFunction(...): %v", tc.reason, err)
			}
			results := rsp.GetResults()
			if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || !strings.Contains(results[0].GetMessage(), tc.want) {
				t.Errorf("\n%s\nRunFunction(...): want a Fatal result with %q, got %v", tc.reason, tc.want, results)
			}
		})
	}
}

func TestTheSameRequestGivesTheSameBytes(t *testing.T) {
	fn := requests.NewFunction(t, requests.Start)
	for i, req := range requests.Captured(t) {
		var first []byte
		for range 3 {
			rsp, err := fn.RunFunction(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = encoded
			}
			if !bytes.Equal(first, encoded) {
				t.Fatalf("request %d gave other bytes", i)
			}
		}
	}
}

func TestEveryNamespacedRequirementNamesItsNamespace(t *testing.T) {
	fn := requests.NewFunction(t, requests.Start)
	asked := 0
	for _, req := range requests.Captured(t) {
		rsp, err := fn.RunFunction(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		for name, selector := range rsp.GetRequirements().GetResources() {
			asked++
			clusterScoped := selector.GetKind() == "Node" || selector.GetKind() == "StorageClass"
			if (selector.GetNamespace() == "") != clusterScoped {
				t.Errorf("requirement %q for %s has the namespace %q: without one an existing object is answered with nothing", name, selector.GetKind(), selector.GetNamespace())
			}
		}
	}
	if asked == 0 {
		t.Error("nothing was asked for")
	}
}

func TestADesiredObjectNeverNamesAUIDOfItsOwn(t *testing.T) {
	// Crossplane copies the UID of a desired object into the XR's references, which raises its generation, for ever.
	fn := requests.NewFunction(t, requests.Start)
	for _, req := range requests.Captured(t) {
		rsp, err := fn.RunFunction(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		for role, desired := range rsp.GetDesired().GetResources() {
			metadata := desired.GetResource().GetFields()["metadata"].GetStructValue().GetFields()
			if _, found := metadata["uid"]; found {
				t.Errorf("the desired object %q has a metadata.uid", role)
			}
			if _, found := metadata["resourceVersion"]; found && role != "pod" {
				t.Errorf("the desired object %q has a metadata.resourceVersion", role)
			}
		}
	}
}

func TestAThousandChromasDoNotGrowMemory(t *testing.T) {
	fn, template := requests.NewFunction(t, requests.Start), requests.Settled(t)
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	run := func(from, to int) {
		for i := from; i < to; i++ {
			req, ok := proto.Clone(template).(*fnv1.RunFunctionRequest)
			if !ok {
				t.Fatal("cannot clone the request")
			}
			metadata := req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue()
			metadata.Fields["name"] = requests.Struct(t, map[string]any{"name": fmt.Sprintf("demo-%d", i)}).GetFields()["name"]
			if _, err := fn.RunFunction(context.Background(), req); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(0, 50)
	before := heap()
	run(50, 1050)
	const allowed = 1 << 20
	if after := heap(); after > before+allowed {
		t.Errorf("the heap grew from %d to %d bytes over 1,000 distinct Chromas", before, after)
	}
}
