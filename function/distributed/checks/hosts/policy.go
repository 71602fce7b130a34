// Package hosts decides what the checks may connect to, so that nobody uses the function to scan a network. It is pure:
// names and addresses go in, a refusal comes out.
package hosts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Policy of the person who runs the function. The zero Policy refuses what is never meant: loopback, link-local and
// metadata addresses.
type Policy struct {
	allowed, denied []rule
}

// A rule names a network, a host, or all hosts below a domain.
type rule struct {
	network netip.Prefix
	name    string
	below   bool
}

// Parse the entries of checks.hosts: each a host name, "*.<domain>", an address, or a network like 10.0.0.0/8.
func Parse(allowed, denied []string) (Policy, error) {
	var policy Policy
	var err error
	if policy.allowed, err = parse("allowed", allowed); err != nil {
		return Policy{}, err
	}
	if policy.denied, err = parse("denied", denied); err != nil {
		return Policy{}, err
	}
	return policy, nil
}

// Valid tells whether Parse takes an entry.
func Valid(entry string) bool {
	_, ok := parseRule(entry)
	return ok
}

func parse(list string, entries []string) ([]rule, error) {
	rules := make([]rule, 0, len(entries))
	for index, entry := range entries {
		parsed, ok := parseRule(entry)
		if !ok {
			return nil, fmt.Errorf("cannot use checks.hosts.%s[%d]: %q is no host name, no *.<domain>, no address and no network", list, index, entry)
		}
		rules = append(rules, parsed)
	}
	return rules, nil
}

func parseRule(entry string) (rule, bool) {
	if network, err := netip.ParsePrefix(entry); err == nil {
		return rule{network: unmapped(network)}, true
	}
	if address, err := netip.ParseAddr(entry); err == nil {
		// A zone is a link of one machine, and means nothing in a policy.
		address = address.Unmap()
		return rule{network: netip.PrefixFrom(address, address.BitLen())}, address.Zone() == ""
	}
	name, below := strings.CutPrefix(entry, "*.")
	name = canonical(name)
	return rule{name: name, below: below}, isName(name)
}

// unmapped network of IPv4 addresses that are written as IPv6 ones: addresses are compared unmapped.
func unmapped(network netip.Prefix) netip.Prefix {
	const mapped = 96
	if network.Addr().Is4In6() && network.Bits() >= mapped {
		return netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mapped).Masked()
	}
	return network.Masked()
}

// canonical name: DNS has no capitals, and the dot at the end only says that the name is complete.
func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// isName tells host names from mistyped addresses: no top-level domain is a number.
func isName(name string) bool {
	const longest, longestLabel = 253, 63
	if name == "" || len(name) > longest {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > longestLabel || strings.ContainsFunc(label, notInName) {
			return false
		}
		last = label
	}
	return strings.ContainsFunc(last, func(r rune) bool { return r < '0' || r > '9' })
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// names tells whether the rule names one of the host names.
func (r rule) names(names []string) bool {
	if r.name == "" {
		return false
	}
	return slices.ContainsFunc(names, func(name string) bool {
		name = canonical(name)
		if r.below {
			return strings.HasSuffix(name, "."+r.name)
		}
		return name == r.name
	})
}

func (r rule) contains(address netip.Addr) bool {
	return r.network.IsValid() && r.network.Contains(address)
}

// A Refusal to connect. It names no address: what a name resolves to is not for everybody.
type Refusal struct {
	// Denied is true when an entry of checks.hosts.denied names it, and false for what is refused by default.
	Denied bool
}

// Error says why.
func (r *Refusal) Error() string {
	if r.Denied {
		return "the setting checks.hosts.denied names it"
	}
	return "it is a loopback, link-local, multicast or metadata address, which only an entry of checks.hosts.allowed opens"
}

// Name refuses a host by the names that it goes by, before any of them is resolved. The error is a *Refusal.
func (p Policy) Name(names ...string) error {
	for _, denied := range p.denied {
		if denied.names(names) {
			return &Refusal{Denied: true}
		}
	}
	return nil
}

// Address refuses a connection to an address, reached by some names. What is denied stays denied, whatever is allowed.
// The error is a *Refusal.
func (p Policy) Address(address netip.Addr, names ...string) error {
	if err := p.Name(names...); err != nil {
		return err
	}
	address = address.WithZone("").Unmap()
	meant := append(embedded(address), address)
	for _, denied := range p.denied {
		if slices.ContainsFunc(meant, denied.contains) {
			return &Refusal{Denied: true}
		}
	}
	for _, allowed := range p.allowed {
		if allowed.contains(address) || allowed.names(names) {
			return nil
		}
	}
	if slices.ContainsFunc(meant, refusedByDefault) {
		return &Refusal{Denied: false}
	}
	return nil
}
