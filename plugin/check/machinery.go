package check

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// function of the composition step.
func (c *checker) function(v *live.View) {
	switch step := v.Machinery.Step; {
	case step == nil:
		c.addf("Function", warning, "not known which: the Composition cannot be read, or Crossplane has not chosen one yet")
	case v.Machinery.FunctionMissing:
		c.addf("Function", failed, "%s is not installed: kubectl chroma install", step.Function)
	case v.Machinery.Function == nil:
		c.addf("Function", skipped, "%s cannot be read", step.Function)
	case live.ConditionOf(v.Machinery.Function, "Healthy").Status != "True":
		c.addf("Function", failed, "%s does not run: %s", step.Function, live.ConditionOf(v.Machinery.FunctionRevision, "RuntimeHealthy").Message)
	default:
		c.addf("Function", passed, "%s, %s", step.Function, live.Text(v.Machinery.Function, "spec", "package"))
	}
}

// resources that Crossplane composes or requires.
func resources(distributed bool) []schema.GroupResource {
	out := []schema.GroupResource{
		{Resource: "configmaps"}, {Resource: "services"}, {Resource: "pods"}, {Resource: "nodes"}, {Resource: "persistentvolumeclaims"},
		{Group: "storage.k8s.io", Resource: "storageclasses"}, {Group: "kubernetes.m.crossplane.io", Resource: "objects"},
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
	return slices.Contains([]string{"nodes", "persistentvolumeclaims", "storageclasses", "secrets", "memberlists"}, resource)
}

// rights of Crossplane, as its ServiceAccount. Missing ones hang a pass without a word.
func (c *checker) rights(ctx context.Context, distributed bool) {
	type question struct {
		resource schema.GroupResource
		verb     string
	}
	var questions []question
	for _, resource := range resources(distributed) {
		for _, verb := range []string{"list", "watch"} {
			questions = append(questions, question{resource, verb})
		}
		if !readOnly(resource.Resource) {
			for _, verb := range []string{"create", "patch", "delete"} {
				questions = append(questions, question{resource, verb})
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
			c.addf("Rights of Crossplane", skipped, "cannot be asked for: %v", err)
			return
		}
	}
	var missing []string
	for i := 0; i < len(questions); {
		// The questions about a resource follow each other.
		resource, verbs := questions[i].resource, []string{}
		for ; i < len(questions) && questions[i].resource == resource; i++ {
			if lacks[i] {
				verbs = append(verbs, questions[i].verb)
			}
		}
		if len(verbs) > 0 {
			missing = append(missing, strings.Join(verbs, ", ")+" "+resource.String())
		}
	}
	if len(missing) > 0 {
		c.addf("Rights of Crossplane", failed, "it lacks: %s. Apply its ClusterRole: kubectl chroma install", strings.Join(missing, "; "))
		return
	}
	c.addf("Rights of Crossplane", passed, "")
}

func (c *checker) may(ctx context.Context, resource schema.GroupResource, verb string) (bool, error) {
	review := map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{
			"user": fmt.Sprintf("system:serviceaccount:%s:crossplane", c.system), "groups": []any{"system:serviceaccounts", "system:authenticated"},
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

// storageClass of the claim.
func (c *checker) storageClass(ctx context.Context, name string) {
	if name != "" {
		class, err := c.client.Find(ctx, cluster.StorageClass(), "", name)
		switch {
		case err != nil:
			c.addf("Storage class", skipped, "%v", err)
		case class == nil:
			c.addf("Storage class", failed, "there is no StorageClass %s", name)
		default:
			c.addf("Storage class", passed, "%s", name)
		}
		return
	}
	classes, err := c.client.List(ctx, cluster.StorageClass(), "", "")
	if err != nil {
		c.addf("Storage class", skipped, "%v", err)
		return
	}
	for _, class := range classes {
		if class.GetAnnotations()["storageclass.kubernetes.io/is-default-class"] == "true" {
			c.addf("Storage class", passed, "%s, the default", class.GetName())
			return
		}
	}
	c.addf("Storage class", failed, "there is no default StorageClass: set spec.storage.storageClass")
}

// conditions of what the function checked from inside the cluster.
func (c *checker) conditions(v *live.View) {
	for _, check := range []struct {
		name string
		kind reason.ConditionType
	}{{"Postgres", reason.PostgresReady}, {"Bucket", reason.ObjectStorageReady}} {
		condition := live.ConditionOf(v.XR, string(check.kind))
		switch condition.Status {
		case "True":
			c.addf(check.name, passed, "%s", condition.Message)
		case "False":
			c.addf(check.name, failed, "%s: %s", condition.Reason, condition.Message)
		default:
			c.addf(check.name, skipped, "the function has not asked it yet")
		}
	}
}

// labelAVX512 is set by Node Feature Discovery.
const labelAVX512 = "feature.node.kubernetes.io/cpu-cpuid.AVX512F"

// nodes with the instructions that the published images of the workers need: elsewhere they end with exit code 132.
func (c *checker) nodes(ctx context.Context) {
	nodes, err := c.client.List(ctx, cluster.Node(), "", "")
	if err != nil {
		c.addf("AVX-512", skipped, "%v", err)
		return
	}
	known, able := 0, 0
	for _, node := range nodes {
		for label := range node.GetLabels() {
			if strings.HasPrefix(label, "feature.node.kubernetes.io/cpu-cpuid.") {
				known++
				break
			}
		}
		if node.GetLabels()[labelAVX512] == "true" {
			able++
		}
	}
	switch {
	case able > 0:
		c.addf("AVX-512", passed, "%d of %d nodes have it; bind the workers to the label %s", able, len(nodes), labelAVX512)
	case known == len(nodes) && known > 0:
		c.addf("AVX-512", failed, "no node has it, and the published images of the workers end without it (exit code 132)")
	default:
		c.addf("AVX-512", warning, "not known: the nodes have no labels of Node Feature Discovery")
	}
}
