package server

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// Require returns the server of a Chroma release. Where it cannot be had the test is skipped, in CI it fails.
func Require(tb testing.TB, version string) Program {
	tb.Helper()
	program, err := Install(tb.Context(), version)
	if errors.Is(err, ErrUnavailable) && os.Getenv("CI") != "true" {
		tb.Skipf("needs Node, npm and, where glibc is older than %s, Debian's packages: %v", wantedLibc, err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return program
}

// Start starts a server that ends with the test at the latest, and fails the test when it does not answer.
func Start(tb testing.TB, program Program, options Options) *Server {
	tb.Helper()
	server, err := Run(tb.Context(), program, options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := server.Kill(); err != nil {
			tb.Error(err)
		}
	})
	return server
}

// StopClean stops a server with SIGTERM and fails the test unless it ends with code 0 before the kubelet would kill it.
func StopClean(tb testing.TB, server *Server) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 30*time.Second)
	defer cancel()
	code, err := server.Stop(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	if code != 0 {
		tb.Fatalf("SIGTERM: want exit code 0, got %d:\n%s", code, server.Output())
	}
}
