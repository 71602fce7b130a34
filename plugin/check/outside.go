package check

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// patience with Postgres and the bucket. It is longer than what one question may take, so that each has its answer.
const (
	patience = 5 * time.Second
	bound    = 4 * time.Second
)

// outside asks Postgres and the bucket from this machine, with the function's own code.
func (c *checker) outside(ctx context.Context, xr *unstructured.Unstructured, input map[string]any) {
	targets := []struct {
		name  string
		kind  reason.ConditionType
		asked bool
	}{
		{"Postgres from here", reason.PostgresReady, c.postgres}, {"Bucket from here", reason.ObjectStorageReady, c.bucket},
	}
	if !c.postgres && !c.bucket {
		return
	}
	answer, err := live.AskOutside(ctx, c.client, xr, input, c.ask(), c.factory.Now())
	for _, target := range targets {
		if !target.asked {
			continue
		}
		if err != nil {
			c.addf(target.name, skipped, "%v", err)
			continue
		}
		condition := answer.Condition(string(target.kind))
		c.addf(target.name, resultOf(condition), "%s", messageOf(condition))
	}
}

// ask only what the flags say.
func (c *checker) ask() composition.Checker {
	limits := checks.DefaultLimits()
	limits.Patience, limits.Bound = patience, bound
	asker := checks.New(checks.Environment{Now: time.Now, Resolver: c.resolver}, limits)
	return func(ctx context.Context, request pass.Request, targets distributed.Targets) distributed.Checks {
		if !c.postgres {
			targets.Postgres = nil
		}
		if !c.bucket {
			targets.ObjectStorage = nil
		}
		return asker.Check(ctx, checks.Question{Namespace: request.Namespace, Targets: targets, Settings: request.Settings.Checks})
	}
}

// resultOf a condition, as seen from this machine: what does not answer here can answer in the cluster.
func resultOf(condition live.Condition) string {
	switch {
	case condition.Status == "True":
		return passed
	case condition.Status != "False":
		return skipped
	}
	switch reason.Reason(condition.Reason) {
	case reason.Unreachable, reason.Timeout, reason.VirtualHostNotResolvable:
		return warning
	}
	return failed
}

func messageOf(condition live.Condition) string {
	switch condition.Status {
	case "":
		return "the function has not come so far: see kubectl chroma lint"
	case "False":
		return condition.Reason + ": " + condition.Message
	}
	return condition.Message
}
