package allow_test

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAllow(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"allow"}, more...) }
	cases := map[string]fixture.Change{
		"Downgrade": {
			Reason: "Exactly the annotation that is needed is written.", State: "blocked-downgrade", Args: args("downgrade", "demo", "--yes"),
			Writes: 1,
		},
		"FormatDowngrade": {
			Reason: "Across a border both annotations are written.", State: "blocked-format", Args: args("format-downgrade", "demo", "--yes"),
			Writes: 1,
		},
		"ProductChange": {
			Reason: "The way back to Chroma has its own annotation.", State: "blocked-product-change", Args: args("product-change", "demo", "--yes"),
			Writes: 1,
		},
		"WrongCommand": {Reason: "A downgrade within the format does not allow one across its border.", State: "blocked-format", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused},
		"NotNeeded":    {Reason: "What may run already needs no annotation.", State: "ready", Args: args("downgrade", "demo", "--yes")},
		"NoWay":        {Reason: "A repository that may not run is not allowed by annotations.", State: "blocked-not-allowed", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused},
		"NotAsked":     {Reason: "Without a terminal --yes is needed.", State: "blocked-downgrade", Args: args("downgrade", "demo"), Code: exit.Usage},
		"Claim": {
			Reason: "People annotate the claim, and Crossplane passes it on.", State: "claim-backed-blocked", Args: args("downgrade", "demo", "--yes"),
			Writes: 1,
		},
		"CompositeUnread": {
			Reason: "What has run on the data is in the composite's status first: a copy of it can be behind.", State: "claim-backed-blocked", Args: args("downgrade", "demo", "--yes"), Fault: fixture.Forbid("/xchromas"),
			Code: exit.Error,
		},
		"NoRecord":   {Reason: "What has no data yet needs no annotation.", State: "no-status", Args: args("downgrade", "demo", "--yes")},
		"Unwritten":  {Reason: "A change that is refused is no change.", State: "blocked-downgrade", Args: args("downgrade", "demo", "--yes"), Fault: fixture.Writing(fixture.Forbid("/")), Code: exit.Error, Want: `cannot patch resource "chromas"`},
		"Client":     {Reason: "A dry run of the client says what would be written.", State: "blocked-format", Args: args("format-downgrade", "demo", "--dry-run", "client")},
		"Server":     {Reason: "A dry run of the server has it checked.", State: "blocked-format", Args: args("format-downgrade", "demo", "--dry-run", "server")},
		"RevokeNone": {Reason: "What is not there cannot be taken away.", State: "ready", Args: args("downgrade", "demo", "--revoke")},
		"Ahead":      {Reason: "An image that is yet to be applied can be allowed ahead.", State: "ready", Args: args("downgrade", "demo", "--image", "docker.io/chromadb/chroma:1.5.7", "--yes"), Writes: 1},
	}
	maps.Copy(cases, map[string]fixture.Change{
		"VersionRevoke":   {Reason: "The permission of a version is taken away as that of an image.", State: "distributed-downgrade", Before: allowed, Args: args("downgrade", "demo", "--revoke"), Writes: 1},
		"VersionClient":   {Reason: "A dry run of the client says what would be written.", State: "distributed-downgrade", Args: args("downgrade", "demo", "--dry-run", "client")},
		"Version":         {Reason: "A distributed Chroma has a version, and its downgrade can be allowed.", State: "distributed-downgrade", Args: args("downgrade", "demo", "--yes"), Writes: 1},
		"VersionNotOlder": {Reason: "A version that is not held back needs nothing.", State: "distributed-ready", Args: args("downgrade", "demo", "--yes")},
		"VersionUnknown":  {Reason: "A version that is held back for another reason is not allowed by an annotation.", State: "distributed-unknown-version", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused},
		"VersionFormat":   {Reason: "A database has no data format.", State: "distributed-downgrade", Args: args("format-downgrade", "demo", "--yes"), Code: exit.Usage},
	})
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

// allowed is a downgrade, as this command has allowed it.
func allowed(s *fixture.Server) {
	s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{"chroma.chromadotnet.org/allow-downgrade": "true"})
	})
}

func TestRevoke(t *testing.T) {
	both := func(s *fixture.Server) {
		s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"chroma.chromadotnet.org/allow-downgrade": "true", "chroma.chromadotnet.org/allow-format-downgrade": "1.4.1"})
		})
	}
	args := func(more ...string) []string {
		return append([]string{"allow", "format-downgrade", "demo", "--revoke"}, more...)
	}
	cases := map[string]fixture.Change{
		"Both":   {Reason: "All that the command may write is taken away, and what follows from it is said.", State: "blocked-format", Before: both, Args: args(), Writes: 1},
		"One":    {Reason: "What is not there is not named.", State: "blocked-format", Before: allowed, Args: args(), Writes: 1},
		"Client": {Reason: "A dry run of the client says what would be taken away.", State: "blocked-format", Before: both, Args: args("--dry-run", "client")},
		"Server": {Reason: "A dry run of the server has it checked.", State: "blocked-format", Before: both, Args: args("--dry-run", "server")},
		"Runs":   {Reason: "An older version that runs already goes on.", State: "allowed-downgrade", Args: []string{"allow", "downgrade", "demo", "--revoke"}, Writes: 1},
		"Claim":  {Reason: "It is the claim that is annotated.", State: "claim-backed-blocked", Before: allowed, Args: []string{"allow", "downgrade", "demo", "--revoke"}, Writes: 1},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}
