package checks

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCandidates(t *testing.T) {
	kubernetes := []string{"crossplane-system.svc.cluster.local", "svc.cluster.local", "cluster.local", "corp.example."}
	cases := map[string]struct {
		reason, host, namespace string
		search                  []string
		want                    []string
	}{
		"Service": {
			reason: "a Service of the Chroma's own namespace comes first, as in its Pods", host: "postgres", namespace: "tenant", search: kubernetes,
			want: []string{"postgres.tenant.svc.cluster.local.", "postgres.svc.cluster.local.", "postgres.cluster.local.", "postgres.corp.example.", "postgres."},
		},
		"Full": {
			reason: "a name with a dot at its end is complete", host: "db.example.com.", namespace: "tenant", search: kubernetes,
			want: []string{"db.example.com."},
		},
		"Long": {
			reason: "a name of many parts is tried as it is first", host: "a.b.c.d.e.example", namespace: "tenant", search: kubernetes[:1],
			want: []string{"a.b.c.d.e.example.", "a.b.c.d.e.example.tenant.svc.cluster.local."},
		},
		"Address":     {reason: "an address is no name", host: "10.0.0.1", namespace: "tenant", search: kubernetes, want: []string{"10.0.0.1"}},
		"IPv6":        {reason: "of either family", host: "fd00::1", namespace: "tenant", search: kubernetes, want: []string{"fd00::1"}},
		"NoCluster":   {reason: "outside of a cluster there is no namespace", host: "db", namespace: "tenant", search: []string{"corp.example"}, want: []string{"db.corp.example.", "db."}},
		"NoNamespace": {reason: "without a namespace the process's own counts", host: "db", search: kubernetes[:1], want: []string{"db.crossplane-system.svc.cluster.local.", "db."}},
		"NoSearch":    {reason: "without search domains there is the name", host: "db", namespace: "tenant", want: []string{"db."}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, candidates(tc.host, tc.namespace, tc.search)); diff != "" {
				t.Errorf("\n%s\ncandidates(%q, ...): -want, +got:\n%s", tc.reason, tc.host, diff)
			}
		})
	}
}

func TestParseSearch(t *testing.T) {
	cases := map[string]struct {
		reason, content string
		want            []string
	}{
		"Kubernetes": {reason: "as the kubelet writes it", content: "search a.svc.cluster.local svc.cluster.local\nnameserver 10.0.0.10\noptions ndots:5\n", want: []string{"a.svc.cluster.local", "svc.cluster.local"}},
		"Last":       {reason: "the last line counts", content: "search a\nsearch b c", want: []string{"b", "c"}},
		"None":       {reason: "there may be none", content: "nameserver 10.0.0.10\n# search a\n"},
		"Empty":      {reason: "a line without domains has none", content: "search\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, parseSearch(tc.content)); diff != "" {
				t.Errorf("\n%s\nparseSearch(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzCandidates(f *testing.F) {
	f.Add("postgres", "tenant", "search a.svc.cluster.local svc.cluster.local\n")
	f.Add("db.example.com.", "", "search\n")
	f.Fuzz(func(t *testing.T, host, namespace, content string) {
		got := candidates(host, namespace, parseSearch(content))
		if len(got) == 0 {
			t.Fatal("there is always a name to try")
		}
		for _, candidate := range got {
			if !strings.HasPrefix(candidate, host) {
				t.Errorf("%q is not completed to %q", host, candidate)
			}
			// A name that is left open would be completed again, in the namespace of the function.
			if _, err := netip.ParseAddr(candidate); err != nil && !strings.HasSuffix(candidate, ".") {
				t.Errorf("%q is left open", candidate)
			}
		}
	})
}
