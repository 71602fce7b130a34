//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Environment variables by which the test's binary knows what it was started as.
const (
	variableRole     = "E2E_ROLE"
	variableFolder   = "E2E_FOLDER"
	variableBinaries = "E2E_BINARIES"
	variableKeep     = "E2E_KEPT"

	roleSupervisor = "supervisor"
	roleNode       = "node"
)

// Main is called first of all in a test's TestMain. It does not return when this process was started as a part of a
// cluster.
func Main() {
	var err error
	options := Options{Folder: os.Getenv(variableFolder), Binaries: os.Getenv(variableBinaries), Keep: os.Getenv(variableKeep) != ""}
	switch os.Getenv(variableRole) {
	case roleSupervisor:
		err = supervise(context.Background(), options)
	case roleNode:
		err = runNode(context.Background(), options)
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// again is this very binary in another role.
func again(ctx context.Context, role string, options Options) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this binary: %w", err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), variableRole+"="+role, variableFolder+"="+options.Folder, variableBinaries+"="+options.Binaries)
	if options.Keep {
		cmd.Env = append(cmd.Env, variableKeep+"=1")
	}
	return cmd, nil
}

// supervise the node until the test ends, and leave nothing behind.
func supervise(ctx context.Context, options Options) error {
	// The node dies with the thread that made it.
	runtime.LockOSThread()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT)

	groups, err := newCgroups(options.Folder)
	if err != nil {
		return err
	}
	node, err := startNode(ctx, options)
	if err != nil {
		return errors.Join(err, groups.remove())
	}
	ended := make(chan error, 1)
	go func() { ended <- node.Wait() }()

	for file, pid := range map[string]int{supervisorFile: os.Getpid(), initFile: node.Process.Pid} {
		if err := os.WriteFile(filepath.Join(options.Folder, file), []byte(strconv.Itoa(pid)), 0o600); err != nil {
			return errors.Join(fmt.Errorf("cannot say what runs: %w", err), node.Process.Kill(), <-ended, groups.remove())
		}
	}
	gone := make(chan struct{})
	if !options.Keep {
		go func() {
			// Nothing is ever written: the read ends when the test has ended.
			_, _ = io.Copy(io.Discard, os.NewFile(3, "test"))
			close(gone)
		}()
	}

	select {
	case err = <-ended:
		err = fmt.Errorf("cannot keep the node running: it ended: %w", err)
	case <-stop:
		err = kill(node, ended)
	case <-gone:
		err = kill(node, ended)
	}
	return errors.Join(err, groups.remove(), removeState(options.Folder))
}

// kill the node and everything that runs in it.
func kill(node *exec.Cmd, ended <-chan error) error {
	if err := node.Process.Kill(); err != nil {
		return fmt.Errorf("cannot kill the node: %w", err)
	}
	// The kernel has ended every process of the node before it reports the first one's end, which is no success.
	if err := <-ended; err == nil {
		return errors.New("cannot kill the node: it ended by itself")
	}
	return nil
}

// startNode in namespaces of its own. dumb-init takes in the processes that containers leave behind.
func startNode(ctx context.Context, options Options) (*exec.Cmd, error) {
	cmd, err := again(ctx, roleNode, options)
	if err != nil {
		return nil, err
	}
	self := cmd.Path
	if cmd.Path, err = exec.LookPath("dumb-init"); err != nil {
		return nil, fmt.Errorf("cannot start the node: %w", err)
	}
	cmd.Args = []string{"dumb-init", "--", self}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET,
		Pdeathsig:  unix.SIGKILL,
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the node: %w", err)
	}
	return cmd, nil
}

// removeState of a cluster. The logs stay.
func removeState(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("cannot clean the cluster's folder: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == "log" {
			continue
		}
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
	}
	return err
}
