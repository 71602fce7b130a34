package status_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/plugin/simulation"
)

func TestMain(m *testing.M) {
	fixture.BePlugin()
	os.Exit(m.Run())
}

// TestWatchInTmux follows an upgrade in the terminal that people use, and looks at it all the time. What stands there is a
// whole frame; what is there in between is the next frame drawn over the one before, and never less than that.
func TestWatchInTmux(t *testing.T) {
	x := fixture.NewTmux(t, 120, 50)
	moments := upgrade(t)
	server := fixture.Serve(t, moments[0]...)
	// One reading is of one moment. The next moment comes when a frame of this one was seen.
	var seen atomic.Bool
	next := 1
	server.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/chromas/demo") && next < len(moments) && seen.CompareAndSwap(true, false) {
			server.Become(moments[next])
			next++
		}
		return false
	}
	ended := filepath.Join(t.TempDir(), "exit-code")
	// Ten seconds past the minute no age becomes another one meanwhile.
	x.Type(t, fixture.PluginLine(server, fixture.Now().Add(10*time.Second), "status demo -n default -w --timeout 1m")+"; echo $? >"+ended)

	var frames, between []string
	last, since := "", time.Now()
	for {
		screen := x.Look(t)
		if screen != last {
			last, since = screen, time.Now()
			between = append(between, strings.TrimSuffix(screen, "\n"+fixture.TmuxPrompt))
		}
		if time.Since(since) < stands {
			continue
		}
		if len(between) > 0 && strings.HasPrefix(screen, head) {
			frame := between[len(between)-1]
			for i, one := range between[:len(between)-1] {
				if len(frames) > 0 && !drawnOver(one, frames[len(frames)-1], frame) {
					t.Fatalf("screen %d on the way to frame %d shows something else than that frame over the one before:\n%s", i+1, len(frames)+1, one)
				}
			}
			frames, between = append(frames, frame), nil
			seen.Store(true)
		}
		if strings.HasSuffix(screen, "\n"+fixture.TmuxPrompt) {
			break
		}
	}
	code, err := os.ReadFile(ended)
	if err != nil || len(frames) == 0 {
		t.Fatalf("nothing was watched: %v\n%s", err, last)
	}
	// The prompt is below the last frame, the cursor behind it and visible, and the other screen that editors use is not on.
	row := strings.Count(last, "\n")
	if got, want := x.Do(t, "display-message", "-p", "#{cursor_y} #{cursor_x} #{cursor_flag} #{alternate_on}"), fmt.Sprintf("%d %d 1 0", row, len(fixture.TmuxPrompt)+1); got != want {
		t.Errorf("the screen is left with %q, want %q:\n%s", got, want, last)
	}
	fixture.Golden(t, "watch/upgrade.txt", session(t, frames)+"--- exit code "+string(code))
}

const (
	// head of a frame.
	head = "Chroma default/demo  "
	// stands is how long a screen stays that is a frame to a person.
	stands = 200 * time.Millisecond
)

// session is what a person sees: frames that differ in more than the time that they count.
func session(t *testing.T, frames []string) string {
	t.Helper()
	waited := regexp.MustCompile(`(?m)^(waiting for .*), \d+s$`)
	var out strings.Builder
	last, count := "", 0
	for _, frame := range frames {
		if strings.Count("\n"+frame, "\n"+head) != 1 || strings.Count(frame, "\nSummary\n") != 1 {
			t.Errorf("want the head of a frame and its summary once, got:\n%s", frame)
		}
		frame = waited.ReplaceAllString(frame, "$1, SECONDS")
		if frame == last {
			continue
		}
		last = frame
		count++
		fmt.Fprintf(&out, "--- frame %d\n%s\n", count, frame)
	}
	return out.String()
}

// drawnOver tells whether a screen is a frame that is drawn over another one from its top, so far: the terminal's device
// hands on two thousand characters at a time.
func drawnOver(screen, before, after string) bool {
	rows, old, drawn := strings.Split(screen, "\n"), strings.Split(before, "\n"), strings.Split(after, "\n")
	row := func(of []string, i int) string {
		if i < len(of) {
			return of[i]
		}
		return ""
	}
	count, cut := max(len(rows), len(old), len(drawn)), 0
	for cut < count && row(rows, cut) == row(drawn, cut) {
		cut++
	}
	for i := cut + 1; i < count; i++ {
		if row(rows, i) != row(old, i) {
			return false
		}
	}
	return cut == count || mixed(row(rows, cut), row(old, cut), row(drawn, cut))
}

// mixed tells whether a row begins as the one that is drawn, and goes on as the one before.
func mixed(row, before, after string) bool {
	const width = 120
	cells := func(of string) []rune { return []rune(of + strings.Repeat(" ", width-utf8.RuneCountInString(of))) }
	got, old, drawn := cells(row), cells(before), cells(after)
	cut := 0
	for cut < width && got[cut] == drawn[cut] {
		cut++
	}
	return slices.Equal(got[cut:], old[cut:])
}

// upgrade of a Chroma, moment by moment: all that a person can tell apart, from the new spec to the end.
func upgrade(t *testing.T) [][]*unstructured.Unstructured {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := simulation.New(simulation.Setting{})
	must(err)
	demo := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"image": "docker.io/chromadb/chroma:1.5.9", "storage": map[string]any{"size": "10Gi"},
	}}}
	demo.SetGroupVersionKind(chroma.GroupVersionKind())
	demo.SetNamespace("default")
	demo.SetName("demo")
	defaults, err := definition.NewDefaults()
	must(err)
	defaults.Default(demo.Object)
	must(s.Apply(demo))
	must(s.Run())
	must(s.Edit(chroma.GroupVersionKind(), "default", "demo", simulator.ManagerEdit, func(u *unstructured.Unstructured) {
		must(unstructured.SetNestedField(u.Object, "docker.io/chromadb/chroma:1.5.10", "spec", "image"))
	}))
	var moments [][]*unstructured.Unstructured
	last := ""
	for end := s.Now().Add(10 * time.Second); s.Now().Before(end); s.Advance(100 * time.Millisecond) {
		objects := fixture.Dump(t, s, chroma.GroupVersionKind(), nil)
		shown := fixture.Run(t, fixture.Serve(t, objects...), "", "status", "demo", "-n", "default").Out
		if shown != last {
			moments, last = append(moments, objects), shown
		}
	}
	return moments
}
