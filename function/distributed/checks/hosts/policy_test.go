package hosts_test

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/function/distributed/checks/hosts"
)

// outcome of a question to a policy.
type outcome string

const (
	admitted outcome = "admitted"
	refused  outcome = "refused by default"
	denied   outcome = "denied"
)

func outcomeOf(t *testing.T, err error) outcome {
	t.Helper()
	var refusal *hosts.Refusal
	switch {
	case err == nil:
		return admitted
	case !errors.As(err, &refusal):
		t.Fatalf("want a *Refusal, got %T", err)
	case refusal.Denied:
		return denied
	}
	return refused
}

func TestDefaultRefusal(t *testing.T) {
	cases := map[string]struct {
		reason  string
		address string
		want    outcome
	}{
		"Private":               {reason: "databases live in private networks", address: "10.1.2.3", want: admitted},
		"PrivateIPv6":           {reason: "and in those of IPv6", address: "fd12:3456::1", want: admitted},
		"Public":                {reason: "and in clouds", address: "203.0.113.7", want: admitted},
		"PublicIPv6":            {reason: "of both families", address: "2a00:1450::5", want: admitted},
		"CarrierGrade":          {reason: "100.64.0.0/10 is used for Pods", address: "100.64.0.1", want: admitted},
		"Loopback":              {reason: "the function's own Pod", address: "127.0.0.1", want: refused},
		"LoopbackElsewhere":     {reason: "all of 127.0.0.0/8 is this machine", address: "127.9.9.9", want: refused},
		"LoopbackIPv6":          {reason: "the same of IPv6", address: "::1", want: refused},
		"Unspecified":           {reason: "Linux connects it to this machine", address: "0.0.0.0", want: refused},
		"ThisNetwork":           {reason: "0.0.0.0/8 is this machine", address: "0.1.2.3", want: refused},
		"UnspecifiedIPv6":       {reason: "Linux connects it to this machine", address: "::", want: refused},
		"Metadata":              {reason: "it hands out the node's credentials", address: "169.254.169.254", want: refused},
		"ContainerMetadata":     {reason: "it hands out the task's credentials", address: "169.254.170.2", want: refused},
		"LinkLocal":             {reason: "the neighbours of the node", address: "169.254.0.1", want: refused},
		"LinkLocalIPv6":         {reason: "the neighbours of the node", address: "fe80::1", want: refused},
		"LinkLocalZone":         {reason: "a zone changes nothing", address: "fe80::1%eth0", want: refused},
		"SiteLocalIPv6":         {reason: "site-local addresses of old", address: "fec0::1", want: refused},
		"Multicast":             {reason: "no server", address: "224.0.0.251", want: refused},
		"MulticastIPv6":         {reason: "no server", address: "ff02::fb", want: refused},
		"Broadcast":             {reason: "no server", address: "255.255.255.255", want: refused},
		"Reserved":              {reason: "no server", address: "240.0.0.1", want: refused},
		"Alibaba":               {reason: "its metadata service", address: "100.100.100.200", want: refused},
		"Azure":                 {reason: "its platform", address: "168.63.129.16", want: refused},
		"Oracle":                {reason: "its metadata service", address: "192.0.0.192", want: refused},
		"EC2IPv6":               {reason: "its metadata service", address: "fd00:ec2::254", want: refused},
		"EKSIPv6":               {reason: "the credentials of Pods", address: "fd00:ec2::23", want: refused},
		"GoogleIPv6":            {reason: "its metadata service", address: "fd20:ce::254", want: refused},
		"ScalewayIPv6":          {reason: "its metadata service", address: "fd00:42::42", want: refused},
		"MappedLoopback":        {reason: "an IPv4 address in IPv6 dress", address: "::ffff:127.0.0.1", want: refused},
		"MappedMetadata":        {reason: "an IPv4 address in IPv6 dress", address: "::ffff:169.254.169.254", want: refused},
		"MappedHexadecimal":     {reason: "the same, written otherwise", address: "::ffff:a9fe:a9fe", want: refused},
		"MappedPrivate":         {reason: "what is admitted stays so", address: "::ffff:10.0.0.1", want: admitted},
		"CompatibleMetadata":    {reason: "the dress of old", address: "::169.254.169.254", want: refused},
		"NAT64Metadata":         {reason: "a translator brings it there", address: "64:ff9b::169.254.169.254", want: refused},
		"NAT64Loopback":         {reason: "a translator brings it there", address: "64:ff9b::7f00:1", want: refused},
		"NAT64Public":           {reason: "how a machine without IPv4 reaches it", address: "64:ff9b::203.0.113.7", want: admitted},
		"LocalNAT64Metadata96":  {reason: "a prefix of 96 bits", address: "64:ff9b:1:1:1:1:a9fe:a9fe", want: refused},
		"LocalNAT64Metadata48":  {reason: "a prefix of 48 bits", address: "64:ff9b:1:a9fe:a9:fe00::", want: refused},
		"SixToFourMetadata":     {reason: "a relay brings it there", address: "2002:a9fe:a9fe::1", want: refused},
		"SixToFourPublic":       {reason: "what is admitted stays so", address: "2002:cb00:7107::1", want: admitted},
		"TeredoClientMetadata":  {reason: "a relay brings it there", address: "2001:0:cb00:7107:0:0:5601:5601", want: refused},
		"TeredoServerLoopback":  {reason: "a relay brings it there", address: "2001:0:7f00:1:0:0:34ff:8ef8", want: refused},
		"ISATAPMetadata":        {reason: "a tunnel brings it there", address: "2a00:1450::5efe:169.254.169.254", want: refused},
		"ISATAPMetadataPrivate": {reason: "with its universal bit", address: "2a00:1450::200:5efe:a9fe:a9fe", want: refused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := outcomeOf(t, hosts.Policy{}.Address(netip.MustParseAddr(tc.address)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nAddress(%s): -want, +got:\n%s", tc.reason, tc.address, diff)
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	cases := map[string]struct {
		reason          string
		allowed, denied []string
		names           []string
		address         string
		want            outcome
	}{
		"AllowedNetwork":       {reason: "an entry lifts the refusal", allowed: []string{"127.0.0.0/8"}, address: "127.0.0.1", want: admitted},
		"AllowedAddress":       {reason: "of one address too", allowed: []string{"127.0.0.1"}, address: "127.0.0.1", want: admitted},
		"AllowedOtherAddress":  {reason: "and of no other", allowed: []string{"127.0.0.1"}, address: "127.0.0.2", want: refused},
		"AllowedMapped":        {reason: "an address is the same in both dresses", allowed: []string{"::ffff:127.0.0.0/104"}, address: "127.0.0.1", want: admitted},
		"AllowedName":          {reason: "a name is allowed wherever it leads", allowed: []string{"minio.local"}, names: []string{"minio.local"}, address: "169.254.1.1", want: admitted},
		"AllowedNameCase":      {reason: "DNS has no capitals", allowed: []string{"MinIO.local"}, names: []string{"minio.LOCAL."}, address: "127.0.0.1", want: admitted},
		"AllowedDomain":        {reason: "all names below", allowed: []string{"*.local"}, names: []string{"a.b.local"}, address: "127.0.0.1", want: admitted},
		"AllowedDomainItself":  {reason: "but not the domain", allowed: []string{"*.local"}, names: []string{"local"}, address: "127.0.0.1", want: refused},
		"AllowedDomainSuffix":  {reason: "nor a name that only ends so", allowed: []string{"*.local"}, names: []string{"evil-local", "evil.notlocal"}, address: "127.0.0.1", want: refused},
		"AllowedIsNoList":      {reason: "allowed entries take nothing away", allowed: []string{"minio.local"}, address: "10.0.0.1", want: admitted},
		"AllowedNotTranslated": {reason: "a translator's address is another one", allowed: []string{"127.0.0.0/8"}, address: "64:ff9b::127.0.0.1", want: refused},
		"DeniedNetwork":        {reason: "a network is closed", denied: []string{"10.0.0.0/8"}, address: "10.0.0.1", want: denied},
		"DeniedOtherNetwork":   {reason: "and no other", denied: []string{"10.0.0.0/8"}, address: "11.0.0.1", want: admitted},
		"DeniedTranslated":     {reason: "by way of a translator too", denied: []string{"10.0.0.0/8"}, address: "64:ff9b::10.0.0.1", want: denied},
		"DeniedMapped":         {reason: "and in IPv6 dress", denied: []string{"10.0.0.0/8"}, address: "::ffff:10.0.0.1", want: denied},
		"DeniedName":           {reason: "a name is closed, wherever it leads", denied: []string{"db.example.com"}, names: []string{"DB.example.com."}, address: "10.0.0.1", want: denied},
		"DeniedAnyName":        {reason: "one of the names is enough", denied: []string{"*.kube-system.svc.cluster.local"}, names: []string{"x", "x.kube-system.svc.cluster.local."}, address: "10.0.0.1", want: denied},
		"DeniedWins":           {reason: "what is denied stays so", allowed: []string{"10.0.0.0/8"}, denied: []string{"10.1.0.0/16"}, address: "10.1.0.1", want: denied},
		"DeniedWinsByName":     {reason: "by name too", allowed: []string{"*.local"}, denied: []string{"a.local"}, names: []string{"a.local"}, address: "127.0.0.1", want: denied},
		"EverythingDenied":     {reason: "then nothing is checked", denied: []string{"0.0.0.0/0", "::/0"}, address: "2a00::1", want: denied},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy, err := hosts.Parse(tc.allowed, tc.denied)
			if err != nil {
				t.Fatal(err)
			}
			got := outcomeOf(t, policy.Address(netip.MustParseAddr(tc.address), tc.names...))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nAddress(%s): -want, +got:\n%s", tc.reason, tc.address, diff)
			}
		})
	}
}

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason string
		entry  string
		valid  bool
	}{
		"Name":        {reason: "a host", entry: "db.example.com", valid: true},
		"Label":       {reason: "a Service of the same namespace", entry: "postgres", valid: true},
		"Underscore":  {reason: "names of containers have them", entry: "my_db", valid: true},
		"Domain":      {reason: "all below", entry: "*.example.com", valid: true},
		"Address":     {reason: "one address", entry: "10.0.0.1", valid: true},
		"IPv6":        {reason: "of IPv6 too", entry: "fd00::1", valid: true},
		"Network":     {reason: "many addresses", entry: "10.0.0.0/8", valid: true},
		"HostBits":    {reason: "bits beyond the prefix do not count", entry: "10.1.2.3/8", valid: true},
		"Empty":       {reason: "nothing", entry: ""},
		"Star":        {reason: "everything is two networks, and said so", entry: "*"},
		"StarInside":  {reason: "only a whole first label", entry: "a*.example.com"},
		"Port":        {reason: "ports are not told apart", entry: "db:5432"},
		"URL":         {reason: "no URL", entry: "http://db"},
		"Space":       {reason: "a list needs entries", entry: "a b"},
		"NotIPv4":     {reason: "a number too large is a slip, no name", entry: "256.1.1.1"},
		"ShortIPv4":   {reason: "so is one too short", entry: "10.1"},
		"BadPrefix":   {reason: "so is a prefix too long", entry: "10.0.0.0/33"},
		"Brackets":    {reason: "brackets belong to URLs", entry: "[::1]"},
		"Zone":        {reason: "a zone is one machine's", entry: "fe80::1%eth0"},
		"EmptyLabel":  {reason: "no such name", entry: "a..b"},
		"Punycode":    {reason: "names arrive in punycode", entry: "xn--bcher-kva.example", valid: true},
		"Unicode":     {reason: "and not otherwise", entry: "bücher.example"},
		"OnlyTheStar": {reason: "no domain", entry: "*."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := hosts.Parse([]string{tc.entry}, nil)
			_, other := hosts.Parse(nil, []string{tc.entry})
			if (err == nil) != tc.valid || (other == nil) != tc.valid {
				t.Errorf("\n%s\nParse(%q): want valid %t, got %v and %v", tc.reason, tc.entry, tc.valid, err, other)
			}
		})
	}
}

