package check_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/check"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/test/names"
)

func TestAStoreWhoseBucketHasNoNameOfItsOwnIsNamed(t *testing.T) {
	// Chroma asks for <bucket>.<store>, and only the store has a name here.
	address := store(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	_, port, _ := strings.Cut(strings.TrimPrefix(address, "http://"), ":")
	server := fixture.Serve(t, vectors(t, "http://store.test:"+port, "store.test", "*.store.test")...)
	server.Fault = (&world{}).fault
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	connection, color, namespace, devNull := genericclioptions.NewConfigFlags(true), "never", "default", os.DevNull
	connection.APIServer, connection.Namespace, connection.KubeConfig = &server.URL, &namespace, &devNull
	command := check.NewWith(factory.Factory{
		Streams: streams, Connection: connection, Color: &color, Getenv: func(string) string { return "" }, Now: fixture.Now,
	}, names.Resolver(t, map[string]string{"store.test": "127.0.0.1"}))
	command.SetArgs([]string{"demo", "--postgres=false"})
	command.SilenceErrors, command.SilenceUsage = true, true
	err := command.ExecuteContext(t.Context())
	flat := strings.Join(strings.Fields(out.String()), " ")
	// The cluster may know the name, so it is a warning from here.
	if exit.CodeOf(err) != exit.Fine || !strings.Contains(flat, "warning Bucket from here VirtualHostNotResolvable") || !strings.Contains(flat, ".store.test, and that name does not resolve") {
		t.Errorf("want a warning about the bucket's name, got %v:\n%s%s", err, out, errOut)
	}
}
