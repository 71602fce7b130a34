//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// An environment is a cluster with the packages of this project installed.
type environment struct {
	// node is nil on a cluster of the developer's own.
	node     *cluster.Cluster
	binaries string
	// root of the module.
	root   string
	config *rest.Config
	client dynamic.Interface
	http   *http.Client
	began  time.Time
	// plugin is built once.
	plugin      sync.Once
	pluginPath  string
	pluginError error
	// command runs kubectl and other clients.
	command func(ctx context.Context, name string, arguments ...string) *exec.Cmd
}

func newEnvironment(ctx context.Context) (*environment, error) {
	e := &environment{began: time.Now()}
	var err error
	if e.root, err = filepath.Abs("../.."); err != nil {
		return nil, fmt.Errorf("cannot find the module: %w", err)
	}
	if e.binaries = os.Getenv("E2E_BIN"); e.binaries == "" {
		return nil, errors.New("cannot find the binaries of Kubernetes: run make e2e, which builds them")
	}
	if context := os.Getenv("E2E_CONTEXT"); context != "" {
		err = e.useContext(context)
	} else {
		err = e.startNode(ctx)
	}
	if err != nil {
		return nil, err
	}
	if e.client, err = dynamic.NewForConfig(e.config); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make a client: %w", err), e.close())
	}
	if e.http, err = rest.HTTPClientFor(e.config); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make a client: %w", err), e.close())
	}
	if err := e.install(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.sayf("the cluster is up")
	return e, nil
}

// useContext of a kubeconfig. Every command is given it by name.
func (e *environment) useContext(name string) error {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{CurrentContext: name})
	var err error
	if e.config, err = loader.ClientConfig(); err != nil {
		return fmt.Errorf("cannot use context %q: %w", name, err)
	}
	e.command = func(ctx context.Context, command string, arguments ...string) *exec.Cmd {
		switch filepath.Base(command) {
		case "kubectl", "kubectl-chroma":
			arguments = append([]string{"--context=" + name}, arguments...)
		case "helm":
			arguments = append([]string{"--kube-context=" + name}, arguments...)
		}
		if !filepath.IsAbs(command) {
			command = filepath.Join(e.binaries, command)
		}
		return exec.CommandContext(ctx, command, arguments...)
	}
	return nil
}

func (e *environment) startNode(ctx context.Context) error {
	if err := cluster.Prepare(ctx); err != nil {
		return err
	}
	options := cluster.Options{Folder: os.Getenv("E2E_DIR"), Binaries: e.binaries, Keep: os.Getenv("E2E_KEEP") != ""}
	if options.Folder == "" {
		if options.Keep {
			return errors.New("cannot keep a cluster without a folder: set E2E_DIR")
		}
		folder, err := os.MkdirTemp("", "e2e-")
		if err != nil {
			return fmt.Errorf("cannot make the cluster's folder: %w", err)
		}
		options.Folder = folder
	}
	e.sayf("starting a node; its logs are in %s/log", options.Folder)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var err error
	if e.node, err = cluster.Start(ctx, options); err != nil {
		return err
	}
	e.sayf("the API server is ready")
	e.command = e.node.Command
	e.config, err = e.node.Config()
	return err
}

func (e *environment) close() error {
	var err error
	if e.pluginPath != "" {
		err = os.RemoveAll(filepath.Dir(e.pluginPath))
	}
	if e.node != nil {
		err = errors.Join(err, e.node.Close())
	}
	return err
}

// sayf what happens, and when.
func (e *environment) sayf(format string, arguments ...any) {
	fmt.Fprintf(os.Stdout, "%6.1f s  %s\n", time.Since(e.began).Seconds(), fmt.Sprintf(format, arguments...))
}

// run a command to its end and return what it said.
func (e *environment) run(ctx context.Context, input []byte, name string, arguments ...string) (string, error) {
	cmd := e.command(ctx, name, arguments...)
	output := &bytes.Buffer{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), output, output
	if err := cmd.Run(); err != nil {
		return output.String(), fmt.Errorf("cannot run %s %s: %w: %s", name, strings.Join(arguments, " "), err, output)
	}
	return output.String(), nil
}

// applyText applies manifests as a person does.
func (e *environment) applyText(ctx context.Context, manifests []byte) error {
	_, err := e.run(ctx, manifests, "kubectl", "apply", "--server-side", "--force-conflicts", "-f", "-")
	return err
}

// until a condition holds. The check says what it sees meanwhile.
func (e *environment) until(ctx context.Context, what string, limit time.Duration, check func(context.Context) (seen string, done bool)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started, said, last := time.Now(), time.Now(), ""
	for {
		seen, done := check(ctx)
		if done {
			return nil
		}
		if seen != last && time.Since(said) > 5*time.Second {
			e.sayf("waiting for %s (%.0f s): %s", what, time.Since(started).Seconds(), seen)
			said, last = time.Now(), seen
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot wait longer than %s for %s: %s", limit, what, seen)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
