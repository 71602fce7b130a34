//go:build e2e && linux

package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// TestLeavesNothing ends a cluster in every way, and looks for what is left of it.
func TestLeavesNothing(t *testing.T) {
	cases := map[string]struct {
		reason string
		end    func(*Cluster) error
	}{
		"Stopped":     {reason: "A test that ends stops its cluster.", end: (*Cluster).Stop},
		"Abandoned":   {reason: "A test that is killed lets go of its end of the pipe.", end: func(c *Cluster) error { return c.pipe.Close() }},
		"NodeDied":    {reason: "A node that dies ends the cluster.", end: func(c *Cluster) error { return unix.Kill(c.init, unix.SIGKILL) }},
		"Interrupted": {reason: "A supervisor that is told to end cleans up first.", end: func(c *Cluster) error { return unix.Kill(c.supervisor, unix.SIGINT) }},
	}
	if err := Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			folder := t.TempDir()
			c, err := Start(ctx, Options{Folder: folder, Binaries: os.Getenv("E2E_BIN")})
			if err != nil {
				t.Fatal(err)
			}
			if groups := cgroupsOf(t, folder); len(groups) == 0 {
				t.Fatal("the cluster has no cgroups")
			}
			if err := tc.end(c); err != nil {
				t.Fatal(err)
			}
			for range 200 {
				if errors.Is(unix.Kill(c.supervisor, 0), unix.ESRCH) {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			for _, pid := range []int{c.supervisor, c.init} {
				if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
					t.Errorf("\n%s\nprocess %d is left: %v", tc.reason, pid, err)
				}
			}
			if diff := cmp.Diff([]string(nil), cgroupsOf(t, folder)); diff != "" {
				t.Errorf("\n%s\ncgroups: -want, +got:\n%s", tc.reason, diff)
			}
			files, err := filepath.Glob(filepath.Join(folder, "*"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{filepath.Join(folder, "log")}, files); diff != "" {
				t.Errorf("\n%s\nfiles: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func cgroupsOf(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{cgroupName(folder), "*/" + cgroupName(folder)} {
		found, err := filepath.Glob(filepath.Join(cgroupRoot, pattern))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}
