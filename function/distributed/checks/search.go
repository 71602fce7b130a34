package checks

import (
	"net/netip"
	"os"
	"strings"
)

// resolvConf is where Kubernetes writes the search domains of a container.
const resolvConf = "/etc/resolv.conf"

// SearchDomains of this process, in which names are completed. None when they cannot be read.
func SearchDomains() []string {
	content, err := os.ReadFile(resolvConf)
	if err != nil {
		return nil
	}
	return parseSearch(string(content))
}

// parseSearch finds the search domains in a resolv.conf. The last line that has some counts.
func parseSearch(content string) []string {
	var domains []string
	for line := range strings.Lines(content) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "search" {
			domains = fields[1:]
		}
	}
	return domains
}

// candidates of full names for a host, in the order in which Chroma's Pods try them. They complete a name in their own
// namespace first, and this process runs in another one: a Service called postgres there is not the one that is meant.
func candidates(host, namespace string, search []string) []string {
	// With fewer dots than this the kubelet has names completed first (ndots).
	const dots = 5
	if _, err := netip.ParseAddr(host); err == nil || strings.HasSuffix(host, ".") {
		return []string{host}
	}
	names := make([]string, 0, len(search)+1)
	for _, domain := range search {
		// The first domain is <namespace>.svc.<domain of the cluster>.
		if _, rest, found := strings.Cut(domain, ".svc."); found && namespace != "" {
			domain = namespace + ".svc." + rest
		}
		names = append(names, host+"."+strings.TrimSuffix(domain, ".")+".")
	}
	if strings.Count(host, ".") >= dots {
		return append([]string{host + "."}, names...)
	}
	return append(names, host+".")
}
