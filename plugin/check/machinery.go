package check

import (
	"context"
	"strings"

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
		claims := ""
		if v.IsClaim() {
			claims = " --claims"
		}
		c.addf("Function", failed, "%s is not installed: kubectl chroma install --version VERSION%s --apply", step.Function, claims)
	case v.Machinery.Function == nil:
		c.addf("Function", skipped, "%s cannot be read", step.Function)
	case live.ConditionOf(v.Machinery.Function, "Healthy").Status != "True":
		c.addf("Function", failed, "%s does not run: %s", step.Function, live.ConditionOf(v.Machinery.FunctionRevision, "RuntimeHealthy").Message)
	default:
		c.addf("Function", passed, "%s, %s", step.Function, live.Text(v.Machinery.Function, "spec", "package"))
	}
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
