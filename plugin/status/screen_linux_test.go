package status_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

const (
	// top moves to the first row, and wiped clears the terminal, which would flicker.
	top, wiped = "\x1b[H", "\x1b[2J"
	painted    = "\x1b[32m"
)

// TestWatchOnATerminal follows an upgrade as a person sees it: the server is started, and then ready.
func TestWatchOnATerminal(t *testing.T) {
	var ready *unstructured.Unstructured
	objects := fixture.Load(t, "ready")
	for i, object := range objects {
		if object.GetKind() == "Pod" {
			ready, objects[i] = object, object.DeepCopy()
			_ = unstructured.SetNestedSlice(objects[i].Object, []any{map[string]any{"type": "Ready", "status": "False"}}, "status", "conditions")
		}
	}
	server := fixture.Serve(t, objects...)
	ended := make(chan fixture.Result)
	go func() {
		ended <- fixture.OnScreen(t, server, nil, "status", "demo", "-n", "default", "--watch", "--timeout", "1m")
	}()
	await(t, server, 3)
	server.Edit("Pod", "demo-1", func(pod *unstructured.Unstructured) { pod.Object = ready.DeepCopy().Object })
	got := <-ended
	frames := strings.Split(got.Out, top)
	last := frames[len(frames)-1]
	if got.Code != exit.Fine || len(frames) < 3 || strings.Contains(got.Out, wiped) {
		t.Fatalf("want frames over each other that are never wiped, and exit code 0, got %d frames:\n%q", len(frames), got)
	}
	if !strings.Contains(frames[1], "waiting for PodNotReady to pass") || !strings.Contains(last, "docker.io/chromadb/chroma:1.5.9 runs") || strings.Contains(last, "waiting for") {
		t.Errorf("want it to wait, and to end on what serves:\n%q\n%q", frames[1], last)
	}
}

func TestColoursOnATerminal(t *testing.T) {
	cases := map[string]struct {
		reason      string
		environment map[string]string
		args        []string
		want        bool
	}{
		"Terminal": {reason: "A person sees colours.", want: true},
		"NoColor":  {reason: "NO_COLOR turns them off.", environment: map[string]string{"NO_COLOR": "1"}},
		"Never":    {reason: "So does the flag.", args: []string{"--color", "never"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			got := fixture.OnScreen(t, server, tc.environment, append([]string{"status", "demo", "-n", "default"}, tc.args...)...)
			if got.Code != exit.Fine || !strings.Contains(got.Out, "demo") || strings.Contains(got.Out, painted) != tc.want {
				t.Errorf("\n%s\nwant colours: %t, got:\n%q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestTableOnATerminal(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	got := fixture.OnScreen(t, server, nil, "status", "-n", "default")
	if got.Code != exit.Fine || !strings.Contains(got.Out, painted) {
		t.Errorf("a person sees colours: %q", got)
	}
}
