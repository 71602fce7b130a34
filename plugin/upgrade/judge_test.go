package upgrade

import (
	"strings"
	"testing"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

func TestAStepThatNoTrialCoversIsNotTried(t *testing.T) {
	cases := map[string]struct {
		reason   string
		from, to string
		tried    bool
	}{
		"Tried":   {reason: "Both servers were run on the same data.", from: "1.4.1", to: "1.5.9", tried: true},
		"Unrun":   {reason: "No server of 1.2.2 could be had.", from: "1.2.2", to: "1.5.9"},
		"Unknown": {reason: "A version newer than the table is its own format.", from: "1.5.9", to: "1.6.0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			from, to := versionOf(t, tc.from), versionOf(t, tc.to)
			verdict := compatibility.Judge(compatibility.Question{
				Data: compatibility.Data{Versions: map[chroma.Product]compatibility.Version{from.Product: from}, Last: from.Product}, Wanted: to,
			})
			got := trialOf(verdict.Crossings[0])
			if got == "" || strings.HasPrefix(got, "not tried") == tc.tried {
				t.Errorf("\n%s\ntrialOf(%s to %s): want tried %v, got %q", tc.reason, tc.from, tc.to, tc.tried, got)
			}
		})
	}
}

func versionOf(t *testing.T, number string) compatibility.Version {
	t.Helper()
	version, err := compatibility.ParseVersion(chroma.ProductChroma, number)
	if err != nil {
		t.Fatal(err)
	}
	return version
}
