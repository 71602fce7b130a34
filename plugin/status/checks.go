package status

import (
	"fmt"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// Results of checks, as kubectl chroma check has them.
const (
	resultPassed  = "passed"
	resultFailed  = "failed"
	resultWarning = "warning"
	resultSkipped = "skipped"
)

// checksOf is what is checked of it all the time.
func checksOf(v *live.View, out *v1.Status) []v1.Check {
	switch {
	case v.Object.GetDeletionTimestamp() != nil:
		// Nobody looks any more, and what was found before is old.
		return nil
	case v.Distributed():
		return checksOfComponents(out)
	case v.SingleNode() && conditionOf(out, string(reason.ServerReady)).Status != "":
		return []v1.Check{serverCheck(out), recordCheck(v), specCheck(out)}
	}
	return nil
}

// checksOfComponents are those that the function makes before it creates anything, and where the objects come from.
func checksOfComponents(out *v1.Status) []v1.Check {
	var checks []v1.Check
	for _, of := range []struct {
		name string
		kind reason.ConditionType
		// failed is what False means.
		failed string
	}{
		{"Postgres", reason.PostgresReady, resultFailed},
		{"Bucket", reason.ObjectStorageReady, resultFailed},
		{"Chart", reason.ChartVerified, resultWarning},
	} {
		condition := decided(out, string(of.kind))
		check := v1.Check{Name: of.name, Message: condition.Reason}
		switch condition.Status {
		case "":
			continue
		case statusTrue:
			check.Result = resultPassed
		case statusFalse:
			check.Result = of.failed
		default:
			check.Result = resultSkipped
		}
		if check.Result == resultFailed && condition.Message != "" {
			check.Message += ": " + condition.Message
		}
		checks = append(checks, check)
	}
	return checks
}

// serverCheck fails for a server that does not get ready by itself. One that starts is only on its way.
func serverCheck(out *v1.Status) v1.Check {
	server := decided(out, string(reason.ServerReady))
	switch server.Status {
	case statusTrue:
		return v1.Check{Name: "Server", Result: resultPassed, Message: "it answers its readiness probe"}
	case statusFalse:
		result := resultWarning
		if out.Phase == string(chroma.PhaseFailed) {
			result = resultFailed
		}
		return v1.Check{Name: "Server", Result: result, Message: server.Reason}
	}
	return v1.Check{Name: "Server", Result: resultSkipped, Message: "not known yet"}
}

// recordCheck compares the record in the status with that on the claim: who loses the one has the other.
func recordCheck(v *live.View) v1.Check {
	out := v1.Check{Name: "Record"}
	status := v.Chroma.Status
	switch {
	case v.ClaimError != nil:
		out.Result, out.Message = resultSkipped, "the claim cannot be read"
	case status.DataRecord == "":
		out.Result, out.Message = resultSkipped, "nothing has run on the data yet"
	case v.Claim == nil:
		out.Result, out.Message = resultFailed, "the claim that has it is gone"
	case v.Claim.GetAnnotations()[chroma.AnnotationDataRecord] != status.DataRecord:
		out.Result, out.Message = resultWarning, "the claim does not have the latest yet"
	case status.DataVersionUnknown:
		out.Result, out.Message = resultFailed, fmt.Sprintf("incident %s: the version of the data is not known", status.DataVersionUnknownIncident)
	default:
		out.Result, out.Message = resultPassed, fmt.Sprintf("the claim says %s %s, as the status does", compatibility.Title(status.DataProduct), status.DataVersion)
	}
	return out
}

func specCheck(out *v1.Status) v1.Check {
	blocked := decided(out, string(reason.UpgradeBlocked))
	switch blocked.Status {
	case statusTrue:
		return v1.Check{Name: "Spec", Result: resultWarning, Message: "held back: " + blocked.Reason}
	case statusFalse:
		return v1.Check{Name: "Spec", Result: resultPassed, Message: "nothing is held back"}
	}
	return v1.Check{Name: "Spec", Result: resultSkipped, Message: "not known yet"}
}
