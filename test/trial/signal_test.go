package trial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/test/server"
)

// TestTermWithOpenRequest shows why a full grace period is a normal case: Chroma 1.0.21 and later wait on SIGTERM for
// requests that have begun, however slow the client is.
func TestTermWithOpenRequest(t *testing.T) {
	folder, collection := filled(t, server.Require(t, newest))
	running := server.Start(t, server.Require(t, newest), server.Options{Volume: folder})
	const body = `{"ids": ["slow"], "embeddings": [[1, 0, 0, 0, 0, 0, 0, 0]]}`
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(running.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	// A server that says "continue" has begun with the request, and waits for its body.
	if _, err := fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: chroma\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		"/api/v2/tenants/default_tenant/databases/default_database/collections/"+collection+"/add", len(body)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(connection)
	if got, want := status(t, reader), http.StatusContinue; want != got {
		t.Fatalf("the open request: want status %d, which asks for its body, got %d", want, got)
	}
	if _, err := fmt.Fprint(connection, body[:10]); err != nil {
		t.Fatal(err)
	}
	if err := running.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if code, err := running.Wait(wait); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Wait(...): want a server that waits for its open request, got exit code %d, %v", code, err)
	}
	if _, err := fmt.Fprint(connection, body[10:]); err != nil {
		t.Fatal(err)
	}
	if got, want := status(t, reader), http.StatusCreated; want != got {
		t.Errorf("the open request: want status %d, got %d", want, got)
	}
	end, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	code, err := running.Wait(end)
	if err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		t.Errorf("Wait(...): want exit code 0 once the request has ended, got %d", code)
	}
}

// status returns that of the next answer on a connection.
func status(t *testing.T, reader *bufio.Reader) int {
	t.Helper()
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}
