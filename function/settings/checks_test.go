package settings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseChecks(t *testing.T) {
	type want struct {
		checks Checks
		err    string
	}
	cases := map[string]struct {
		reason string
		checks map[string]any
		want   want
	}{
		"None": {
			reason: "Without the section, checks are made, and connect to what is not refused by default.",
		},
		"Hosts": {
			reason: "Names, domains, addresses and networks are taken as they are.",
			checks: map[string]any{"hosts": map[string]any{
				"allowed": []any{"127.0.0.1", "Store.Example.org"}, "denied": []any{"10.0.0.0/8", "*.internal", "fd00::/8"},
			}},
			want: want{checks: Checks{HostsAllowed: []string{"127.0.0.1", "Store.Example.org"}, HostsDenied: []string{"10.0.0.0/8", "*.internal", "fd00::/8"}}},
		},
		"Mistyped": {
			reason: "A mistyped entry would deny nothing. Each is refused with its path, in the pass that first sees it.",
			checks: map[string]any{"hosts": map[string]any{
				"allowed": []any{"10.0.0.0/33"}, "denied": []any{"store.example.org", "http://store.example.org"},
			}},
			want: want{err: `cannot use the Input: [` +
				`checks.hosts.allowed[0]: Invalid value: "10.0.0.0/33": is no host name, no *.<domain>, no address and no network, ` +
				`checks.hosts.denied[1]: Invalid value: "http://store.example.org": is no host name, no *.<domain>, no address and no network]`},
		},
		"Disabled": {
			reason: "The mode is one of two.",
			checks: map[string]any{"mode": "Disabled"},
			want:   want{checks: Checks{Disabled: true}},
		},
		"OtherMode": {
			reason: "Another mode is refused with those that exist, beside what else is wrong.",
			checks: map[string]any{"mode": "Sometimes", "hosts": map[string]any{"allowed": []any{""}}},
			want: want{err: `cannot use the Input: [` +
				`checks.hosts.allowed[0]: Invalid value: "": is no host name, no *.<domain>, no address and no network, ` +
				`checks.mode: Unsupported value: "Sometimes": supported values: "Enabled", "Disabled"]`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			content := map[string]any{}
			if tc.checks != nil {
				content["checks"] = tc.checks
			}
			var got want
			parsed, err := Parse(content, Environment{})
			if err != nil {
				got.err = err.Error()
			}
			got.checks = parsed.Checks
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nParse(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
