//go:build e2e && linux

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"
)

// TestScale makes many Chromas whose Pods no node takes, and prints what that costs. When all is settled nothing is written.
func TestScale(t *testing.T) {
	count := 300
	if text := os.Getenv("E2E_SCALE"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatalf("cannot read E2E_SCALE: %v", err)
		}
	}
	s := newScene(t, 0)
	all := &bytes.Buffer{}
	for i := range count {
		object := &unstructured.Unstructured{Object: manifest(fmt.Sprintf("demo-%d", i), "1.5.9", func(spec map[string]any) {
			spec["nodeSelector"] = map[string]any{"no": "such-node"}
		})}
		object.SetNamespace(s.namespace)
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(all, "---\n%s", text)
	}
	before := s.functionUse()
	began := time.Now()
	if err := s.applyText(t.Context(), all.Bytes()); err != nil {
		t.Fatal(err)
	}
	s.wait(fmt.Sprintf("%d Pods", count), 15*time.Minute, func() (string, bool) {
		list, err := s.client.Resource(kindPod.resource).Namespace(s.namespace).List(t.Context(), listAll)
		if err != nil {
			return err.Error(), false
		}
		return fmt.Sprintf("%d Pods", len(list.Items)), len(list.Items) == count
	})
	s.sayf("TestScale: %d Chromas have their Pods after %.0f s", count, time.Since(began).Seconds())

	versions := s.ownVersions()
	s.wait("settled", 15*time.Minute, func() (string, bool) {
		time.Sleep(20 * time.Second)
		last := versions
		versions = s.ownVersions()
		return fmt.Sprintf("%d objects changed within 20 s", changed(last, versions)), changed(last, versions) == 0
	})
	s.sayf("TestScale: settled after %.0f s", time.Since(began).Seconds())
	use := s.functionUse()
	s.sayf("TestScale: the function used %.1f s of CPU and has %.0f MB", use.seconds-before.seconds, use.bytes/1e6)

	time.Sleep(time.Minute)
	now := s.ownVersions()
	settled := s.functionUse()
	s.sayf("TestScale: a settled minute: %d writes, %.2f s of CPU, %.0f MB", changed(versions, now), settled.seconds-use.seconds, settled.bytes/1e6)
	if diff := cmp.Diff(versions, now); diff != "" {
		t.Errorf("objects change though nothing happens: -before, +after:\n%s", diff)
	}
	if settled.bytes > 60e6 {
		t.Errorf("the function has %.0f MB, more than 60", settled.bytes/1e6)
	}
}

// versions of everything that belongs to the Chromas of the scene.
func (s *scene) versions() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, of := range []kind{kindChroma, kindObject, kindPod, kindClaim, kindOf("", "v1", "configmaps", "ConfigMap"), kindOf("", "v1", "services", "Service")} {
		err := retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, func() error {
			list, err := s.client.Resource(of.resource).Namespace(s.namespace).List(s.Context(), listAll)
			if err != nil {
				return fmt.Errorf("cannot list %s: %w", of.resource.Resource, err)
			}
			for _, object := range list.Items {
				out[of.name+" "+object.GetName()] = object.GetResourceVersion()
			}
			return nil
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	return out
}

// ownVersions are those of what the function decides: of an Object its spec. Provider-kubernetes looks at each every ten
// minutes, and then writes into its status what it finds.
func (s *scene) ownVersions() map[string]string {
	s.Helper()
	out := s.versions()
	list, err := s.client.Resource(kindObject.resource).Namespace(s.namespace).List(s.Context(), listAll)
	if err != nil {
		s.Fatalf("cannot list Objects: %v", err)
	}
	for _, object := range list.Items {
		out[kindObject.name+" "+object.GetName()] = strconv.FormatInt(object.GetGeneration(), 10)
	}
	return out
}

func changed(before, after map[string]string) int {
	count := 0
	for name, version := range after {
		if before[name] != version {
			count++
		}
	}
	return count
}

// use of processor and memory.
type use struct{ seconds, bytes float64 }

// functionUse adds up the processor time of the function's Pods, and takes the memory of the larger one.
func (s *scene) functionUse() use {
	s.Helper()
	names, err := s.run(s.Context(), nil, "kubectl", "-n", crossplaneNamespace, "get", "pod", "-l", "app.kubernetes.io/name=function-chroma", "-o", "jsonpath={.items[*].metadata.name}")
	if err != nil {
		s.Fatal(err)
	}
	var out use
	for name := range strings.FieldsSeq(names) {
		seconds, bytes, err := s.scrape(s.Context(), name)
		if err != nil {
			s.Fatal(err)
		}
		out.seconds += seconds
		out.bytes = max(out.bytes, bytes)
	}
	return out
}

func (s *scene) scrape(ctx context.Context, pod string) (seconds, memory float64, err error) {
	address := fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s:8080/proxy/metrics", strings.TrimSuffix(s.config.Host, "/"), crossplaneNamespace, pod)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, 0, fmt.Errorf("cannot ask for metrics: %w", err)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, 0, fmt.Errorf("cannot read metrics: %w", err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 2 || !slices.Contains([]string{"process_cpu_seconds_total", "process_resident_memory_bytes"}, fields[0]) {
			continue
		}
		value, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("cannot read metrics: %w", err)
		}
		if fields[0] == "process_cpu_seconds_total" {
			seconds = value
		} else {
			memory = value
		}
	}
	return seconds, memory, lines.Err()
}
