package checks_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/test/names"
)

// Credentials of the tests. No output of any check may hold the secret ones.
const (
	username, password            = "chroma", "Pg.s3cret~9f1c"
	accessKey, secretKey          = "AKIACHROMA", "S3.s3cret~77aa"
	wrongPassword, wrongSecretKey = "Pg.wr0ng~41d0", "S3.wr0ng~5be2"
)

// banner that a server of the tests sends. No output of any check may hold it.
const banner = "b4nner-6d2e"

// logged is what is written to the log of this process, by whatever library.
type logged struct {
	mu      sync.Mutex
	written strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(p)
}

// TestMain looks for secrets in the log, once every test has run. A proxy in the environment, where nothing listens,
// shows in every test with a host name that none is used. Go reads it once in a process, and takes none for loopback
// addresses.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"HTTP_PROXY": "http://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	written := &logged{}
	log.SetOutput(written)
	code := m.Run()
	for _, secret := range secrets() {
		if strings.Contains(written.written.String(), secret) {
			fmt.Fprintf(os.Stderr, "%q is in the log:\n%s\n", secret, written.written.String())
			code = 1
		}
	}
	os.Exit(code)
}

// secrets in the forms in which they could get out.
func secrets() []string {
	var forms []string
	for _, secret := range []string{password, secretKey, wrongPassword, wrongSecretKey, banner} {
		forms = append(forms, secret, base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)))
	}
	return forms
}

// loopback is opened for the tests as an operator would open it.
func loopback() settings.Checks { return settings.Checks{HostsAllowed: []string{"127.0.0.0/8"}} }

// missing ends a test whose server cannot be had: nobody looks at skipped tests in CI.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// now is a clock that stands.
func now() func() time.Time {
	at := time.Now()
	return func() time.Time { return at }
}

// newChecker with a clock that stands, and names that the given zone resolves.
func newChecker(t *testing.T, zone map[string]string, change func(*checks.Environment, *checks.Limits)) *checks.Checker {
	t.Helper()
	environment := checks.Environment{
		Now:      now(),
		Resolver: names.Resolver(t, zone),
		Search:   []string{"crossplane-system.svc.cluster.test", "svc.cluster.test", "cluster.test"},
	}
	limits := checks.DefaultLimits()
	// A machine that is busy with other tests may answer slowly. What is tested of the limits sets its own.
	limits.Patience, limits.Bound = 30*time.Second, 60*time.Second
	if change != nil {
		change(&environment, &limits)
	}
	return checks.New(environment, limits)
}

// ask a question, and look for secrets in everything that comes of it.
func ask(t *testing.T, checker *checks.Checker, question checks.Question) distributed.Checks {
	t.Helper()
	got := checker.Check(context.Background(), question)
	search(t, fmt.Sprintf("%+v", got))
	return got
}

// search for what must not get out.
func search(t *testing.T, output string) {
	t.Helper()
	for _, secret := range secrets() {
		if strings.Contains(output, secret) {
			t.Errorf("%q is in the output: %s", secret, output)
		}
	}
}

// listen on a free port, and serve each connection.
func listen(t *testing.T, serve func(net.Conn)) (host string, port int32) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	address := listener.Addr().(*net.TCPAddr)
	return address.IP.String(), int32(address.Port)
}

// freePort that nothing listens on.
func freePort(t *testing.T) int32 {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return int32(listener.Addr().(*net.TCPAddr).Port)
}

// silent accepts a connection, and says nothing.
func silent(t *testing.T) func(net.Conn) {
	t.Helper()
	return func(conn net.Conn) { t.Cleanup(func() { _ = conn.Close() }) }
}

// waitForPort until something accepts.
func waitForPort(t *testing.T, port int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address("127.0.0.1", port))
		if err == nil {
			_ = conn.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the server does not start: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
