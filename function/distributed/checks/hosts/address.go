package hosts

import "net/netip"

// refusedByDefault tells addresses of this machine, of its link, and of the metadata services of clouds, which hand out
// credentials to whoever asks from inside.
func refusedByDefault(address netip.Addr) bool {
	switch {
	case !address.IsValid(), address.IsUnspecified(), address.IsLoopback(), address.IsMulticast(), address.IsLinkLocalUnicast():
		return true
	case address.Is4():
		bytes := address.As4()
		// 0.0.0.0/8 is this machine (RFC 1122), and 240.0.0.0/4 is reserved, the broadcast address with it.
		return bytes[0] == 0 || bytes[0] >= 240 || isMetadata(address)
	default:
		bytes := address.As16()
		// fec0::/10 are the site-local addresses of old (RFC 3879).
		return (bytes[0] == 0xfe && bytes[1]&0xc0 == 0xc0) || isMetadata(address)
	}
}

// isMetadata tells the metadata services outside of the link-local networks.
func isMetadata(address netip.Addr) bool {
	switch address.String() {
	case "100.100.100.200", // Alibaba Cloud
		"168.63.129.16", // Azure's platform
		"192.0.0.192",   // Oracle Cloud
		"fd00:42::42",   // Scaleway
		"fd00:ec2::23",  // EKS Pod identity
		"fd00:ec2::254", // EC2
		"fd20:ce::254":  // Google Cloud
		return true
	}
	return false
}

// embedded IPv4 addresses of an IPv6 address, to which a translator or a tunnel would bring the connection. The
// prefixes that operators choose for their own translators cannot be known: they are to be denied by network.
func embedded(address netip.Addr) []netip.Addr {
	if !address.Is6() {
		return nil
	}
	bytes := address.As16()
	at := func(positions ...int) netip.Addr {
		return netip.AddrFrom4([4]byte{bytes[positions[0]], bytes[positions[1]], bytes[positions[2]], bytes[positions[3]]})
	}
	switch {
	case within(address, "::/96"), within(address, "64:ff9b::/96"):
		// IPv4-compatible (RFC 4291), NAT64 (RFC 6052). The first holds ::1 too.
		return []netip.Addr{at(12, 13, 14, 15)}
	case within(address, "64:ff9b:1::/48"):
		// NAT64 for local use (RFC 8215), with a prefix of 48, 56, 64 or 96 bits. Byte 8 is zero (RFC 6052).
		return []netip.Addr{at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), at(12, 13, 14, 15)}
	case within(address, "2002::/16"):
		// 6to4 (RFC 3056).
		return []netip.Addr{at(2, 3, 4, 5)}
	case within(address, "2001::/32"):
		// Teredo (RFC 4380): the server, and the client with its bits turned over.
		return []netip.Addr{at(4, 5, 6, 7), netip.AddrFrom4([4]byte{^bytes[12], ^bytes[13], ^bytes[14], ^bytes[15]})}
	case bytes[8]&^0x02 == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe:
		// ISATAP (RFC 5214).
		return []netip.Addr{at(12, 13, 14, 15)}
	}
	return nil
}

func within(address netip.Addr, network string) bool {
	return netip.MustParsePrefix(network).Contains(address)
}
