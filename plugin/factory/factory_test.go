package factory

import (
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// TestWithoutAKubeconfigThatIsSaid: client-go would take a port of this machine.
func TestWithoutAKubeconfigThatIsSaid(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := (Factory{Connection: genericclioptions.NewConfigFlags(true)}).Client(); exit.CodeOf(err) != exit.Usage || !strings.Contains(err.Error(), "--kubeconfig") {
		t.Errorf("want a word on --kubeconfig, got %v", err)
	}
	connection := genericclioptions.NewConfigFlags(true)
	*connection.APIServer = "http://127.0.0.1:1"
	if _, err := (Factory{Connection: connection}).Client(); err != nil {
		t.Errorf("a server that is named needs none, got %v", err)
	}
}
