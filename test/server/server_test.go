package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/test/server/client"
)

func TestServer(t *testing.T) {
	program := Require(t, "1.5.9")
	volume := t.TempDir()
	running := Start(t, program, Options{Volume: volume, Config: []byte("stdout_tracing: true\n")})
	chroma := client.New(running.URL)
	collection, err := chroma.CreateCollection(t.Context(), client.Collection{Name: "first"})
	if err != nil {
		t.Fatal(err)
	}
	if err := chroma.Add(t.Context(), collection.ID, client.Records{
		IDs: []string{"a", "b"}, Embeddings: [][]float32{{1, 0}, {0, 1}},
	}); err != nil {
		t.Fatal(err)
	}
	StopClean(t, running)

	running = Start(t, program, Options{Volume: volume})
	chroma = client.New(running.URL)
	found, err := chroma.Query(t.Context(), collection.ID, client.Query{Embeddings: [][]float32{{0.1, 0.9}}, Results: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"b", "a"}}, found.IDs); diff != "" {
		t.Errorf("\nA record must be found after a restart on the same volume\nQuery(...): -want, +got:\n%s", diff)
	}
}

func TestRunEndsWithTheServer(t *testing.T) {
	program := Require(t, "1.5.9")
	_, err := Run(t.Context(), program, Options{Volume: t.TempDir(), Overlay: `port: "8000"`})
	exit := (*ExitError)(nil)
	if !errors.As(err, &exit) {
		t.Fatalf("Run(...): want an ExitError of a server that does not start, got: %v", err)
	}
	if !strings.Contains(exit.Output, "invalid type") {
		t.Errorf("Run(...): want the server's own words in the error, got:\n%s", exit.Output)
	}
}

func TestKill(t *testing.T) {
	running := Start(t, Require(t, "1.5.9"), Options{Volume: t.TempDir()})
	if err := running.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	code, err := running.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if want := 137; code != want {
		t.Errorf("Wait(...) after SIGKILL: want %d, got %d", want, code)
	}
}
