package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// StartTimeout is how long a server may take until it answers. It takes about half a second on an idle machine.
const StartTimeout = time.Minute

// Options say how to start a server.
type Options struct {
	// Volume is the folder of the data.
	Volume string
	// Config is the text of config.yaml. Its port and persist_path are replaced by a free port and Volume.
	Config []byte
	// Overlay is more of config.yaml, as text, for keys that must not be replaced.
	Overlay string
	// Arguments of the chroma command: by default those of the container image, run /config.yaml.
	Arguments []string
	// Environment has additional variables. The test's own that begin with CHROMA_ are never passed on, since a server
	// takes each for a key of its configuration, nor those that move the folder of temporary files.
	Environment []string
	// Mounts is a shell script that runs in a mount namespace of the server's own before it starts, with the folder of
	// the data as $1. It needs root and a Linux that permits it.
	Mounts string
	// Timeout is how long the server may take until it answers: by default StartTimeout.
	Timeout time.Duration
}

// A Server is a running Chroma server.
type Server struct {
	// URL is the server's address, without a slash at the end.
	URL string

	command *exec.Cmd
	kill    []string
	output  *output
	ended   chan struct{}
}

// An ExitError says that a server ended before it ever answered.
type ExitError struct {
	Program string
	Code    int
	Output  string
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("%s ended with code %d before it answered:\n%s", e.Program, e.Code, e.Output)
}

// Run starts a server and waits until it answers. A server that ends before is an *ExitError.
func Run(ctx context.Context, program Program, options Options) (*Server, error) {
	for attempt := 1; ; attempt++ {
		server, err := run(ctx, program, options)
		exit := (*ExitError)(nil)
		// Between the choice of a free port and its use another process can take it.
		if errors.As(err, &exit) && strings.Contains(exit.Output, "Address already in use") && attempt < 3 {
			continue
		}
		return server, err
	}
}

func run(ctx context.Context, program Program, options Options) (*Server, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	config, err := writeConfig(program, options, port)
	if err != nil {
		return nil, err
	}
	arguments := options.Arguments
	if arguments == nil {
		arguments = []string{"run", configFile}
	}
	invocation := invocation{
		name: "function-chroma-" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(port),
		port: port, volume: options.Volume, config: config, arguments: arguments,
	}
	words := program.command(invocation)
	if options.Mounts != "" {
		script := "set -e\n" + options.Mounts + "\nshift\nexec \"$@\""
		words = slices.Concat([]string{"unshare", "--mount", "sh", "-c", script, "sh", options.Volume}, words)
	}
	server := &Server{
		URL:     "http://127.0.0.1:" + strconv.Itoa(port),
		command: exec.Command(words[0], words[1:]...), //nolint:noctx // The server outlives the call; Stop ends it.
		kill:    program.kill(invocation),
		output:  &output{},
		ended:   make(chan struct{}),
	}
	server.command.Env = append(cleanEnvironment(os.Environ()), options.Environment...)
	server.command.Dir = "/"
	server.command.Stdout = server.output
	server.command.Stderr = server.output
	if err := server.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", program, err)
	}
	go func() {
		defer os.RemoveAll(filepath.Dir(config))
		_ = server.command.Wait() // The state of the process has the exit code.
		close(server.ended)
	}()
	timeout := options.Timeout
	if timeout == 0 {
		timeout = StartTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := server.wait(ctx, program.String()); err != nil {
		return nil, errors.Join(err, server.Kill())
	}
	return server, nil
}

// writeConfig writes the configuration into a new folder.
func writeConfig(program Program, options Options, port int) (string, error) {
	port, persistPath := program.inside(port, options.Volume)
	config, err := configure(options.Config, options.Overlay, port, persistPath)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "chroma-config-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder for the configuration: %w", err)
	}
	file := filepath.Join(folder, "config.yaml")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return "", fmt.Errorf("cannot write the configuration: %w", err)
	}
	return file, nil
}

// cleanEnvironment leaves out the variables that a server would take for its own.
func cleanEnvironment(environment []string) []string {
	return slices.DeleteFunc(environment, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "CHROMA_") || slices.Contains([]string{"TMPDIR", "SQLITE_TMPDIR"}, name)
	})
}

func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("cannot find a free port: %w", err)
	}
	defer listener.Close()
	address, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		return 0, fmt.Errorf("cannot read the free port: %w", err)
	}
	return int(address.Port()), nil
}

// Stop asks the server to end, with the signal that the kubelet sends first, and returns its exit code.
func (s *Server) Stop(ctx context.Context) (int, error) {
	if err := s.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	return s.Wait(ctx)
}

// Signal sends a signal to the server. One that has ended already is no error.
func (s *Server) Signal(signal os.Signal) error {
	if err := s.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("cannot signal the server: %w", err)
	}
	return nil
}

// Wait returns the server's exit code once it has ended. A server that a signal ended has 128 and the signal's number.
func (s *Server) Wait(ctx context.Context) (int, error) {
	select {
	case <-s.ended:
		return s.exitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("cannot wait for the server to end: %w:\n%s", ctx.Err(), s.Output())
	}
}

// Kill ends the server at once, with SIGKILL, and returns when it has ended.
func (s *Server) Kill() error {
	if s.Ended() {
		return nil
	}
	if s.kill != nil {
		if output, err := exec.Command(s.kill[0], s.kill[1:]...).CombinedOutput(); err != nil { //nolint:noctx // Our own words.
			return fmt.Errorf("cannot kill the container: %w: %s", err, output)
		}
	} else if err := s.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-s.ended
	return nil
}

// Ended tells whether the server has ended.
func (s *Server) Ended() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Output returns what the server has printed until now.
func (s *Server) Output() string { return s.output.String() }

// wait returns when the server answers, has ended, or the context is done.
func (s *Server) wait(ctx context.Context, program string) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-s.ended:
			return &ExitError{Program: program, Code: s.exitCode(), Output: s.Output()}
		case <-ctx.Done():
			return fmt.Errorf("cannot reach %s: %w:\n%s", program, ctx.Err(), s.Output())
		case <-ticker.C:
			if s.answers(ctx) {
				return nil
			}
		}
	}
}

// answers asks the path that the Pod's probes ask.
func (s *Server) answers(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v2/heartbeat", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (s *Server) exitCode() int {
	status, ok := s.command.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.command.ProcessState.ExitCode()
}

// output collects what a process prints while others read it.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}
