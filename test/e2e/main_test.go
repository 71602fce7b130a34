//go:build e2e && linux

// Package e2e runs the packages of this project in a real cluster, with real Chroma servers. `make e2e` runs it on a
// cluster made for it. With E2E_CONTEXT it runs on the cluster of that context, never on the current one.
//
//	E2E_KEEP=1 E2E_DIR=/tmp/e2e make e2e RUN=TestUpgrade
//
// keeps the cluster for the next run, which then takes seconds. `make e2e-stop` ends it.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// world is the cluster that all tests of this package share: to make one takes longer than most tests.
var world *environment

func TestMain(m *testing.M) {
	cluster.Main()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	var err error
	if world, err = newEnvironment(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// From now on an interrupt ends this process, and with its end of the pipe the cluster.
	cancel()
	code := m.Run()
	if err := world.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
