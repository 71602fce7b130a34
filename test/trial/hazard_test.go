package trial

import (
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/test/server"
	"github.com/function-chroma/function-chroma/test/server/client"
)

// newest is the release of Chroma that hazards are shown with.
const newest = "1.5.9"

// requireMounts skips a test where a process cannot have mounts of its own.
func requireMounts(t *testing.T) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt").CombinedOutput()
	if err != nil {
		t.Skipf("needs root and the right to mount: %v: %s", err, output)
	}
}

// readOnlyRoot makes all but the volume read-only, as in the Pod, but without the Pod's /tmp.
const readOnlyRoot = `
mount --bind "$1" "$1"
mount -o remount,bind,ro /
for folder in /tmp /var/tmp /dev/shm; do
	if mountpoint -q $folder; then mount -o remount,bind,ro $folder; fi
done`

// filled makes a volume with a collection of 20 records, and returns its folder and the collection.
func filled(t *testing.T, program server.Program) (folder, collection string) {
	t.Helper()
	folder = t.TempDir()
	running := server.Start(t, program, server.Options{Volume: folder})
	chroma := client.New(running.URL)
	collection, err := create(t.Context(), chroma, records, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(t.Context(), chroma, collection, 0, 20); err != nil {
		t.Fatal(err)
	}
	server.StopClean(t, running)
	return folder, collection
}

// wantDeath fails the test unless a server ends before it answers, with some words.
func wantDeath(t *testing.T, program server.Program, options server.Options, words, reason string) {
	t.Helper()
	running, err := server.Run(t.Context(), program, options)
	if err == nil {
		t.Errorf("\n%s\nRun(...): want the server to end, but it answers at %s", reason, running.URL)
		if err := running.Kill(); err != nil {
			t.Error(err)
		}
		return
	}
	exit := (*server.ExitError)(nil)
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if !strings.Contains(exit.Output, words) {
		t.Errorf("\n%s\nRun(...): want a server that says %q, got:\n%s", reason, words, exit.Output)
	}
}

// wantStatus fails the test unless an answer of the server has a status, 200 for success.
func wantStatus(t *testing.T, want int, err error, what string) {
	t.Helper()
	got := http.StatusOK
	if refusal := (*client.Error)(nil); errors.As(err, &refusal) {
		got = refusal.Status
	} else if err != nil {
		t.Fatal(err)
	}
	if want != got {
		t.Errorf("%s: want status %d, got %d: %v", what, want, got, err)
	}
}

// TestNoTemporaryFolder shows why the Pod has /tmp: SQLite keeps what does not fit its memory in temporary files. On a
// volume with data that shows only when 1,000 records have come together and the server puts them into its indexes: it
// fails the write, and keeps answering its probes. About one time in thirty they fit its memory all the same, so more of
// them are written until it fails.
func TestNoTemporaryFolder(t *testing.T) {
	requireMounts(t)
	program := server.Require(t, newest)

	wantDeath(t, program, server.Options{Volume: t.TempDir(), Mounts: readOnlyRoot}, "disk I/O error",
		"Without a temporary folder a server cannot make its tables on an empty volume")

	folder, collection := filled(t, program)
	running := server.Start(t, program, server.Options{Volume: folder, Mounts: readOnlyRoot})
	chroma := client.New(running.URL)
	wantStatus(t, http.StatusOK, fill(t.Context(), chroma, collection, 100, 1), "a server without a temporary folder takes a record")
	var failed error
	for first := 1000; failed == nil && first < 10_000; first += 1000 {
		failed = fill(t.Context(), chroma, collection, first, 1000)
	}
	wantStatus(t, http.StatusInternalServerError, failed, "it fails when it must index")
	wantStatus(t, http.StatusOK, chroma.Heartbeat(t.Context()), "it passes its probes all the same")
	if err := running.Kill(); err != nil {
		t.Fatal(err)
	}

	running = server.Start(t, program, server.Options{Volume: folder, Mounts: readOnlyRoot, Environment: []string{"TMPDIR=" + folder}})
	wantStatus(t, http.StatusOK, fill(t.Context(), client.New(running.URL), collection, 10_000, 1000),
		"with a temporary folder, here on the volume, it indexes")
	server.StopClean(t, running)
}

// TestReadOnlyVolume shows that a volume that cannot be written is noticed at the start, not later.
func TestReadOnlyVolume(t *testing.T) {
	requireMounts(t)
	const readOnly = "mount --bind \"$1\" \"$1\"\nmount -o remount,bind,ro \"$1\""
	program := server.Require(t, newest)
	wantDeath(t, program, server.Options{Volume: t.TempDir(), Mounts: readOnly}, "unable to open database file",
		"A server cannot make its database on a read-only volume")
	folder, _ := filled(t, program)
	wantDeath(t, program, server.Options{Volume: folder, Mounts: readOnly}, "attempt to write a readonly database",
		"A server writes to its database at each start, so a read-only copy cannot be looked into with one")
}

// TestFullVolume shows that probes do not notice a full volume.
func TestFullVolume(t *testing.T) {
	requireMounts(t)
	running := server.Start(t, server.Require(t, newest), server.Options{
		Volume: t.TempDir(), Mounts: `mount -t tmpfs -o size=3m tmpfs "$1"`,
	})
	chroma := client.New(running.URL)
	collection, err := create(t.Context(), chroma, records, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var full error
	for first := 0; full == nil && first < 100*batch; first += batch {
		full = fill(t.Context(), chroma, collection, first, batch)
	}
	wantStatus(t, http.StatusInternalServerError, full, "a write to a full volume fails")
	wantStatus(t, http.StatusOK, chroma.Heartbeat(t.Context()), "the server passes its probes all the same")
}

// TestServiceLink shows why the Pod has no service links: a Service named chroma in the same namespace would set this.
func TestServiceLink(t *testing.T) {
	program := server.Require(t, newest)
	wantDeath(t, program, server.Options{Volume: t.TempDir(), Environment: []string{"CHROMA_PORT=tcp://10.0.0.1:8000"}},
		"expected u16", "The server takes the variable of a service link for its port")
	running := server.Start(t, program, server.Options{
		Volume: t.TempDir(), Environment: []string{"CHROMA_RW_PORT=tcp://10.0.0.1:8000"},
	})
	wantStatus(t, http.StatusOK, client.New(running.URL).Heartbeat(t.Context()),
		"the variable of our own Service, chroma-rw, is no key of the configuration")
}

// TestTwoServers shows why two Pods must never have one claim: nothing locks the volume, and each server keeps a vector
// index of its own that it writes over the other's, each time that 1,000 records have come together. All records stay
// counted, and no request fails.
func TestTwoServers(t *testing.T) {
	program := server.Require(t, newest)
	folder, collection := filled(t, program)
	servers := []*server.Server{
		server.Start(t, program, server.Options{Volume: folder}),
		server.Start(t, program, server.Options{Volume: folder}),
	}
	const each, size = 1200, 100
	written := []int{}
	for i := 0; i < each; i += size {
		for j, running := range servers {
			first := 10000*(j+1) + i
			if err := fill(t.Context(), client.New(running.URL), collection, first, size); err != nil {
				t.Fatal(err)
			}
			for number := first; number < first+size; number++ {
				written = append(written, number)
			}
		}
	}
	for _, running := range servers {
		server.StopClean(t, running)
	}
	running := server.Start(t, program, server.Options{Volume: folder})
	chroma := client.New(running.URL)
	count, err := chroma.Count(t.Context(), collection)
	if err != nil {
		t.Fatal(err)
	}
	if want := 20 + 2*each; count != want {
		t.Errorf("Count(...): the damage is silent, want all %d records counted, got %d", want, count)
	}
	lost := unfindable(t, chroma, collection, written)
	t.Logf("%d of %d records that were written by two servers are not found by their own vector", len(lost), len(written))
	if len(lost) == 0 {
		t.Error("Two servers on one volume lost nothing: what the function says of a claim that others mount is no longer true")
	}
}

// unfindable returns the records that a search for their own vector does not find first.
func unfindable(t *testing.T, chroma *client.Client, collection string, numbers []int) []string {
	t.Helper()
	query := client.Query{Results: 1, Include: []string{"distances"}}
	for _, number := range numbers {
		query.Embeddings = append(query.Embeddings, vector(number, "added"))
	}
	found, err := chroma.Query(t.Context(), collection, query)
	if err != nil {
		t.Fatal(err)
	}
	lost := []string{}
	for i, number := range numbers {
		if want := id(number); len(found.IDs[i]) != 1 || found.IDs[i][0] != want {
			lost = append(lost, want)
		}
	}
	return lost
}

// TestKillDuringWrites shows that a server that is killed loses nothing it has acknowledged.
func TestKillDuringWrites(t *testing.T) {
	program := server.Require(t, newest)
	folder, collection := filled(t, program)
	const runs, kept = 3, 15
	for run := range runs {
		running := server.Start(t, program, server.Options{Volume: folder})
		chroma := client.New(running.URL)
		acknowledged := make(chan int)
		go func() {
			defer close(acknowledged)
			for number := 1000 * (run + 1); ; number++ {
				if fill(t.Context(), chroma, collection, number, 1) != nil {
					return
				}
				acknowledged <- number
			}
		}()
		last := 0
		for range kept {
			number, more := <-acknowledged
			if !more {
				t.Fatalf("run %d: the server failed a write before it was killed:\n%s", run, running.Output())
			}
			last = number
		}
		if err := running.Kill(); err != nil {
			t.Fatal(err)
		}
		for last = range acknowledged {
		}

		running = server.Start(t, program, server.Options{Volume: folder})
		numbers := []int{}
		for number := 1000 * (run + 1); number <= last; number++ {
			numbers = append(numbers, number)
		}
		if lost := unfindable(t, client.New(running.URL), collection, numbers); len(lost) > 0 {
			t.Errorf("run %d: %d acknowledged records are gone after SIGKILL: %v", run, len(lost), lost)
		}
		server.StopClean(t, running)
	}
}
