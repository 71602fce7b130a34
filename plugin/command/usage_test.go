package command_test

import (
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestMistakesOfUsageAreToldAsSuch(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Argument":   {reason: "An argument too many.", args: []string{"version", "x"}, want: "takes no arguments, and got 1 argument"},
		"Arguments":  {reason: "Several of them.", args: []string{"endpoint", "a", "b"}, want: "takes a name, and got 2 arguments"},
		"Timeout":    {reason: "A timeout that is none.", args: []string{"status", "--request-timeout", "soon"}, want: "--request-timeout"},
		"TimeoutAll": {reason: "Also where no namespace is read.", args: []string{"version", "--request-timeout", "soon"}, want: "--request-timeout"},
		"Slip":       {reason: "A slip of the finger is told what was meant.", args: []string{"stauts"}, want: "did you mean status?"},
		"Command":    {reason: "A command that there is not.", args: []string{"upgrade-all"}, want: "there is no command"},
		"Flag":       {reason: "A flag that there is not.", args: []string{"status", "--al"}, want: "unknown flag"},
		"Name":       {reason: "A name that is empty.", args: []string{"status", ""}, want: "has no name"},
		"Reason":     {reason: "A reason that is empty.", args: []string{"explain", ""}, want: "say which reason"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			got := fixture.Run(t, server, "", tc.args...)
			if got.Code != exit.Usage || !strings.Contains(got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, exit.Usage, tc.want, got)
			}
			if requests := server.Requests(); len(requests) > 0 {
				t.Errorf("\n%s\nnothing is asked for before that: %v", tc.reason, requests)
			}
		})
	}
}

func TestEveryDocumentHasOneOfTwoFormats(t *testing.T) {
	for _, of := range all(root()) {
		output := of.Flags().Lookup("output")
		if output == nil || of.HasSubCommands() {
			continue
		}
		server := fixture.Serve(t, fixture.Load(t, "ready")...)
		args := strings.Fields(strings.TrimPrefix(of.CommandPath(), of.Root().CommandPath()))
		if strings.Contains(of.Use, "NAME") && !strings.Contains(of.Use, "[NAME") {
			args = append(args, "demo")
		}
		if of.Flags().Lookup("image") != nil {
			args = append(args, "--image", "docker.io/chromadb/chroma:1.5.9")
		}
		got := fixture.Run(t, server, "", append(args, "-o", "yml")...)
		if got.Code != exit.Usage || len(server.Requests()) > 0 {
			t.Errorf("%s -o yml: want a usage error before anything is done, got %v and:\n%s", of.CommandPath(), server.Requests(), got)
		}
	}
}
