//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// policyFile is asked by Debian's packages before they start a service.
const policyFile = "/usr/sbin/policy-rc.d"

// Prepare the machine: install the programs of Debian that a node needs and that are not there. No service is started.
func Prepare(ctx context.Context) error {
	if os.Getuid() != 0 {
		return errors.New("cannot make a cluster: it needs root for its namespaces; run as root, or name a cluster of your own with E2E_CONTEXT")
	}
	packages := missing()
	if len(packages) == 0 {
		return nil
	}
	if _, err := os.Stat(policyFile); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(policyFile, []byte("#!/bin/sh\nexit 101\n"), 0o755); err != nil {
			return fmt.Errorf("cannot keep services from starting: %w", err)
		}
		defer os.Remove(policyFile)
	}
	for _, arguments := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-y", "-qq", "--no-install-recommends"}, packages...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get", arguments...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("cannot run apt-get %v: %w: %s", arguments, err, output)
		}
	}
	if packages = missing(); len(packages) > 0 {
		return fmt.Errorf("cannot make a cluster: the programs of %v are not there", packages)
	}
	return nil
}

// missing packages, by what they bring.
func missing() []string {
	var out []string
	for program, name := range map[string]string{
		"containerd": "containerd", "runc": "runc", "iptables": "iptables", "conntrack": "conntrack", "dumb-init": "dumb-init",
		"ip": "iproute2", "nsenter": "util-linux", "mount": "mount", "/usr/lib/cni/bridge": "containernetworking-plugins",
	} {
		if _, err := exec.LookPath(program); err != nil {
			out = append(out, name)
		}
	}
	return out
}
