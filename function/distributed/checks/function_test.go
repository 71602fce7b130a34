package checks_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
)

// A notebook is a log that is written into a text.
type notebook struct{ written *logged }

func (n notebook) Info(message string, values ...any) {
	_, _ = fmt.Fprintln(n.written, message, values)
}
func (n notebook) Debug(message string, values ...any) {
	_, _ = fmt.Fprintln(n.written, message, values)
}
func (n notebook) WithValues(values ...any) logging.Logger {
	_, _ = fmt.Fprintln(n.written, values...)
	return n
}

// TestNoSecretLeavesTheFunction: two servers that send back what they were given, and worse, change nothing in what the
// whole function says: objects, conditions, events, status, requirements and log.
func TestNoSecretLeavesTheFunction(t *testing.T) {
	host, port := listen(t, refuse("28P01"))
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, "<Error><Code>SignatureDoesNotMatch</Code><Message>%s %s</Message></Error>", banner, secretKey)
	}))
	defer store.Close()

	written := &logged{}
	fn, err := composition.New(notebook{written}, settings.Environment{}, now())
	if err != nil {
		t.Fatal(err)
	}
	checker := newChecker(t, nil, nil)
	fn.CheckWith(func(ctx context.Context, request pass.Request, targets distributed.Targets) distributed.Checks {
		return checker.Check(ctx, checks.Question{Namespace: request.Namespace, Targets: targets, Settings: request.Settings.Checks})
	})

	xr := map[string]any{
		"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma",
		"metadata": map[string]any{"name": "vectors", "namespace": "tenant", "uid": "6f1c"},
		"spec": map[string]any{"mode": "distributed", "distributed": map[string]any{
			"version":       "93652ec",
			"postgres":      map[string]any{"host": host, "port": port, "credentialsSecret": map[string]any{"name": "pg"}},
			"objectStorage": map[string]any{"s3": map[string]any{"endpoint": store.URL, "credentialsSecret": map[string]any{"name": "s3"}}},
		}},
	}
	request := &fnv1.RunFunctionRequest{
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: object(t, xr)}},
		Input:             object(t, map[string]any{"checks": map[string]any{"hosts": map[string]any{"allowed": []any{"127.0.0.0/8"}}}}),
		RequiredResources: map[string]*fnv1.Resources{},
	}
	secretsOfNamespace := map[string]map[string]any{
		"pg": {"username": encoded(username), "password": encoded(password)},
		"s3": {"accessKeyId": encoded(accessKey), "secretAccessKey": encoded(secretKey)},
	}

	var response *fnv1.RunFunctionResponse
	for range 3 {
		if response, err = fn.RunFunction(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		output, err := protojson.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		search(t, string(output))
		for name, selector := range response.GetRequirements().GetResources() {
			found := &fnv1.Resources{}
			if data, ok := secretsOfNamespace[selector.GetMatchName()]; ok && selector.GetKind() == "Secret" {
				found.Items = []*fnv1.Resource{{Resource: object(t, map[string]any{
					"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": selector.GetMatchName(), "namespace": "tenant"}, "data": data,
				})}}
			}
			request.RequiredResources[name] = found
		}
	}
	search(t, written.written.String())

	want := map[string]string{string(reason.PostgresReady): string(reason.AuthenticationFailed), string(reason.ObjectStorageReady): string(reason.AuthenticationFailed)}
	for _, condition := range response.GetConditions() {
		if reason, asked := want[condition.GetType()]; asked && condition.GetReason() == reason {
			delete(want, condition.GetType())
		}
	}
	if len(want) > 0 {
		t.Errorf("the servers were asked, want %v, got %v", want, response.GetConditions())
	}
	if got := len(response.GetDesired().GetResources()); got != 0 {
		t.Errorf("nothing is created, got %d objects", got)
	}
}

func encoded(secret string) string { return base64.StdEncoding.EncodeToString([]byte(secret)) }

func object(t *testing.T, content map[string]any) *structpb.Struct {
	t.Helper()
	converted, err := structpb.NewStruct(content)
	if err != nil {
		t.Fatal(err)
	}
	return converted
}
