//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Files with the process of the supervisor, and the first one of the node.
const (
	supervisorFile = "supervisor.pid"
	initFile       = "init.pid"
)

const (
	// NodeName of the only node.
	NodeName = "node1"
	// Address of the node, in its own network.
	Address = "10.89.0.1"
	// Registry that every image is pulled from, whatever it is called. It speaks plain HTTP.
	Registry = Address + ":5000"

	serviceRange = "10.96.0.0/16"
	podRange     = "10.244.0.0/16"
	dnsAddress   = "10.96.0.10"
	apiServer    = "https://" + Address + ":6443"
)

// Options of a cluster.
type Options struct {
	// Folder of everything that the cluster writes.
	Folder string
	// Binaries of Kubernetes, built by test/tools/build.sh.
	Binaries string
	// Keep the cluster when the test ends. Start takes over one that is kept in the folder.
	Keep bool
}

// A Cluster that runs.
type Cluster struct {
	options    Options
	supervisor int
	init       int
	pipe       *os.File // nil when the cluster is kept
}

// Start a cluster, or take over the one that is kept in the folder. It serves when Start returns, but its node may not
// be ready yet.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	c := &Cluster{options: options}
	if err := c.find(); err == nil {
		if !options.Keep {
			return nil, fmt.Errorf("cannot start a cluster in %s: one runs there, and is kept", options.Folder)
		}
		return c, nil
	}
	if err := os.MkdirAll(filepath.Join(options.Folder, "log"), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the cluster's folder: %w", err)
	}
	// A supervisor that was killed has left word of processes that are gone.
	if err := os.RemoveAll(filepath.Join(options.Folder, initFile)); err != nil {
		return nil, fmt.Errorf("cannot clean the cluster's folder: %w", err)
	}
	if err := writePKI(filepath.Join(options.Folder, "pki")); err != nil {
		return nil, err
	}
	if err := c.supervise(ctx); err != nil {
		return nil, err
	}
	if err := c.waitForAPI(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// find a cluster that is kept.
func (c *Cluster) find() error {
	var err error
	if c.supervisor, err = c.readPID(supervisorFile); err != nil {
		return err
	}
	if c.init, err = c.readPID(initFile); err != nil {
		return err
	}
	for _, pid := range []int{c.supervisor, c.init} {
		if err := unix.Kill(pid, 0); err != nil {
			return fmt.Errorf("cannot find process %d of the kept cluster: %w", pid, err)
		}
	}
	return nil
}

func (c *Cluster) readPID(file string) (int, error) {
	text, err := os.ReadFile(filepath.Join(c.options.Folder, file))
	if err != nil {
		return 0, fmt.Errorf("cannot read the process of the cluster: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// supervise starts the supervisor and waits for the node's first process. The supervisor outlives the context: it is the one
// that cleans up.
func (c *Cluster) supervise(ctx context.Context) error {
	log, err := os.Create(filepath.Join(c.options.Folder, "log", "supervisor.log"))
	if err != nil {
		return fmt.Errorf("cannot make the supervisor's log: %w", err)
	}
	defer log.Close()

	cmd, err := again(context.WithoutCancel(ctx), roleSupervisor, c.options)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = log, log
	// A session of its own: what interrupts the test must not interrupt the one that cleans up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !c.options.Keep {
		read, write, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("cannot make a pipe to the supervisor: %w", err)
		}
		defer read.Close()
		cmd.ExtraFiles, c.pipe = []*os.File{read}, write
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start the supervisor: %w", err)
	}
	c.supervisor = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	for {
		if c.init, err = c.readPID(initFile); err == nil {
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("cannot start the node, see %s: %w", log.Name(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop the cluster and wait until nothing is left of it.
func (c *Cluster) Stop() error {
	if err := unix.Kill(c.supervisor, unix.SIGTERM); err != nil {
		return fmt.Errorf("cannot stop the cluster: %w", err)
	}
	for range 300 {
		if errors.Is(unix.Kill(c.supervisor, 0), unix.ESRCH) {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("cannot stop the cluster: supervisor %d still runs", c.supervisor)
}

// Close lets go of the cluster: it ends, unless it is kept.
func (c *Cluster) Close() error {
	if c.pipe == nil {
		return nil
	}
	return c.Stop()
}

// Folder of everything that the cluster writes. Its log folder has the components' logs and the audit log.
func (c *Cluster) Folder() string { return c.options.Folder }

// Config of an administrator, for clients in this process.
func (c *Cluster) Config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("cannot read the administrator's kubeconfig: %w", err)
	}
	config.Dial = c.DialContext
	config.QPS, config.Burst = 200, 400
	return config, nil
}

func (c *Cluster) kubeconfig() string {
	return filepath.Join(c.options.Folder, "pki", "admin.kubeconfig")
}

// Command runs on the node, with the built binaries first in the path and an administrator's kubeconfig.
func (c *Cluster) Command(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	words := []string{"-t", strconv.Itoa(c.init), "-m", "-n", "--", "env", "PATH=" + c.options.Binaries + ":" + os.Getenv("PATH"), "KUBECONFIG=" + c.kubeconfig(), name}
	return exec.CommandContext(ctx, "nsenter", append(words, arguments...)...)
}

// Inside is a command that runs as a process of the node, and ends with it at the latest. It ends with its context too.
func (c *Cluster) Inside(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	words := []string{"-t", strconv.Itoa(c.init), "-m", "-n", "-p", "--", "setpriv", "--pdeathsig=KILL", name}
	return exec.CommandContext(ctx, "nsenter", append(words, arguments...)...)
}

// waitForAPI until the API server says that it is ready.
func (c *Cluster) waitForAPI(ctx context.Context) error {
	config, err := c.Config()
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("cannot make a client of the API server: %w", err)
	}
	for {
		if isReady(ctx, client) {
			return nil
		}
		if unix.Kill(c.supervisor, 0) != nil {
			return errors.New("cannot wait for the API server: the node has ended")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot reach the API server: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
