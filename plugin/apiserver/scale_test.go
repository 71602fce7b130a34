package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// fill the server with Chromas.
func (s *server) fill(t testing.TB, count int) {
	t.Helper()
	template := status(t)
	var group sync.WaitGroup
	const workers = 16
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < count; i += workers {
				one := chroma(fmt.Sprintf("chroma-%05d", i), nil)
				one.Object["status"] = template
				s.create(t, one.DeepCopy())
				s.statusOf(t, one)
			}
		})
	}
	group.Wait()
}

// TestTheTableIsPaged lists more than two pages, each once.
func TestTheTableIsPaged(t *testing.T) {
	const count = 1100
	s := start(t)
	s.fill(t, count)
	got := s.run(t, "status", "-A", "-o", "name")
	names := strings.Fields(got.Out)
	if got.Code != exit.Fine || len(names) != count || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != count {
		t.Fatalf("want %d names, each once, got %d and exit code %d: %s", count, len(names), got.Code, got.Err)
	}
	var list v1.StatusList
	if err := json.Unmarshal([]byte(s.run(t, "status", "-A", "-o", "json").Out), &list); err != nil || len(list.Items) != count {
		t.Errorf("want %d items, got %d: %v", count, len(list.Items), err)
	}
}

// TestScale prints what the table of PLUGIN_SCALE Chromas takes in time and memory: make plugin-scale.
func TestScale(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("PLUGIN_SCALE"))
	if err != nil {
		t.Skip("PLUGIN_SCALE says how many Chromas, like 5000: make plugin-scale")
	}
	plugin := filepath.Join(t.TempDir(), "kubectl-chroma")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", plugin, "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the plugin: %v: %s", err, out)
	}
	s := start(t)
	s.fill(t, count)
	for _, args := range [][]string{{"status", "-A"}, {"status", "-A", "-o", "json"}, {"status", "chroma-00000", "-n", namespace}, {"version", "--client"}} {
		for range 3 {
			command := exec.CommandContext(t.Context(), plugin, append(args, "--kubeconfig", s.kubeconfig)...)
			took, memory, lines := measure(t, command)
			t.Logf("%s: %s, %s of CPU, %s resident, %d lines", strings.Join(args, " "), took.Round(time.Millisecond),
				(command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Round(time.Millisecond), memory, lines)
		}
	}
}

// measure a command. What wait4 says of its memory is that of this process, from which it was forked, so the kernel is
// asked while it runs.
func measure(t *testing.T, command *exec.Cmd) (took time.Duration, memory string, lines int) {
	t.Helper()
	var out bytes.Buffer
	command.Stdout = &out
	begun := time.Now()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if command.ProcessState.ExitCode() == int(exit.Error) {
				t.Fatalf("cannot run %v: %v", command.Args, err)
			}
			return time.Since(begun), memory, strings.Count(out.String(), "\n")
		case <-time.After(time.Millisecond):
			state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
			if _, peak, found := strings.Cut(string(state), "VmHWM:"); found {
				peak, _, _ = strings.Cut(peak, "\n")
				memory = strings.TrimSpace(peak)
			}
		}
	}
}
