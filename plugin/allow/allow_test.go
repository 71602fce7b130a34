package allow_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAllow(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"allow"}, more...) }
	cases := map[string]fixture.Change{
		"Downgrade": {
			Reason: "Exactly the annotation that is needed is written.", State: "blocked-downgrade", Args: args("downgrade", "demo", "--yes"),
			Want: "Both have the data format C", Bodies: []string{`{"metadata":{"annotations":{"chroma.chromadotnet.org/allow-downgrade":"true"}}}`},
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
		"RevokeNone":   {Reason: "What is not there cannot be taken away.", State: "ready", Args: args("downgrade", "demo", "--revoke"), Want: "has none of"},
		"Ahead":        {Reason: "An image that is yet to be applied can be allowed ahead.", State: "ready", Args: args("downgrade", "demo", "--image", "docker.io/chromadb/chroma:1.5.7", "--yes"), Want: "1.5.7", Bodies: []string{"allow-downgrade"}},
	}
	for name, tc := range map[string]fixture.Change{
		"Version":         {Reason: "A distributed Chroma has a version, and its downgrade can be allowed.", State: "distributed-downgrade", Args: args("downgrade", "demo", "--yes"), Want: "52ce844 has migrated the database", Bodies: []string{`"chroma.chromadotnet.org/allow-downgrade":"true"`}},
		"VersionNotOlder": {Reason: "A version that is not held back needs nothing.", State: "distributed-ready", Args: args("downgrade", "demo", "--yes"), Code: exit.Refused, Want: "nothing needs to be allowed"},
		"VersionFormat":   {Reason: "A database has no data format.", State: "distributed-downgrade", Args: args("format-downgrade", "demo", "--yes"), Code: exit.Usage, Want: "distributed"},
	} {
		cases[name] = tc
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

func TestRevoke(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "blocked-downgrade")...)
	if got := fixture.Run(t, server, "", "allow", "downgrade", "demo", "-n", "default", "--yes"); got.Code != exit.Fine {
		t.Fatal(got)
	}
	if got := fixture.Run(t, server, "", "allow", "downgrade", "demo", "-n", "default", "--revoke"); got.Code != exit.Fine {
		t.Fatal(got)
	}
	writes := server.Writes()
	if want := `{"metadata":{"annotations":{"chroma.chromadotnet.org/allow-downgrade":null}}}`; len(writes) != 2 || writes[1].Body != want {
		t.Errorf("want the annotation taken away with %s, got %v", want, writes)
	}
}
