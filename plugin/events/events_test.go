package events_test

import (
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestEvents(t *testing.T) {
	for _, state := range []string{"pod-refused", "claim-backed", "no-status"} {
		t.Run(state, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, state)...)
			fixture.Golden(t, state+".txt", fixture.Run(t, server, "", "events", "demo", "-n", "default").String())
		})
	}
}

func TestEventsThatCannotBeRead(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = fixture.Forbid("/events")
	if got := fixture.Run(t, server, "", "events", "demo", "-n", "default"); got.Code != exit.Error || !strings.Contains(got.Err, `cannot list resource "events"`) {
		t.Errorf("the missing permission is named: %s", got)
	}
}
