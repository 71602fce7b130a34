// Package apiserver tries the commands against a real API server, which alone knows paging, managed fields and
// conflicts, dry runs and the validation of the kinds. It needs the binaries of make plugin-apiserver.
package apiserver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// binaries of the API server and its etcd, as make builds them.
const binaries = "../../.cache/bin"

// A server that serves what Crossplane would, with nobody who works on it.
type server struct {
	*dynamic.DynamicClient
	config     *rest.Config
	kubeconfig string
}

// start a server until the test ends. Without its binaries the test is skipped.
func start(t testing.TB) *server {
	t.Helper()
	folder := os.Getenv("E2E_BIN")
	if folder == "" {
		folder = binaries
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Skipf("there is no %s here: make plugin-apiserver builds it", name)
		}
	}
	log.SetLogger(logr.Discard())
	environment := &envtest.Environment{
		ControlPlane:      envtest.ControlPlane{Etcd: &envtest.Etcd{Path: filepath.Join(folder, "etcd")}},
		CRDInstallOptions: envtest.CRDInstallOptions{CRDs: kinds(t)},
	}
	environment.ControlPlane.GetAPIServer().Path = filepath.Join(folder, "kube-apiserver")
	// The Services in the files have their addresses.
	environment.ControlPlane.GetAPIServer().Configure().Set("service-cluster-ip-range", "10.96.0.0/16")
	// A start that fails half-way leaves processes behind, too.
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Errorf("cannot stop the API server: %v", err)
		}
	})
	config, err := environment.Start()
	if err != nil {
		t.Fatalf("cannot start the API server: %v", err)
	}
	config.QPS, config.Burst = -1, 0
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	user, err := environment.AddUser(envtest.User{Name: "jane", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{DynamicClient: client, config: config, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	if err := os.WriteFile(s.kubeconfig, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// run the plugin in process.
func (s *server) run(t *testing.T, args ...string) fixture.Result {
	t.Helper()
	return fixture.Run(t, nil, "", append(args, "--kubeconfig", s.kubeconfig)...)
}

// kinds of ours, and as much of those of Crossplane and its provider as the plugin reads.
func kinds(t testing.TB) []*extv1.CustomResourceDefinition {
	t.Helper()
	out := []*extv1.CustomResourceDefinition{
		open("kubernetes.m.crossplane.io", "v1alpha1", "Object", "objects", extv1.NamespaceScoped),
		open("apiextensions.crossplane.io", "v1", "Composition", "compositions", extv1.ClusterScoped),
		open("apiextensions.crossplane.io", "v1", "CompositionRevision", "compositionrevisions", extv1.ClusterScoped),
		open("pkg.crossplane.io", "v1", "Function", "functions", extv1.ClusterScoped),
		open("pkg.crossplane.io", "v1", "FunctionRevision", "functionrevisions", extv1.ClusterScoped),
	}
	for _, kind := range []definition.Kind{definition.KindChroma, definition.KindValdOperatorRelease} {
		crd, err := definition.CustomResourceDefinition(kind)
		if err != nil {
			t.Fatal(err)
		}
		// Nobody has installed the definition that would own it.
		crd.OwnerReferences = nil
		out = append(out, crd)
	}
	return out
}

// open is a kind that takes every field.
func open(group, version, kind, plural string, scope extv1.ResourceScope) *extv1.CustomResourceDefinition {
	crd := &extv1.CustomResourceDefinition{Spec: extv1.CustomResourceDefinitionSpec{
		Group: group, Scope: scope, Names: extv1.CustomResourceDefinitionNames{Kind: kind, Plural: plural},
		Versions: []extv1.CustomResourceDefinitionVersion{{Name: version, Served: true, Storage: true, Schema: &extv1.CustomResourceValidation{
			OpenAPIV3Schema: &extv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)},
		}}},
	}}
	crd.Name = plural + "." + group
	return crd
}

func chromas() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "chroma.chromadotnet.org", Version: "v1alpha1", Resource: "chromas"}
}
