package status_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestStatusOfEveryState(t *testing.T) {
	for _, name := range fixture.Names(t) {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, name)...)
			fixture.Golden(t, name+".txt", fixture.Run(t, server, "", "status", fixture.Argument(name), "-n", "default").String())
			if requests := server.Requests(); len(requests) > 12 {
				t.Errorf("status of one Chroma takes at most 12 requests, and took %d:\n%s", len(requests), strings.Join(requests, "\n"))
			}
			fixture.Golden(t, name+".table.txt", fixture.Run(t, server, "", "status", "-A").String())
		})
	}
}

func TestStatusForPrograms(t *testing.T) {
	for _, format := range []string{"json", "yaml", "name", "wide"} {
		t.Run(format, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "blocked-downgrade")...)
			fixture.Golden(t, "formats/one."+format, fixture.Run(t, server, "", "status", "demo", "-n", "default", "-o", format).Out)
			fixture.Golden(t, "formats/table."+format, fixture.Run(t, server, "", "status", "-A", "-o", format).Out)
		})
	}
}

func TestStatusWithoutTheAPIServersHelp(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  fixture.Fault
		args   []string
		code   exit.Code
		want   string
	}{
		"Absent":         {reason: "A Chroma that is not there is an error.", args: []string{"status", "nobody"}, code: exit.Error, want: `chromas.chroma.chromadotnet.org "nobody" not found`},
		"Forbidden":      {reason: "The missing permission is named with verb and resource.", fault: fixture.Forbid("/chromas"), args: []string{"status", "demo"}, code: exit.Error, want: `cannot get resource "chromas"`},
		"ForbiddenTable": {reason: "The missing permission is named with verb and resource.", fault: fixture.Forbid("/chromas"), args: []string{"status"}, code: exit.Error, want: `cannot list resource "chromas"`},
		"Broken":         {reason: "An internal error of the server is told in its words.", fault: fixture.Break("/chromas"), args: []string{"status", "demo"}, code: exit.Error, want: "etcd has no leader"},
		"Cut":            {reason: "A connection that is cut is an error.", fault: fixture.Cut("/chromas"), args: []string{"status", "demo"}, code: exit.Error, want: "cannot read Chroma demo"},
		"Hangs":          {reason: "A server that hangs is given up.", fault: fixture.Hang("/chromas"), args: []string{"status", "demo", "--request-timeout", "200ms"}, code: exit.TimedOut, want: "did not answer within 200ms"},
		"NoPods":         {reason: "What cannot be read is a line in an otherwise complete status.", fault: fixture.Forbid("/pods"), args: []string{"status", "demo"}, code: exit.Fine, want: `cannot get resource "pods"`},
		"EventsHang":     {reason: "A part that hangs is cut, and is a line.", fault: fixture.Hang("/events"), args: []string{"status", "demo", "--request-timeout", "200ms"}, code: exit.Fine, want: "cannot list Event"},
		"Format":         {reason: "An unknown format is a usage error.", args: []string{"status", "demo", "-o", "toml"}, code: exit.Usage, want: "wide, json, yaml, name"},
		"NameAndAll":     {reason: "A name and all namespaces contradict each other.", args: []string{"status", "demo", "-A"}, code: exit.Usage, want: "--all-namespaces"},
		"Kind":           {reason: "Another kind is a usage error.", args: []string{"status", "pod/x"}, code: exit.Usage, want: "vor/NAME"},
		"Release":        {reason: "A ValdOperatorRelease is found by its short name.", args: []string{"status", "vor/nobody"}, code: exit.Error, want: "ValdOperatorRelease nobody"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			begun := time.Now()
			got := fixture.Run(t, server, "", append(tc.args, "-n", "default")...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("\n%s\ntook %s", tc.reason, took)
			}
		})
	}
}

func TestWatchEndsWhenItServes(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		args   []string
		code   exit.Code
		want   string
	}{
		"Ready":    {reason: "Nothing is left to do.", state: "ready", code: exit.Fine, want: "Ready"},
		"Blocked":  {reason: "It serves, and what the spec asks for is held back: that is a refusal.", state: "blocked-downgrade", code: exit.Refused, want: "Downgrade"},
		"Creating": {reason: "What does not happen in time is a timeout.", state: "creating", args: []string{"--timeout", "100ms"}, code: exit.TimedOut, want: "in vain"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			got := fixture.Run(t, server, "", append([]string{"status", "demo", "-n", "default", "--watch"}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
		})
	}
}

func TestTableOfThousandsIsPaged(t *testing.T) {
	var objects []*unstructured.Unstructured
	for _, object := range fixture.Load(t, "ready") {
		if object.GetKind() != "Chroma" {
			continue
		}
		for i := range 1200 {
			one := object.DeepCopy()
			one.SetName(fmt.Sprintf("demo-%04d", i))
			objects = append(objects, one)
		}
	}
	server := fixture.Serve(t, objects...)
	got := fixture.Run(t, server, "", "status", "-A")
	if lines := strings.Count(got.Out, "\n"); got.Code != exit.Fine || lines != 1201 {
		t.Errorf("want a header and 1200 lines, got %d and exit code %d", lines, got.Code)
	}
	if requests := server.Requests(); len(requests) != 4 {
		t.Errorf("want three pages, and one request for Vald: %v", requests)
	}
}

func TestStrangeObjectsAreLines(t *testing.T) {
	strange := []*unstructured.Unstructured{
		{Object: map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "metadata": map[string]any{"name": "new", "namespace": "a"}}},
		{Object: map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "metadata": map[string]any{"name": "odd", "namespace": "a"},
			"status": map[string]any{"phase": "Hibernating", "conditions": []any{"what", map[string]any{"type": int64(1)}}, "dataVersion": int64(2)}}},
		{Object: map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "metadata": map[string]any{"name": "old", "namespace": "a"},
			"status": map[string]any{"phase": "Ready", "image": "chromadb/chroma:1.5.9", "dataVersion": "1.5.9"}}},
	}
	server := fixture.Serve(t, strange...)
	fixture.Golden(t, "strange.table.txt", fixture.Run(t, server, "", "status", "-A").String())
}
