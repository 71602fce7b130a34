//go:build linux

package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

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
	defer namespace.Close() //nolint:errcheck // Nothing is written to it.
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("cannot enter the node's network: %w", err)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// Transport for HTTP clients that are as on the node.
func (c *Cluster) Transport() *http.Transport {
	return &http.Transport{DialContext: c.DialContext, DisableKeepAlives: true}
}
