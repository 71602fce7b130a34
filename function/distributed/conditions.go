package distributed

import (
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// conditions of the Chroma. Their messages have no counters, and no times but that of a repair, which stays: a message
// that changes starts another pass.
func (s situation) conditions(server, blocked, repaired finding) []pass.Condition {
	out := []pass.Condition{
		{Type: reason.ServerReady, Status: pass.False, Reason: server.reason, Message: server.message},
		{Type: reason.UpgradeBlocked, Status: pass.True, Reason: blocked.reason, Message: blocked.message},
		{Type: reason.Repaired, Status: pass.True, Reason: repaired.reason, Message: repaired.message},
	}
	if server.reason == reason.ComponentsReady {
		out[0].Status = pass.True
	}
	if blocked.reason == reason.NotBlocked || blocked.reason == reason.DowngradeAllowed {
		out[1].Status = pass.False
	}
	if repaired.reason == reason.NothingRepaired {
		out[2].Status = pass.False
	}
	if s.postgresResult.Status != "" {
		out = append(out,
			pass.Condition{Type: reason.PostgresReady, Status: s.postgresResult.Status, Reason: s.postgresResult.Reason, Message: s.postgresResult.Message},
			pass.Condition{Type: reason.ObjectStorageReady, Status: s.bucketResult.Status, Reason: s.bucketResult.Reason, Message: s.bucketResult.Message},
		)
	}
	if s.version.Commit != "" {
		out = append(out, s.chartVerified())
	}
	return out
}

func (s situation) chartVerified() pass.Condition {
	if why := s.version.NotCompared; why != "" {
		return pass.Condition{Type: reason.ChartVerified, Status: pass.False, Reason: reason.NotCompared, Message: why}
	}
	return pass.Condition{
		Type: reason.ChartVerified, Status: pass.True, Reason: reason.Compared,
		Message: "The objects of version " + s.version.Commit + " equal those of its chart " + s.version.Chart + ".",
	}
}

// events for conditions whose reason has changed. Crossplane shows the conditions of the previous pass: that is the
// mark that an event was recorded.
func (w World) events(now []pass.Condition) []pass.Event {
	var out []pass.Event
	for _, condition := range now {
		before := w.condition(condition.Type)
		if before != nil && before.Reason == string(condition.Reason) {
			continue
		}
		if before == nil && quiet(condition.Reason) {
			continue
		}
		out = append(out, pass.Event{Warning: warns(condition), Reason: condition.Reason, Message: condition.Message})
	}
	return out
}

// quiet reasons are no news in a first pass.
func quiet(why reason.Reason) bool {
	switch why {
	case reason.NotBlocked, reason.NothingRepaired, reason.CheckPending, reason.Compared, reason.Observing:
		return true
	}
	return false
}

// warns tells whether a person should look.
func warns(condition pass.Condition) bool {
	switch condition.Reason {
	case reason.NotBlocked, reason.DowngradeAllowed, reason.NothingRepaired, reason.Compared, reason.CheckPassed,
		reason.CheckPending, reason.CheckDisabled, reason.ComponentsReady, reason.ComponentsStarting, reason.FoundationPending,
		reason.MemberListPending, reason.MigrationRunning, reason.WaitingForPredecessor, reason.Observing:
		return false
	}
	return true
}
