//go:build linux

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

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
