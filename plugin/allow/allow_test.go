package allow_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAllow(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"allow"}, more...) }
	cases := map[string]fixture.Change{
		"Downgrade": {
			Reason: "Exactly the annotation that is needed is written.", State: "blocked-downgrade", Args: args("downgrade", "demo", "--yes"),
			Want: "Both have the data format C", Bodies: []string{`{"metadata":{"annotations":{"chroma.chromadotnet.org/allow-downgrade":"true"},"uid":"`},
		},
		"FormatDowngrade": {
			Reason: "Across a border both annotations are written.", State: "blocked-format", Args: args("format-downgrade", "demo", "--yes"),
			Want: "1.4.1", Bodies: []string{`"chroma.chromadotnet.org/allow-format-downgrade":"1.4.1"`},
		},
		"ProductChange": {
			Reason: "The way back to Chroma has its own annotation.", State: "blocked-product-change", Args: args("product-change", "demo", "--yes"),
			Want: "sparse vectors", Bodies: []string{`"chroma.chromadotnet.org/allow-product-change":"true"`},
		},
		"WrongCommand": {Reason: "A downgrade within the format does not allow one across its border.", State: "blocked-format", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused, Want: "DowngradeChangesFormat"},
		"NotNeeded":    {Reason: "What may run already needs no annotation.", State: "ready", Args: args("downgrade", "demo", "--yes"), Want: "nothing needs to be allowed"},
		"NoWay":        {Reason: "A repository that may not run is not allowed by annotations.", State: "blocked-not-allowed", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused, Want: "example.org"},
		"NotAsked":     {Reason: "Without a terminal --yes is needed.", State: "blocked-downgrade", Args: args("downgrade", "demo"), Code: exit.Usage, Want: "--yes"},
		"Claim": {
			Reason: "People annotate the claim, and Crossplane passes it on.", State: "claim-backed-blocked", Args: args("downgrade", "demo", "--yes"),
			Want: "Both have the data format C", Bodies: []string{"PATCH /apis/chroma.chromadotnet.org/v1alpha1/namespaces/default/chromas/demo"},
		},
		"CompositeUnread": {
			Reason: "What has run on the data is in the composite's status first: a copy of it can be behind.", State: "claim-backed-blocked", Args: args("downgrade", "demo", "--yes"), Fault: fixture.Forbid("/xchromas"),
			Code: exit.Error, Want: "so nothing was changed: cannot read XChroma",
		},
		"NoRecord":   {Reason: "What has no data yet needs no annotation.", State: "no-status", Args: args("downgrade", "demo", "--yes"), Want: "nothing has run on its data yet, so nothing needs to be allowed"},
		"Unwritten":  {Reason: "A change that is refused is no change.", State: "blocked-downgrade", Args: args("downgrade", "demo", "--yes"), Fault: fixture.Writing(fixture.Forbid("/")), Code: exit.Error, Want: `cannot patch resource "chromas"`},
		"RevokeNone": {Reason: "What is not there cannot be taken away.", State: "ready", Args: args("downgrade", "demo", "--revoke"), Want: "has none of"},
		"Ahead":      {Reason: "An image that is yet to be applied can be allowed ahead.", State: "ready", Args: args("downgrade", "demo", "--image", "docker.io/chromadb/chroma:1.5.7", "--yes"), Want: "1.5.7", Bodies: []string{"allow-downgrade"}},
	}
	maps.Copy(cases, map[string]fixture.Change{
		"Version":         {Reason: "A distributed Chroma has a version, and its downgrade can be allowed.", State: "distributed-downgrade", Args: args("downgrade", "demo", "--yes"), Want: "52ce844 has migrated the database", Bodies: []string{`"chroma.chromadotnet.org/allow-downgrade":"true"`}},
		"VersionNotOlder": {Reason: "A version that is not held back needs nothing.", State: "distributed-ready", Args: args("downgrade", "demo", "--yes"), Want: "nothing needs to be allowed"},
		"VersionUnknown":  {Reason: "A version that is held back for another reason is not allowed by an annotation.", State: "distributed-unknown-version", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused, Want: "which this command does not allow"},
		"VersionFormat":   {Reason: "A database has no data format.", State: "distributed-downgrade", Args: args("format-downgrade", "demo", "--yes"), Code: exit.Usage, Want: "distributed"},
	})
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

func TestRevoke(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "blocked-format")...)
	if got := fixture.Run(t, server, "", "allow", "format-downgrade", "demo", "-n", "default", "--yes"); got.Code != exit.Fine {
		t.Fatal(got)
	}
	const gone = "chroma.chromadotnet.org/allow-downgrade, chroma.chromadotnet.org/allow-format-downgrade"
	got := fixture.Run(t, server, "", "allow", "format-downgrade", "demo", "-n", "default", "--revoke", "--dry-run", "client")
	if got.Code != exit.Fine || !strings.Contains(got.Out, "would be taken away: "+gone) || len(server.Writes()) != 1 {
		t.Errorf("want a dry run that names the annotations, got %s", got)
	}
	got = fixture.Run(t, server, "", "allow", "format-downgrade", "demo", "-n", "default", "--revoke")
	if got.Code != exit.Fine || !strings.Contains(got.Out, "taken away: "+gone) || !strings.Contains(got.Err, "is held back now (DowngradeChangesFormat)") {
		t.Errorf("want the annotations named, and what follows from it, got %s", got)
	}
	writes := server.Writes()
	if want := `{"metadata":{"annotations":{"chroma.chromadotnet.org/allow-downgrade":null,"chroma.chromadotnet.org/allow-format-downgrade":null},"uid":"`; len(writes) != 2 || !strings.HasPrefix(writes[1].Body, want) {
		t.Errorf("want the annotations taken away with %s, got %v", want, writes)
	}
}

// TestRevokeWhatRuns takes away the permission of an older version that runs already.
func TestRevokeWhatRuns(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "allowed-downgrade")...)
	got := fixture.Run(t, server, "", "allow", "downgrade", "demo", "-n", "default", "--revoke")
	if want := "held back now (Downgrade). A server that runs goes on."; got.Code != exit.Fine || !strings.Contains(got.Err, want) {
		t.Errorf("want %q, got %s", want, got)
	}
}
