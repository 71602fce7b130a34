package v1_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/apis/definition/validation"
)

// documentation is the example of the Vald Operator's documentation. It has no machineResource.name, no saveSchedule and
// no suspend flags, which that operator's own API requires.
const documentation = "vald-single.yaml"

// examples of the project by file name and position.
func examples(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "vald-*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("cannot find the examples: %v", err)
	}
	out := map[string]map[string]any{}
	for _, file := range files {
		for i, document := range documents(t, file) {
			out[fmt.Sprintf("%s/%d", filepath.Base(file), i)] = document
		}
	}
	return out
}

func documents(t *testing.T, file string) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, document)
	}
}

func validator(t *testing.T) *validation.Validator {
	t.Helper()
	v, err := validation.New(definition.KindValdOperatorRelease)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheAPIAcceptsTheDocumentationsExampleAndAllOthers(t *testing.T) {
	v := validator(t)
	for name, object := range examples(t) {
		t.Run(name, func(t *testing.T) {
			if errs := v.Validate(object, nil); len(errs) > 0 {
				t.Errorf("Validate(...): %v", errs.ToAggregate())
			}
			unknown, err := v.UnknownFields(object)
			if err != nil || len(unknown) > 0 {
				t.Errorf("UnknownFields(...): %v, %v", unknown, err)
			}
		})
	}
}

func TestTheAPIDefaultsWhatAPersonWouldNotWrite(t *testing.T) {
	defaults, err := definition.NewDefaults()
	if err != nil {
		t.Fatal(err)
	}
	object := examples(t)["vald-one-pool.yaml/0"]
	defaults.Default(object)
	got, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "vectorEngine", "vald")
	want := map[string]any{
		"defaults": map[string]any{},
		"agent": map[string]any{"ngt": map[string]any{
			"dimension": int64(128), "distanceType": "l2", "objectType": "float", "creationEdgeSize": int64(20), "searchEdgeSize": int64(10),
		}},
		"indexer": map[string]any{
			"manager": true, "concurrency": int64(1), "indexDuration": "1h", "saveDuration": "1h",
			"indexSchedule": "* * * * *", "saveSchedule": "0 */3 * * *", "indexSuspend": false, "saveSuspend": false,
		},
		"gateway":    map[string]any{"indexReplica": int64(1)},
		"discoverer": map[string]any{"kind": "DaemonSet"},
	}
	if diff := cmp.Diff(want, integers(got)); diff != "" {
		t.Errorf("\nDefault(...): -want, +got:\n%s", diff)
	}
	entries, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "infrastructure")
	machine, _, _ := unstructured.NestedMap(entries.([]any)[0].(map[string]any), "nodePools", "general", "machineResource")
	if diff := cmp.Diff(map[string]any{"name": "", "cpu": "2", "memory": "4Gi"}, machine); diff != "" {
		t.Errorf("\nDefault(...): -want, +got:\n%s", diff)
	}
}

// integers of a document that a YAML decoder read: it makes them float64.
func integers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			out[key] = integers(member)
		}
		return out
	case float64:
		return int64(v)
	}
	return value
}

