package checks_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestBucket(t *testing.T) {
	plain := startStore(t)
	trusted, other := newAuthority(t), newAuthority(t)
	certificate, key := trusted.issue(t, "127.0.0.1")
	folder := t.TempDir()
	for name, content := range map[string]string{"cert": certificate, "key": key} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secure := startStore(t, "--cert", filepath.Join(folder, "cert"), "--key", filepath.Join(folder, "key"))

	byAddress, byName := endpoint("http", "127.0.0.1", plain), endpoint("http", "s3.test", plain)
	cases := map[string]struct {
		reason    string
		change    func(*distributed.BucketTarget)
		untrusted bool
		want      reason.Reason
	}{
		"Address":            {reason: "an IP address keeps the bucket in the path", want: reason.CheckPassed},
		"Name":               {reason: "a name takes the bucket in front", change: func(b *distributed.BucketTarget) { b.Endpoint = byName }, want: reason.CheckPassed},
		"WrongSecretKey":     {reason: "the signature is not right", change: func(b *distributed.BucketTarget) { b.SecretAccessKey = wrongSecretKey }, want: reason.AuthenticationFailed},
		"WrongAccessKey":     {reason: "there is no such key", change: func(b *distributed.BucketTarget) { b.AccessKeyID = "AKIAABSENT" }, want: reason.AuthenticationFailed},
		"NoBucket":           {reason: "Chroma does not create it", change: func(b *distributed.BucketTarget) { b.Bucket = "absent" }, want: reason.BucketNotFound},
		"NoBucketByName":     {reason: "the same by name", change: func(b *distributed.BucketTarget) { b.Endpoint, b.Bucket = byName, "absent" }, want: reason.BucketNotFound},
		"Denied":             {reason: "the bucket is somebody else's", change: func(b *distributed.BucketTarget) { b.Bucket = "private" }, want: reason.AccessDenied},
		"DeniedByName":       {reason: "the same by name", change: func(b *distributed.BucketTarget) { b.Endpoint, b.Bucket = byName, "private" }, want: reason.AccessDenied},
		"WrongRegion":        {reason: "the signature names the region", change: func(b *distributed.BucketTarget) { b.Region = "eu-central-1" }, want: reason.AuthenticationFailed},
		"VirtualHost":        {reason: "the store resolves, and the bucket in front of it does not", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("http", "store.test", plain) }, want: reason.VirtualHostNotResolvable},
		"VirtualHostService": {reason: "no Service has names below its own", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("http", "store", plain) }, want: reason.VirtualHostNotResolvable},
		"Dotted": {reason: "a bucket with dots stays in the path", change: func(b *distributed.BucketTarget) {
			b.Endpoint, b.Bucket = endpoint("http", "store.test", plain), "a.b.c"
		}, want: reason.BucketNotFound},
		"NoName":     {reason: "neither of them resolves", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("http", "absent.test", plain) }, want: reason.Unreachable},
		"ClosedPort": {reason: "nothing listens", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("http", "127.0.0.1", freePort(t)) }, want: reason.Unreachable},
		"TLS": {reason: "the authority is trusted", change: func(b *distributed.BucketTarget) {
			b.Endpoint, b.Bucket = endpoint("https", "127.0.0.1", secure), "absent"
		}, want: reason.AuthenticationFailed},
		"TLSWrongName": {reason: "the certificate is for another name", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("https", "s3.test", secure) }, want: reason.TLSFailed},
		"TLSUntrusted": {reason: "the authority is not trusted", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("https", "127.0.0.1", secure) }, untrusted: true, want: reason.TLSFailed},
		"TLSToPlain":   {reason: "the store has no TLS", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("https", "127.0.0.1", plain) }, want: reason.TLSFailed},
		"PlainToTLS":   {reason: "the store has nothing but TLS", change: func(b *distributed.BucketTarget) { b.Endpoint = endpoint("http", "127.0.0.1", secure) }, want: reason.Unreachable},
	}
	zone := map[string]string{
		"s3.test": "127.0.0.1", "chroma-storage.s3.test": "127.0.0.1", "absent.s3.test": "127.0.0.1", "private.s3.test": "127.0.0.1",
		"store.test": "127.0.0.1", "store.tenant.svc.cluster.test": "127.0.0.1",
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			checker := newChecker(t, zone, func(environment *checks.Environment, _ *checks.Limits) {
				environment.Roots = trusted.pool()
				if tc.untrusted {
					environment.Roots = other.pool()
				}
			})
			target := distributed.BucketTarget{Endpoint: byAddress, Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: accessKey, SecretAccessKey: secretKey}
			if tc.change != nil {
				tc.change(&target)
			}
			got := ask(t, checker, checks.Question{Namespace: "tenant", Targets: distributed.Targets{ObjectStorage: &target}, Settings: loopback()})
			if got.ObjectStorage.Reason != tc.want {
				t.Errorf("\n%s\nCheck(...): want %s, got %+v", tc.reason, tc.want, got.ObjectStorage)
			}
			if (got.ObjectStorage.Status == pass.True) != (tc.want == reason.CheckPassed) {
				t.Errorf("\n%s\nCheck(...): the status does not fit the reason: %+v", tc.reason, got)
			}
		})
	}
}

