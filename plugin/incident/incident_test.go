package incident_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestListAndShow(t *testing.T) {
	for _, state := range []string{"incident", "ready"} {
		server := fixture.Serve(t, fixture.Load(t, state)...)
		fixture.Golden(t, state+".list.txt", fixture.Run(t, server, "", "incident", "list", "-A").String())
		fixture.Golden(t, state+".show.txt", fixture.Run(t, server, "", "incident", "show", "demo", "-n", "default").String())
		fixture.Golden(t, state+".show.json", fixture.Run(t, server, "", "incident", "show", "demo", "-n", "default", "-o", "json").Out)
	}
}

func TestDeclare(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"incident", "declare", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Declared": {
			Reason: "The annotation names version and code.", State: "incident", Args: args("--version", "1.5.9", "--yes"),
			Want: "chroma default/demo changed", Bodies: []string{`"chroma.chromadotnet.org/declared-data-version":"1.5.9/`},
		},
		"TooLow":      {Reason: "A version below what is known to have run is refused.", State: "incident", Args: args("--version", "1.5.8", "--yes"), Code: exit.Refused, Want: "1.5.9 is known to have run"},
		"Forced":      {Reason: "Force writes it, with a warning.", State: "incident", Args: args("--version", "1.5.8", "--force", "--yes"), Want: "warning: ", Bodies: []string{`"1.5.8/`}},
		"NoVersion":   {Reason: "A version is needed.", State: "incident", Args: args(), Code: exit.Usage, Want: "--version"},
		"NotAVersion": {Reason: "A tag without a version is refused.", State: "incident", Args: args("--version", "latest", "--yes"), Code: exit.Refused, Want: "no exact version"},
		"NoIncident":  {Reason: "Without an incident there is nothing to declare.", State: "ready", Args: args("--version", "1.5.9", "--yes"), Code: exit.Refused, Want: "no open incident"},
		"NotAsked":    {Reason: "Without a terminal --yes is needed.", State: "incident", Args: args("--version", "1.5.9"), Code: exit.Usage, Want: "--yes"},
		"DryRun":      {Reason: "A dry run writes nothing.", State: "incident", Args: args("--version", "1.5.9", "--dry-run", "client"), Want: "would be changed"},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}
