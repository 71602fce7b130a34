//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// prepareNetwork: one address, on an interface whose other end leads nowhere.
func prepareNetwork(ctx context.Context) error {
	for _, command := range []string{
		"link set lo up",
		"link add node0 type veth peer name node0-peer",
		"address add " + Address + "/24 dev node0",
		"link set node0 up",
		"link set node0-peer up",
		"route add default dev node0 src " + Address,
	} {
		if output, err := exec.CommandContext(ctx, "ip", strings.Fields(command)...).CombinedOutput(); err != nil {
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

// DialContext opens a connection as if from the node: it reaches Services and Pods by their addresses. Addresses must be
// numeric.
func (c *Cluster) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	done := make(chan result, 1)
	go func() {
		// The thread is not unlocked, so that it ends with the goroutine instead of being used again in the node's
		// network.
		runtime.LockOSThread()
		conn, err := dialFrom(ctx, c.init, network, address)
		done <- result{conn, err}
	}()
	r := <-done
	return r.conn, r.err
}

func dialFrom(ctx context.Context, pid int, network, address string) (net.Conn, error) {
	namespace, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, fmt.Errorf("cannot find the node's network: %w", err)
	}
	defer namespace.Close()
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("cannot enter the node's network: %w", err)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// Transport for HTTP clients that are as on the node.
func (c *Cluster) Transport() *http.Transport {
	return &http.Transport{DialContext: c.DialContext, DisableKeepAlives: true}
}
