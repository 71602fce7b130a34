package main

import (
	"testing"

	"github.com/function-chroma/function-chroma/function/distributed/checks"
)

// TestACallIsLeftThatWaitsForNoDatabase: those of single-node Chromas must not stand behind a Postgres that is down.
func TestACallIsLeftThatWaitsForNoDatabase(t *testing.T) {
	if waiting := checks.DefaultLimits().Waiting; waiting >= maxConcurrentCalls {
		t.Errorf("%d may wait for an answer, and no more than %d calls are taken at a time", waiting, maxConcurrentCalls)
	}
}
