package definition

import (
	"testing"

	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis"
)

// TestCustomResourceDefinition has what kubectl shows of a kind, and holds each definition against the API server, which
// also estimates what its rules cost and refuses those that cost too much.
func TestCustomResourceDefinition(t *testing.T) {
	cases := map[Kind]struct {
		reason     string
		name       string
		scope      extv1.ResourceScope
		shortNames []string
		// columns that a plain kubectl get shows first, after NAME.
		columns []string
	}{
		KindChroma: {
			reason: "The namespaced kind has the columns that users of the original operator know.",
			name:   "chromas.chroma.chromadotnet.org", scope: extv1.NamespaceScoped,
			columns: []string{"PHASE", "IMAGE", "DATA", "AGE"},
		},
		KindChromaClaim: {
			reason: "A claim is the same kind, with the same columns.",
			name:   "chromas.chroma.chromadotnet.org", scope: extv1.NamespaceScoped,
			columns: []string{"PHASE", "IMAGE", "DATA", "AGE"},
		},
		KindXChroma: {
			reason: "The XR behind a claim is cluster-scoped.",
			name:   "xchromas.chroma.chromadotnet.org", scope: extv1.ClusterScoped,
			columns: []string{"PHASE", "IMAGE", "DATA", "AGE"},
		},
		KindValdOperatorRelease: {
			reason: "The short name is the one of the Vald Operator.",
			name:   "valdoperatorreleases.vald.vdaas.org", scope: extv1.NamespaceScoped, shortNames: []string{"vor"},
			columns: []string{"PHASE", "COMPLETED", "TOTAL"},
		},
	}
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			tc := cases[kind]
			crd, err := CustomResourceDefinition(kind)
			if err != nil {
				t.Fatal(err)
			}
			got := tc
			got.name, got.scope, got.shortNames, got.columns = crd.Name, crd.Spec.Scope, crd.Spec.Names.ShortNames, nil
			for _, column := range crd.Spec.Versions[0].AdditionalPrinterColumns[:len(tc.columns)] {
				if column.Priority == 0 {
					got.columns = append(got.columns, column.Name)
				}
			}
			if diff := cmp.Diff(tc, got, cmp.AllowUnexported(tc)); diff != "" {
				t.Errorf("\n%s\nCustomResourceDefinition(%s): -want, +got:\n%s", tc.reason, kind, diff)
			}

			extv1.SetDefaults_CustomResourceDefinition(crd)
			crd.OwnerReferences = nil // The definition has no UID outside a cluster.
			internal := &apiextensions.CustomResourceDefinition{}
			if err := extv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
				t.Fatal(err)
			}
			internal.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
			if errs := validation.ValidateCustomResourceDefinition(t.Context(), internal); len(errs) > 0 {
				t.Errorf("an API server would refuse the CustomResourceDefinition of %s: %v", kind, errs)
			}
		})
	}
}

func TestUnknownKind(t *testing.T) {
	if _, err := CustomResourceDefinition("Pod"); err == nil {
		t.Error("CustomResourceDefinition(Pod): want an error for a kind that is not ours")
	}
}

func TestCompositions(t *testing.T) {
	cases := map[string]struct{ reason, apiVersion, kind, step string }{
		"chroma": {reason: "The namespaced XR.", apiVersion: "chroma.chromadotnet.org/v1alpha1", kind: "Chroma", step: "chroma"},
		"claims": {reason: "A claim has no Composition: its XR has.", apiVersion: "chroma.chromadotnet.org/v1alpha1", kind: "XChroma", step: "chroma"},
		"vald":   {reason: "The same function composes it.", apiVersion: "vald.vdaas.org/v1", kind: "ValdOperatorRelease", step: "vald"},
	}
	for folder, tc := range cases {
		t.Run(folder, func(t *testing.T) {
			raw, err := apis.Files().ReadFile(folder + "/composition.yaml")
			if err != nil {
				t.Fatal(err)
			}
			composition := &xpv1.Composition{}
			if err := yaml.UnmarshalStrict(raw, composition); err != nil {
				t.Fatal(err)
			}
			want := xpv1.CompositionSpec{
				CompositeTypeRef: xpv1.TypeReference{APIVersion: tc.apiVersion, Kind: tc.kind},
				Mode:             xpv1.CompositionModePipeline,
				Pipeline:         []xpv1.PipelineStep{{Step: tc.step, FunctionRef: xpv1.FunctionReference{Name: "function-chroma"}}},
			}
			if diff := cmp.Diff(want, composition.Spec); diff != "" {
				t.Errorf("\n%s\nComposition: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
