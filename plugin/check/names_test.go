package check_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/check"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// resolver that knows one name, at 127.0.0.1.
func resolver(t *testing.T, known string) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go serveNames(conn, known)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func serveNames(conn net.PacketConn, known string) {
	buffer := make([]byte, 512)
	for {
		size, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(buffer[:size]) != nil || len(message.Questions) != 1 {
			continue
		}
		question := message.Questions[0]
		message.Header, message.Additionals = dnsmessage.Header{ID: message.ID, Response: true, Authoritative: true}, nil
		switch {
		case question.Name.String() != known+".":
			message.RCode = dnsmessage.RCodeNameError
		case question.Type == dnsmessage.TypeA:
			message.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: 1},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr("127.0.0.1").As4()},
			}}
		}
		if packed, err := message.Pack(); err == nil {
			_, _ = conn.WriteTo(packed, from)
		}
	}
}

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
	}, resolver(t, "store.test"))
	command.SetArgs([]string{"demo", "--postgres=false"})
	command.SilenceErrors, command.SilenceUsage = true, true
	err := command.ExecuteContext(t.Context())
	flat := strings.Join(strings.Fields(out.String()), " ")
	// The cluster may know the name, so it is a warning from here.
	if exit.CodeOf(err) != exit.Fine || !strings.Contains(flat, "warning Bucket from here VirtualHostNotResolvable") || !strings.Contains(flat, ".store.test, and that name does not resolve") {
		t.Errorf("want a warning about the bucket's name, got %v:\n%s%s", err, out, errOut)
	}
}