// TestDeniedIsFirm: whatever an entry is allowed besides, an address in a denied network is not connected to.
func TestDeniedIsFirm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")
		address := netip.AddrFrom4([4]byte(raw))
		network := netip.PrefixFrom(address, rapid.IntRange(0, 32).Draw(t, "bits")).Masked()
		policy, err := hosts.Parse([]string{"0.0.0.0/0", "::/0", "*.test", address.String()}, []string{network.String()})
		if err != nil {
			t.Fatal(err)
		}
		mapped := netip.AddrFrom16(address.As16())
		for _, dress := range []netip.Addr{address, mapped} {
			if policy.Address(dress, "a.test") == nil {
				t.Errorf("%s is in %s", dress, network)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "*.a", "10.0.0.0/8", "::ffff:1.2.3.4/100", "fe80::1%x", "a.b.", "1.2.3", "*.*", "::/0"} {
		f.Add(seed, "a.b", "127.0.0.1")
	}
	f.Fuzz(func(t *testing.T, entry, name, text string) {
		policy, err := hosts.Parse(nil, []string{entry})
		if err != nil {
			return
		}
		// What is denied by its own name or address is refused, however it is written.
		if address, err := netip.ParseAddr(entry); err == nil && policy.Address(address) == nil {
			t.Errorf("denied %q, and admitted", entry)
		}
		if network, err := netip.ParsePrefix(entry); err == nil && policy.Address(network.Addr()) == nil {
			t.Errorf("denied %q, and admitted", entry)
		}
		if policy.Name(entry) == nil && policy.Name("a."+entry) == nil {
			_, network := netip.ParsePrefix(entry)
			_, address := netip.ParseAddr(entry)
			if network != nil && address != nil && entry[0] != '*' {
				t.Errorf("denied the name %q, and admitted", entry)
			}
		}
		// And denying takes nothing else in: no answer may depend on a second look.
		if address, err := netip.ParseAddr(text); err == nil {
			if first, second := policy.Address(address, name), policy.Address(address, name); (first == nil) != (second == nil) {
				t.Errorf("two answers for %q", text)
			}
			if policy.Address(address, name) == nil && (hosts.Policy{}).Address(address) != nil {
				t.Errorf("denying %q opened %s", entry, address)
			}
		}
	})
}