func TestTheAPIRefusesWhatTheValdReleaseAPIWouldRefuseLater(t *testing.T) {
	const vald = "spec.vectorEngine.vald."
	cases := map[string]struct {
		reason string
		// change to the documentation's example.
		path  string
		value any
		// want is part of what the API server says. Empty: it accepts.
		want string
	}{
		"DistanceType":         {"An enum of the ValdRelease API.", vald + "agent.ngt.distanceType", "euclid", "Unsupported value: \"euclid\": supported values: \"l1\""},
		"ObjectType":           {"An enum of the ValdRelease API.", vald + "agent.ngt.objectType", "double", "Unsupported value: \"double\": supported values: \"float\""},
		"LogLevelOfDefaults":   {"An enum of the ValdRelease API.", vald + "defaults.logLevel", "trace", "Unsupported value: \"trace\""},
		"LogLevelOfAgent":      {"An enum of the ValdRelease API.", vald + "agent.logLevel", "trace", "Unsupported value: \"trace\""},
		"LogLevelOfGateway":    {"An enum of the ValdRelease API.", vald + "gateway.logLevel", "trace", "Unsupported value: \"trace\""},
		"LogLevelOfDiscoverer": {"An enum of the ValdRelease API.", vald + "discoverer.logLevel", "trace", "Unsupported value: \"trace\""},
		"LogLevelOfIndexer":    {"An enum of the ValdRelease API.", vald + "indexer.logLevel", "trace", "Unsupported value: \"trace\""},
		"EmptyLogLevel":        {"An empty level falls back to the next one.", vald + "defaults.logLevel", "", ""},
		"IndexReplica":         {"A minimum of the ValdRelease API.", vald + "gateway.indexReplica", 0, "should be greater than or equal to 1"},
		"Concurrency":          {"A minimum of the ValdRelease API.", vald + "indexer.concurrency", 0, "should be greater than or equal to 1"},
		"Dimension":            {"NGT needs two dimensions.", vald + "agent.ngt.dimension", 1, "should be greater than or equal to 2"},
		"ServiceType":          {"An enum of the ValdRelease API.", vald + "gateway.serviceType", "ExternalName", "Unsupported value: \"ExternalName\""},
		"DiscovererKind":       {"An enum of the ValdRelease API.", vald + "discoverer.kind", "StatefulSet", "Unsupported value: \"StatefulSet\""},
		"NegativeReplicas":     {"minReplicas has a minimum in the ValdRelease API.", "spec.infrastructure.0.nodePools.agent.replicas", -1, "should be greater than or equal to 0"},
		"NoGeneralPool":        {"The gateway, the discoverer and the index manager need one.", "spec.infrastructure.0.nodePools.general", nil, "a pool named general is required"},
		"CPUIsNoQuantity":      {"It would count as 0.", "spec.infrastructure.0.nodePools.agent.machineResource.cpu", "eight", "must be a quantity that is not negative"},
		"MemoryIsNegative":     {"Agents would request less than nothing.", "spec.infrastructure.0.nodePools.agent.machineResource.memory", "-1Gi", "must be a quantity that is not negative"},
		"RoleIsNoLabel":        {"The ValdRelease would be refused for its labels.", "spec.infrastructure.0.role", "hot and cold", "must be a legal value of a label"},
		"TypeIsNoLabel":        {"The ValdRelease would be refused for its labels.", "spec.infrastructure.0.type", "-", "must be a legal value of a label"},
		"NameIsIllegal":        {"The ValdRelease would be refused for its name.", "spec.infrastructure.0.clusters.0.name", "Cluster_A", "must be part of a legal name"},
		"NameIsEmpty":          {"The ValdRelease would have no name.", "spec.infrastructure.0.clusters.0.name", "", "should be at least 1 chars long"},
		"NoID":                 {"Another system fills it in later.", "spec.infrastructure.0.clusters.0.id", nil, ""},
		"SameNameInOneEntry": {"Both would give one ValdRelease.", "spec.infrastructure.0.clusters",
			[]any{map[string]any{"id": "1", "name": "a"}, map[string]any{"id": "2", "name": "a"}}, "the name of a cluster must be unique"},
		"NoClusters":           {"The status says it.", "spec.infrastructure.0.clusters", []any{}, ""},
		"OverlayIsAnArray":     {"Its root is a ValdRelease.", vald + "overlay", []any{}, "must be of type object: \"array\""},
		"OverlayIsAString":     {"Its root is a ValdRelease.", vald + "overlay", "spec: {}", "must be of type object: \"string\""},
		"OverlayWithAnything":  {"The build says what is wrong with it.", vald + "overlay", map[string]any{"spec": map[string]any{"x": []any{1, "a"}}}, ""},
		"NothingAboutIndexer":  {"All of it has defaults.", vald + "indexer", nil, ""},
		"NothingAboutDefaults": {"All of it has defaults.", vald + "defaults", nil, ""},
	}
	v := validator(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := examples(t)[documentation+"/0"]
			change(t, object, strings.Split(tc.path, "."), tc.value)
			got := ""
			if errs := v.Validate(object, nil); len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("\n%s\nValidate(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// change a document at a path. A nil value removes.
func change(t *testing.T, object any, path []string, value any) {
	t.Helper()
	if list, ok := object.([]any); ok {
		change(t, list[0], path[1:], value)
		return
	}
	members := object.(map[string]any)
	if len(path) > 1 {
		change(t, members[path[0]], path[1:], value)
		return
	}
	if value == nil {
		delete(members, path[0])
		return
	}
	members[path[0]] = value
}

func TestTheAPIRefusesOneNameInTwoEntries(t *testing.T) {
	object := examples(t)["vald-clusters.yaml/0"]
	entries, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "infrastructure")
	change(t, entries.([]any)[1], []string{"clusters"}, []any{map[string]any{"id": "x", "name": "tokyo"}})
	errs := validator(t).Validate(object, nil)
	if len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), "the name of a cluster must be unique in the object") {
		t.Errorf("Validate(...): want a message about the name, got %v", errs.ToAggregate())
	}
}

func TestKubectlShowsPhaseCompletedTotalAge(t *testing.T) {
	crd, err := definition.CustomResourceDefinition(definition.KindValdOperatorRelease)
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, column := range crd.Spec.Versions[0].AdditionalPrinterColumns {
		columns = append(columns, column.Name+" "+column.JSONPath)
	}
	want := []string{
		"PHASE .status.phase", "COMPLETED .status.progress.completed", "TOTAL .status.progress.total",
		// Crossplane adds these to every kind, the age last.
		"SYNCED .status.conditions[?(@.type=='Synced')].status", "READY .status.conditions[?(@.type=='Ready')].status",
		"COMPOSITION .spec.crossplane.compositionRef.name", "COMPOSITIONREVISION .spec.crossplane.compositionRevisionRef.name",
		"AGE .metadata.creationTimestamp",
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Errorf("columns: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"vor"}, crd.Spec.Names.ShortNames); diff != "" {
		t.Errorf("short names: -want, +got:\n%s", diff)
	}
}
