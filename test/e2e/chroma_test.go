//go:build e2e && linux

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/test/server/client"
)

// repository of the images of Chroma.
const repository = "docker.io/chromadb/chroma"

func image(version string) string { return repository + ":" + version }

// manifest of a Chroma that a small machine has room for.
func manifest(name, version string, change func(spec map[string]any)) map[string]any {
	spec := map[string]any{
		"image":     image(version),
		"storage":   map[string]any{"size": "1Gi"},
		"resources": map[string]any{"requests": map[string]any{"cpu": "20m", "memory": "64Mi"}},
	}
	if change != nil {
		change(spec)
	}
	return map[string]any{
		"apiVersion": chroma.GroupVersion().String(), "kind": chroma.Kind,
		"metadata": map[string]any{"name": name}, "spec": spec,
	}
}

// settled says whether the Chroma is Ready with an image, and what it says otherwise.
func (s *scene) settled(name, wanted string) (string, bool) {
	s.Helper()
	object, err := s.get(s.Context(), kindChroma, s.namespace, name)
	if err != nil || object == nil {
		return fmt.Sprintf("no Chroma (%v)", err), false
	}
	pod := s.pod(name)
	var seen []string
	for _, condition := range []string{"Ready", "Synced", "ServerReady", "UpgradeBlocked"} {
		status, reason, message := conditionOf(object, condition)
		seen = append(seen, strings.TrimSpace(fmt.Sprintf("%s=%s %s %s", condition, status, reason, message)))
	}
	ready, _, _ := conditionOf(object, "Ready")
	return strings.Join(seen, ", "), ready == "True" && pod != nil && pod.DeletionTimestamp == nil &&
		pod.Spec.Containers[0].Image == wanted && podReady(pod)
}

func podReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// patience with what the function notices by itself at the latest: it looks again each minute.
const patience = 90 * time.Second

// waitReady until the Chroma is Ready with a version.
func (s *scene) waitReady(name, version string) time.Duration {
	s.Helper()
	return s.wait(name+" Ready with "+version, 2*time.Minute, func() (string, bool) { return s.settled(name, image(version)) })
}

// waitCondition until a condition of the Chroma has a status and a reason.
func (s *scene) waitCondition(name, condition, status, reason string) string {
	s.Helper()
	return s.waitConditionOf(kindChroma, name, condition, status, reason)
}

// waitConditionOf an object of any kind.
func (s *scene) waitConditionOf(of kind, name, condition, status, reason string) string {
	s.Helper()
	message := ""
	s.wait(fmt.Sprintf("%s %s=%s %s", name, condition, status, reason), patience, func() (string, bool) {
		object, err := s.get(s.Context(), of, s.namespace, name)
		if err != nil || object == nil {
			return fmt.Sprintf("no %s (%v)", of.name, err), false
		}
		var gotStatus, gotReason string
		gotStatus, gotReason, message = conditionOf(object, condition)
		return fmt.Sprintf("%s=%s %s %s", condition, gotStatus, gotReason, message), gotStatus == status && gotReason == reason
	})
	return message
}

// server of a Chroma, through the API server's proxy to its Service.
func (s *scene) server(name string) *client.Client {
	address := fmt.Sprintf("%s/api/v1/namespaces/%s/services/%s:8000/proxy", strings.TrimSuffix(s.config.Host, "/"), s.namespace, chroma.ServiceName(name))
	return client.NewVia(address, &http.Client{Transport: s.http.Transport, Timeout: 30 * time.Second})
}

// records that are written once and must be there for ever.
const records = 50

func embedding(i int) []float32 { return []float32{float32(i), float32(i % 7), 1} }

// write the records.
func (s *scene) write(name string) {
	s.Helper()
	server := s.server(name)
	collection, err := server.CreateCollection(s.Context(), client.Collection{Name: "books"})
	if err != nil {
		s.Fatalf("cannot write data: %v", err)
	}
	all := client.Records{}
	for i := range records {
		document := fmt.Sprintf("document %d", i)
		all.IDs = append(all.IDs, fmt.Sprintf("id-%d", i))
		all.Embeddings = append(all.Embeddings, embedding(i))
		all.Documents = append(all.Documents, &document)
	}
	if err := server.Add(s.Context(), collection.ID, all); err != nil {
		s.Fatalf("cannot write data: %v", err)
	}
}

// verify that every record is there and can be found. kube-proxy and the API server's proxy learn of a new Pod some time
// after it is ready.
func (s *scene) verify(name string) {
	s.Helper()
	s.wait("data of "+name, 20*time.Second, func() (string, bool) {
		server := s.server(name)
		collection, err := server.Collection(s.Context(), "books")
		if err != nil {
			return err.Error(), false
		}
		count, err := server.Count(s.Context(), collection.ID)
		if err != nil || count != records {
			return fmt.Sprintf("%d of %d records: %v", count, records, err), false
		}
		found, err := server.Query(s.Context(), collection.ID, client.Query{Embeddings: [][]float32{embedding(31)}, Results: 1})
		if err != nil || len(found.IDs) != 1 || len(found.IDs[0]) != 1 || found.IDs[0][0] != "id-31" {
			return fmt.Sprintf("the nearest record is %v: %v", found.IDs, err), false
		}
		return "", true
	})
}
