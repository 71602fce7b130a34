// Package names answers for the names of hosts in tests, as a DNS server does.
package names

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Resolver of a zone of IPv4 addresses by full name, without the dot at the end. No other name exists.
func Resolver(t *testing.T, zone map[string]string) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go serve(conn, zone)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func serve(conn net.PacketConn, zone map[string]string) {
	buffer := make([]byte, 512)
	for {
		size, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(buffer[:size]) != nil || len(message.Questions) != 1 {
			continue
		}
		question := message.Questions[0]
		name := question.Name.String()
		text, exists := zone[name[:len(name)-1]]
		message.Header = dnsmessage.Header{ID: message.ID, Response: true, Authoritative: true}
		message.Additionals = nil
		switch {
		case !exists:
			message.RCode = dnsmessage.RCodeNameError
		case question.Type == dnsmessage.TypeA:
			message.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: 1},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(text).As4()},
			}}
		}
		if packed, err := message.Pack(); err == nil {
			_, _ = conn.WriteTo(packed, from)
		}
	}
}
