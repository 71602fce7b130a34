package check

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const rightsName = "Rights of Crossplane"

// right to do something with a resource.
type right struct {
	resource schema.GroupResource
	verb     string
}

// resources that Crossplane composes or requires.
func resources(distributed bool) []schema.GroupResource {
	out := []schema.GroupResource{
		{Resource: "configmaps"}, {Resource: "services"}, {Resource: "pods"}, {Resource: "nodes"}, {Resource: "persistentvolumeclaims"},
		{Group: "storage.k8s.io", Resource: "storageclasses"}, {Group: "scheduling.k8s.io", Resource: "priorityclasses"}, {Group: "kubernetes.m.crossplane.io", Resource: "objects"},
	}
	if distributed {
		out = append(out, schema.GroupResource{Resource: "serviceaccounts"}, schema.GroupResource{Resource: "secrets"},
			schema.GroupResource{Group: "apps", Resource: "deployments"}, schema.GroupResource{Group: "apps", Resource: "statefulsets"},
			schema.GroupResource{Group: "batch", Resource: "jobs"}, schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "roles"},
			schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "rolebindings"}, schema.GroupResource{Group: "chroma.cluster", Resource: "memberlists"})
	}
	return out
}

// readOnly resources are required and never composed.
func readOnly(resource string) bool {
	return slices.Contains([]string{"nodes", "persistentvolumeclaims", "storageclasses", "priorityclasses", "secrets", "memberlists"}, resource)
}

// rights of Crossplane, as its ServiceAccount. Missing ones hang a pass without a word.
func (c *checker) rights(ctx context.Context, distributed bool) {
	var questions []right
	for _, resource := range resources(distributed) {
		for _, verb := range []string{"list", "watch"} {
			questions = append(questions, right{resource, verb})
		}
		if !readOnly(resource.Resource) {
			for _, verb := range []string{"create", "patch", "delete"} {
				questions = append(questions, right{resource, verb})
			}
		}
	}
	lacks, errs := make([]bool, len(questions)), make([]error, len(questions))
	var group sync.WaitGroup
	for i, q := range questions {
		group.Go(func() {
			allowed, err := c.may(ctx, q.resource, q.verb)
			lacks[i], errs[i] = err == nil && !allowed, err
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			c.addf(rightsName, skipped, "cannot be asked for: %v", err)
			return
		}
	}
	lacking, denied := missing(questions, lacks)
	switch {
	case len(lacking) == 0:
		c.addf(rightsName, passed, "%s has them", c.account())
	case denied == len(questions) && c.absent(ctx):
		// Of an account that is not there every right is lacking, which says nothing about Crossplane.
		c.addf(rightsName, warning, "not known: there is no ServiceAccount %s in namespace %s. Say where Crossplane runs, and as what: --crossplane-namespace, --crossplane-account", c.serviceAccount, c.system)
	default:
		c.addf(rightsName, failed, "%s lacks: %s. Apply its ClusterRole: kubectl chroma install | kubectl apply --server-side -f -", c.account(), strings.Join(lacking, "; "))
	}
}

// missing rights by resource, and how many they are.
func missing(questions []right, lacks []bool) ([]string, int) {
	var out []string
	denied := 0
	for i := 0; i < len(questions); {
		// The questions about a resource follow each other.
		resource, verbs := questions[i].resource, []string{}
		for ; i < len(questions) && questions[i].resource == resource; i++ {
			if lacks[i] {
				verbs = append(verbs, questions[i].verb)
				denied++
			}
		}
		if len(verbs) > 0 {
			out = append(out, strings.Join(verbs, ", ")+" "+resource.String())
		}
	}
	return out, denied
}

// account of Crossplane, as the API server names it.
func (c *checker) account() string {
	return fmt.Sprintf("system:serviceaccount:%s:%s", c.system, c.serviceAccount)
}

// absent tells whether the account is known not to be there.
func (c *checker) absent(ctx context.Context) bool {
	account, err := c.client.Find(ctx, corev1.SchemeGroupVersion.WithKind("ServiceAccount"), c.system, c.serviceAccount)
	return err == nil && account == nil
}

func (c *checker) may(ctx context.Context, resource schema.GroupResource, verb string) (bool, error) {
	review := map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{
			"user": c.account(), "groups": []any{"system:serviceaccounts", "system:serviceaccounts:" + c.system, "system:authenticated"},
			"resourceAttributes": map[string]any{"verb": verb, "group": resource.Group, "resource": resource.Resource},
		},
	}
	answer := struct {
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}{}
	err := c.client.Call(ctx, http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", review, &answer)
	return answer.Status.Allowed, err
}