// TestBucketStrangers: servers that are no store, or one that means harm.
func TestBucketStrangers(t *testing.T) {
	var led atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	defer elsewhere.Close()
	t.Setenv("AWS_ENDPOINT_URL", elsewhere.URL)
	t.Setenv("AWS_ENDPOINT_URL_S3", elsewhere.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAENVIRONMENT")

	refusal := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Server", banner)
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s %s</Message><Region>%s</Region></Error>", code, banner, secretKey, banner)
		}
	}
	cases := map[string]struct {
		reason string
		serve  http.HandlerFunc
		want   reason.Reason
	}{
		"Redirect": {reason: "a redirect leads wherever the other side likes", serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, want: reason.Unreachable},
		"OtherRegion":  {reason: "the bucket is in another region", serve: refusal(http.StatusMovedPermanently, "PermanentRedirect"), want: reason.BucketNotFound},
		"WrongRegion":  {reason: "the signature names another region", serve: refusal(http.StatusBadRequest, "AuthorizationHeaderMalformed"), want: reason.AuthenticationFailed},
		"Clocks":       {reason: "signatures have a time", serve: refusal(http.StatusForbidden, "RequestTimeTooSkewed"), want: reason.AuthenticationFailed},
		"NoKey":        {reason: "the code tells more than the status", serve: refusal(http.StatusForbidden, "InvalidAccessKeyId"), want: reason.AuthenticationFailed},
		"Forbidden":    {reason: "without a code the status counts", serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, want: reason.AccessDenied},
		"Unauthorized": {reason: "a proxy in front of the store, perhaps", serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, want: reason.AuthenticationFailed},
		"Busy":         {reason: "the store is not well", serve: refusal(http.StatusServiceUnavailable, "SlowDown"), want: reason.Unreachable},
		"Page":         {reason: "a web server is no store", serve: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>"+banner+"</html>") }, want: reason.Unreachable},
		"Empty":        {reason: "nor is one that says nothing", serve: func(http.ResponseWriter, *http.Request) {}, want: reason.Unreachable},
		"NotFound":     {reason: "nor one without the path", serve: func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, want: reason.Unreachable},
		"Code":         {reason: "a code that S3 does not have is not told", serve: refusal(http.StatusTeapot, banner), want: reason.Unreachable},
		"Endless": {reason: "an answer without end is not waited for", serve: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<ListBucketResult><Name>")
			for part := strings.Repeat("a", 1<<16); ; {
				if _, err := io.WriteString(w, part); err != nil {
					return
				}
			}
		}, want: reason.Unreachable},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tc.serve)
			defer server.Close()
			target := distributed.BucketTarget{Endpoint: server.URL, Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: accessKey, SecretAccessKey: secretKey}
			got := ask(t, newChecker(t, nil, nil), checks.Question{Targets: distributed.Targets{ObjectStorage: &target}, Settings: loopback()})
			if got.ObjectStorage.Reason != tc.want || got.ObjectStorage.Status != pass.False {
				t.Errorf("\n%s\nCheck(...): want %s, got %+v", tc.reason, tc.want, got.ObjectStorage)
			}
		})
	}
	if led.Load() != 0 {
		t.Error("neither redirects nor the environment lead anywhere else")
	}
}

// TestBucketRefusedHosts: the bucket's own name is one that the user chooses too.
func TestBucketRefusedHosts(t *testing.T) {
	var connections atomic.Int32
	_, port := listen(t, func(conn net.Conn) {
		connections.Add(1)
		_ = conn.Close()
	})
	zone := map[string]string{"s3.test": "10.0.0.1", "chroma-storage.s3.test": "127.0.0.1"}
	cases := map[string]struct {
		reason, host    string
		allowed, denied []string
	}{
		"Address":     {reason: "refused by default", host: "127.0.0.1"},
		"VirtualHost": {reason: "where the bucket's name leads counts, and not where the store's does", host: "s3.test"},
		"OtherName":   {reason: "an entry for the store opens no name below it", host: "s3.test", allowed: []string{"s3.test"}},
		"Denied":      {reason: "a denied store is denied with the bucket in front", host: "s3.test", allowed: []string{"127.0.0.1"}, denied: []string{"s3.test"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			target := distributed.BucketTarget{Endpoint: endpoint("http", tc.host, port), Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: accessKey, SecretAccessKey: secretKey}
			question := checks.Question{Targets: distributed.Targets{ObjectStorage: &target}}
			question.Settings.HostsAllowed, question.Settings.HostsDenied = tc.allowed, tc.denied
			if got := ask(t, newChecker(t, zone, nil), question); got.ObjectStorage.Reason != reason.HostNotAllowed {
				t.Errorf("\n%s\nCheck(...): got %+v", tc.reason, got.ObjectStorage)
			}
		})
	}
	if got := connections.Load(); got != 0 {
		t.Errorf("there were %d connections", got)
	}
}

// TestBucketSilent: a store that accepts and says nothing holds up no call, nor the other check.
func TestBucketSilent(t *testing.T) {
	checker := newChecker(t, nil, func(_ *checks.Environment, limits *checks.Limits) {
		limits.Patience, limits.Bound = 50*time.Millisecond, 500*time.Millisecond
	})
	host, port := listen(t, silent(t))
	closed := distributed.PostgresTarget{Host: host, Port: freePort(t), Database: "sysdb", SSLMode: "disable", Username: username, Password: password}
	question := checks.Question{Settings: loopback(), Targets: distributed.Targets{Postgres: &closed, ObjectStorage: &distributed.BucketTarget{
		Endpoint: endpoint("http", host, port), Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: accessKey, SecretAccessKey: secretKey,
	}}}
	got := ask(t, checker, question)
	if got.ObjectStorage.Status != "" {
		t.Errorf("the first call has no answer, got %+v", got.ObjectStorage)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for (got.ObjectStorage.Status == "" || got.Postgres.Status == "") && ctx.Err() == nil {
		got = ask(t, checker, question)
	}
	if got.ObjectStorage.Reason != reason.Timeout || got.Postgres.Reason != reason.Unreachable {
		t.Errorf("a later one has it, got %+v", got)
	}
}
