package checks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"

	"github.com/function-chroma/function-chroma/function/distributed/checks/hosts"
)

// A dialer connects to what the policy admits, and to nothing else: every address is looked at right before the
// connection is made, so a name that resolves to another address the second time gains nothing.
type dialer struct {
	policy    hosts.Policy
	resolver  *net.Resolver
	search    []string
	namespace string
	// written is the host as the user wrote it, in front of which the SDK for S3 puts the bucket. What denies it denies
	// both, but what allows it opens no name below it.
	written string
}

// DialContext connects to a host and port over TCP.
func (d dialer) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("cannot read the address: %w", err)
	}
	for _, candidate := range candidates(host, d.namespace, d.search) {
		names := []string{host, candidate}
		if refusal := d.policy.Name(append(names, d.written)...); refusal != nil {
			return nil, refusal
		}
		netDialer := net.Dialer{Resolver: d.resolver, ControlContext: d.control(names)}
		var conn net.Conn
		if conn, err = netDialer.DialContext(ctx, "tcp", net.JoinHostPort(candidate, port)); err == nil {
			return &boundedConn{Conn: conn, reader: io.LimitReader(conn, maxAnswer)}, nil
		}
		if !notFound(err) {
			break
		}
	}
	return nil, fmt.Errorf("cannot connect: %w", err)
}

// control is called with each address that is about to be connected to.
func (d dialer) control(names []string) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		parsed, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("cannot read the address: %w", err)
		}
		return d.policy.Address(parsed.Addr(), names...)
	}
}

// found tells whether a host has an address.
func (d dialer) found(ctx context.Context, host string) bool {
	for _, candidate := range candidates(host, d.namespace, d.search) {
		if _, err := d.resolver.LookupNetIP(ctx, "ip", candidate); !notFound(err) {
			return err == nil
		}
	}
	return false
}

// notFound tells a name that does not exist from one that could not be asked for.
func notFound(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

// maxAnswer is more than Postgres and S3 need to answer the checks. Others may send without end.
const maxAnswer = 1 << 20

// A boundedConn ends after maxAnswer bytes.
type boundedConn struct {
	net.Conn

	reader io.Reader
}

// Read from the connection.
func (c *boundedConn) Read(p []byte) (int, error) { return c.reader.Read(p) } //nolint:wrapcheck // It is a Conn.
