package server

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// Require returns the server of a Chroma release. Where it cannot be had the test is skipped, in CI it fails.
func Require(t testing.TB, version string) Program {
	t.Helper()
	program, err := Install(t.Context(), version)
	if errors.Is(err, ErrUnavailable) && os.Getenv("CI") != "true" {
		t.Skipf("needs Node, npm and, where glibc is older than %s, Debian's packages: %v", wantedLibc, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// Start starts a server that ends with the test at the latest, and fails the test when it does not answer.
func Start(t testing.TB, program Program, options Options) *Server {
	t.Helper()
	server, err := Run(t.Context(), program, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Kill(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// StopClean stops a server with SIGTERM and fails the test unless it ends with code 0 before the kubelet would kill it.
func StopClean(t testing.TB, server *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	code, err := server.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		t.Fatalf("SIGTERM: want exit code 0, got %d:\n%s", code, server.Output())
	}
}
