//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// runNode is the node: it prepares its namespaces, starts everything, and starts again what ends.
func runNode(options Options) error {
	if err := prepareMounts(options.Folder); err != nil {
		return err
	}
	if err := prepareNetwork(); err != nil {
		return err
	}
	if err := writeFiles(options.Folder); err != nil {
		return err
	}
	go func() {
		if err := serveRegistry(filepath.Join(options.Folder, "registry")); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()

	n := &node{folder: options.Folder, components: map[string]*component{}}
	for _, spec := range specs(options) {
		n.components[spec.name] = newComponent(spec, options)
	}
	first := []string{etcd, apiserver, containerd}
	for _, name := range first {
		n.components[name].start()
	}
	if err := waitForReadyz(filepath.Join(options.Folder, "pki", "admin.kubeconfig")); err != nil {
		return err
	}
	for name, component := range n.components {
		if name != etcd && name != apiserver && name != containerd {
			component.start()
		}
	}
	return n.serveControl()
}

// prepareMounts so that the node has a /run, kubelet and containerd folders, and name resolution of its own.
func prepareMounts(folder string) error {
	steps := []mount{
		{target: "/", flags: unix.MS_REC | unix.MS_PRIVATE},
		{source: "proc", target: "/proc", kind: "proc"},
		{target: "/", flags: unix.MS_REC | unix.MS_SHARED},
		{source: "tmpfs", target: "/run", kind: "tmpfs"},
	}
	for own, usual := range map[string]string{
		"kubelet": "/var/lib/kubelet", "containerd": "/var/lib/containerd", "cni": "/var/lib/cni",
		"pods": "/var/log/pods", "containers": "/var/log/containers",
	} {
		steps = append(steps, mount{source: filepath.Join(folder, own), target: usual, flags: unix.MS_BIND, make: true})
	}
	steps = append(steps, mount{target: "/var/lib/kubelet", flags: unix.MS_REC | unix.MS_SHARED})
	for _, step := range steps {
		if err := step.do(); err != nil {
			return err
		}
	}
	contents := map[string]string{
		"/etc/hosts":       "127.0.0.1 localhost\n" + Address + " " + NodeName + "\n",
		"/etc/resolv.conf": "nameserver " + dnsAddress + "\n",
		// The kubelet insists on values that are the whole machine's. In this mount namespace it finds them.
		"/proc/sys/vm/overcommit_memory":      "1",
		"/proc/sys/vm/panic_on_oom":           "0",
		"/proc/sys/kernel/panic":              "10",
		"/proc/sys/kernel/panic_on_oops":      "1",
		"/proc/sys/kernel/keys/root_maxkeys":  "1000000",
		"/proc/sys/kernel/keys/root_maxbytes": "25000000",
	}
	for target, content := range contents {
		source := filepath.Join("/run", strings.ReplaceAll(target, "/", "-"))
		if err := os.WriteFile(source, []byte(content), 0o644); err != nil {
			return fmt.Errorf("cannot write what is laid over %s: %w", target, err)
		}
		if err := (mount{source: source, target: target, flags: unix.MS_BIND}).do(); err != nil {
			return err
		}
	}
	return nil
}

type mount struct {
	source, target, kind string
	flags                uintptr
	// make the folders first.
	make bool
}

func (m mount) do() error {
	if m.make {
		for _, folder := range []string{m.source, m.target} {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return fmt.Errorf("cannot make a folder to mount: %w", err)
			}
		}
	}
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, ""); err != nil {
		return fmt.Errorf("cannot mount %s on %s: %w", m.source, m.target, err)
	}
	return nil
}

// prepareNetwork: one address, on an interface whose other end leads nowhere.
func prepareNetwork() error {
	for _, command := range []string{
		"link set lo up",
		"link add node0 type veth peer name node0-peer",
		"address add " + Address + "/24 dev node0",
		"link set node0 up",
		"link set node0-peer up",
		"route add default dev node0 src " + Address,
	} {
		if output, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("cannot run ip %s: %w: %s", command, err, output)
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return fmt.Errorf("cannot forward between Pods: %w", err)
	}
	// Where bridges are filtered at all, Services must reach Pods on the same bridge.
	err := os.WriteFile("/proc/sys/net/bridge/bridge-nf-call-iptables", []byte("1"), 0o644)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot filter bridges: %w", err)
	}
	return nil
}

// serveRegistry keeps its layers on disk, and which images there are in memory.
func serveRegistry(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("cannot make the registry's folder: %w", err)
	}
	server := &http.Server{
		Addr:              Registry,
		Handler:           registry.New(registry.WithBlobHandler(registry.NewDiskBlobHandler(folder)), registry.Logger(log.New(io.Discard, "", 0))),
		ReadHeaderTimeout: 30 * time.Second,
	}
	return fmt.Errorf("cannot serve the registry: %w", server.ListenAndServe())
}

// waitForReadyz of the API server, for ever: the test decides how long it waits for the node.
func waitForReadyz(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read the administrator's kubeconfig: %w", err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("cannot make a client of the API server: %w", err)
	}
	for {
		response, err := client.Get(apiServer + "/readyz")
		if err == nil {
			response.Body.Close() //nolint:errcheck // Nothing of it is read.
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A node and what runs on it.
type node struct {
	folder     string
	components map[string]*component
}

// controlSocket is where tests stop, start and kill components.
func controlSocket(folder string) string { return filepath.Join(folder, "control.sock") }

func (n *node) serveControl() error {
	path := controlSocket(n.folder)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("cannot listen for commands: %w", err)
	}
	mux := http.NewServeMux()
	for verb, do := range map[string]func(*component){"stop": (*component).stop, "start": (*component).start, "kill": (*component).kill} {
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
		if err := n.reboot(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second}
	return fmt.Errorf("cannot serve commands: %w", server.Serve(listener))
}

// reboot kills kubelet, containerd and every process of a container at once, as a loss of power does, and starts the two
// again. The control plane stays.
func (n *node) reboot() error {
	for _, name := range []string{kubelet, containerd} {
		n.components[name].stop()
	}
	if err := killContainers(); err != nil {
		return err
	}
	for _, name := range []string{containerd, kubelet} {
		n.components[name].start()
	}
	return nil
}

// killContainers ends every process in our cgroups, and those that watch over them.
func killContainers() error {
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
		if strings.Contains(string(groups), "/"+cgroupName+"/") || strings.HasPrefix(string(command), "containerd-shim") {
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
	defer response.Body.Close() //nolint:errcheck // Nothing of it is read.
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("cannot %s: the node answered %s", strings.Join(command, " "), response.Status)
	}
	return nil
}
