package report

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/live"
)

const left = "<left out>"

// redactor leaves out what can be secret.
type redactor struct {
	// values of credentials, the longest first: one may be a part of another.
	values []string
	// unknown: servers log their flags, and nobody knows which words of theirs are credentials.
	unknown bool
}

// redactor for a view. The servers of a distributed Chroma have credentials in their flags.
func (r *reader) redactor(ctx context.Context, v *live.View) redactor {
	out := redactor{}
	if !v.Distributed() || v.Chroma.Spec.Distributed == nil {
		return out
	}
	spec := v.Chroma.Spec.Distributed
	// The two may be one Secret.
	for _, of := range []struct {
		name string
		keys []string
	}{
		// A user name is no secret, and often an everyday word.
		{spec.Postgres.CredentialsSecret.Name, []string{"password"}},
		{spec.ObjectStorage.S3.CredentialsSecret.Name, []string{"accessKeyId", "secretAccessKey"}},
	} {
		secret, err := r.client.Find(ctx, corev1.SchemeGroupVersion.WithKind("Secret"), v.Namespace(), of.name)
		r.note(err)
		for _, key := range of.keys {
			value, err := base64.StdEncoding.DecodeString(live.Text(secret, "data", key))
			if err != nil || len(value) == 0 {
				out.unknown = true
				continue
			}
			for _, text := range []string{string(value), url.QueryEscape(string(value)), url.PathEscape(string(value))} {
				if !slices.Contains(out.values, text) {
					out.values = append(out.values, text)
				}
			}
		}
	}
	slices.SortFunc(out.values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return out
}

// words of a server without credentials.
func (r redactor) words(text string) string {
	if r.unknown {
		return left
	}
	for _, value := range r.values {
		text = strings.ReplaceAll(text, value, left)
	}
	return text
}

// object without what can be secret: the data of Secrets, also of one in a manifest of provider-kubernetes, values of
// environment variables, credentials in the last words of a container, and the copy of it all that kubectl apply keeps.
func (r redactor) object(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := object.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "metadata", "managedFields")
	r.redact(out.Object)
	return out
}

func (r redactor) redact(value any) {
	switch v := value.(type) {
	case map[string]any:
		r.fields(v)
		for _, inner := range v {
			r.redact(inner)
		}
	case []any:
		for _, inner := range v {
			r.redact(inner)
		}
	}
}

func (r redactor) fields(of map[string]any) {
	if of["kind"] == "Secret" {
		for _, field := range []string{"data", "stringData"} {
			if _, found := of[field]; found {
				of[field] = left
			}
		}
	}
	if environment, ok := of["env"].([]any); ok {
		for _, one := range environment {
			if variable, ok := one.(map[string]any); ok && variable["value"] != nil {
				variable["value"] = left
			}
		}
	}
	if ended, ok := of["terminated"].(map[string]any); ok {
		if message, ok := ended["message"].(string); ok {
			ended["message"] = r.words(message)
		}
	}
	if annotations, ok := of["annotations"].(map[string]any); ok {
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	}
}
