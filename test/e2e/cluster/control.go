//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A node and what runs on it.
type node struct {
	folder     string
	components map[string]*component
}

// controlSocket is where tests stop, start and kill components.
func controlSocket(folder string) string { return filepath.Join(folder, "control.sock") }

func (n *node) serveControl(ctx context.Context) error {
	path := controlSocket(n.folder)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return fmt.Errorf("cannot listen for commands: %w", err)
	}
	mux := http.NewServeMux()
	for verb, do := range map[string]func(*component){
		"stop": (*component).stop, "kill": (*component).kill, "start": func(c *component) { c.start(ctx) },
	} {
		mux.HandleFunc("POST /"+verb+"/{component}", func(w http.ResponseWriter, r *http.Request) {
			component, there := n.components[r.PathValue("component")]
			if !there {
				http.Error(w, "there is no such component", http.StatusNotFound)
				return
			}
			do(component)
		})
	}
	mux.HandleFunc("POST /reboot", func(w http.ResponseWriter, _ *http.Request) {
		if err := n.reboot(ctx); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second}
	return fmt.Errorf("cannot serve commands: %w", server.Serve(listener))
}

// reboot kills kubelet, containerd and every process of a container at once, as a loss of power does, and starts the two
// again. The control plane stays.
func (n *node) reboot(ctx context.Context) error {
	for _, name := range []string{kubelet, containerd} {
		n.components[name].stop()
	}
	if err := killContainers(cgroupName(n.folder)); err != nil {
		return err
	}
	for _, name := range []string{containerd, kubelet} {
		n.components[name].start(ctx)
	}
	return nil
}

// killContainers ends every process in our cgroups, and those that watch over them.
func killContainers(cgroup string) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return fmt.Errorf("cannot list processes: %w", err)
	}
	for _, entry := range entries {
		var pid int
		if _, err := fmt.Sscan(entry.Name(), &pid); err != nil {
			continue
		}
		groups, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cgroup"))
		if err != nil {
			continue // It has ended.
		}
		command, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "comm"))
		if err != nil {
			continue
		}
		if strings.Contains(string(groups), "/"+cgroup+"/") || strings.HasPrefix(string(command), "containerd-shim") {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("cannot kill process %d: %w", pid, err)
			}
		}
	}
	return nil
}

// Do a command on the node: stop, start or kill, with a component's name, or reboot.
func (c *Cluster) Do(ctx context.Context, command ...string) error {
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", controlSocket(c.options.Folder))
		},
		DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://node/"+strings.Join(command, "/"), nil)
	if err != nil {
		return fmt.Errorf("cannot make a command: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("cannot %s: %w", strings.Join(command, " "), err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("cannot %s: the node answered %s", strings.Join(command, " "), response.Status)
	}
	return nil
}
