package singlenode

import (
	"fmt"
	"strings"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// conditions of the Chroma. Their messages have no times and no counters: a message that changes starts another pass.
func conditions(server, blocked finding) []pass.Condition {
	out := []pass.Condition{
		{Type: reason.ServerReady, Status: pass.False, Reason: server.reason, Message: server.message},
		{Type: reason.UpgradeBlocked, Status: pass.True, Reason: blocked.reason, Message: blocked.message},
	}
	if server.reason == reason.PodReady {
		out[0].Status = pass.True
	}
	switch blocked.reason {
	case reason.NotBlocked, reason.DowngradeAllowed, reason.ProductChangeAllowed, reason.LedgerPending:
		out[1].Status = pass.False
	}
	return out
}

// previousConditions as they stand, for a call that cannot say anything new.
func previousConditions(w World) []pass.Condition {
	var out []pass.Condition
	for _, kind := range []reason.ConditionType{reason.ServerReady, reason.UpgradeBlocked} {
		if c := w.condition(string(kind)); c != nil {
			out = append(out, pass.Condition{Type: kind, Status: pass.ConditionStatus(c.Status), Reason: reason.Reason(c.Reason), Message: c.Message})
		}
	}
	return out
}

// events for conditions whose reason has changed. Crossplane shows the conditions of the previous pass: that is the mark
// that an event was recorded.
func events(w World, now []pass.Condition) []pass.Event {
	var out []pass.Event
	for _, condition := range now {
		before := w.condition(string(condition.Type))
		if before != nil && before.Reason == string(condition.Reason) {
			continue
		}
		good := condition.Type == reason.ServerReady && condition.Status == pass.True ||
			condition.Type == reason.UpgradeBlocked && condition.Status == pass.False
		if before == nil && good && condition.Type == reason.UpgradeBlocked {
			continue // Not blocked, and never was.
		}
		waiting := condition.Type == reason.ServerReady && phaseOf(condition.Reason, false) != "Failed"
		message := condition.Message
		if message == "" {
			entry, _ := reason.Lookup(condition.Reason)
			message = entry.Meaning
		}
		out = append(out, pass.Event{Warning: !good && !waiting, Reason: condition.Reason, Message: message})
	}
	return out
}

// upgradeFinding says what of the spec is held back: by the rules for images first, then by the claim.
func upgradeFinding(s situation, f fate, size sizing) finding {
	switch {
	case s.record.newer:
		return finding{reason: reason.LedgerNewer, message: newerMessage}
	case s.claim.state == claimLost, s.claim.state == claimTerminating:
		server, _ := s.claimFinding()
		return server
	case !s.edit.rewritten.none() && !s.record.Unknown && s.wanted.reason == reason.Downgrade:
		return s.edit.rewritten // The downgrade is the webhook's doing: allowing it would change nothing.
	case s.record.Unknown, !s.wanted.allowed():
		message := withCommands(s.w, s.wanted.message, s.wanted.verdict.Needed, nil)
		if s.record.note != "" {
			message += " " + s.record.note
		}
		return finding{reason: s.wanted.reason, message: message}
	case !f.blocked.none():
		return f.blocked
	case !s.edit.rewritten.none():
		return s.edit.rewritten
	}
	if !size.held.none() {
		return size.held
	}
	out := finding{reason: reason.NotBlocked}
	switch s.wanted.verdict.Reason {
	case reason.ProductChangeAllowed, reason.DowngradeAllowed:
		out = finding{reason: s.wanted.verdict.Reason, message: s.wanted.verdict.Message}
	}
	out.message = withCommands(s.w, out.message, nil, s.wanted.verdict.Unneeded)
	if note := s.record.note; note != "" {
		out.message = strings.TrimSpace(out.message + " " + note)
	}
	return out
}

// withCommands adds what to type: the annotations that are needed, or are not needed any more.
func withCommands(w World, message string, needed, unneeded []compatibility.Annotation) string {
	parts := []string{}
	if message != "" {
		parts = append(parts, message)
	}
	if len(needed) > 0 {
		args := make([]string, 0, len(needed))
		for _, annotation := range needed {
			args = append(args, fmt.Sprintf("%s=%q", annotation.Key, annotation.Value))
		}
		parts = append(parts, "Type: "+annotate(w, append(args, "--overwrite")...))
	}
	if len(unneeded) > 0 {
		args, names := make([]string, 0, len(unneeded)), make([]string, 0, len(unneeded))
		for _, annotation := range unneeded {
			args, names = append(args, annotation.Key+"-"), append(names, annotation.Key)
		}
		parts = append(parts, fmt.Sprintf("No longer needed: %s. Remove it: %s", strings.Join(names, ", "), annotate(w, args...)))
	}
	return strings.Join(parts, " ")
}

// annotate is the command that changes annotations of the Chroma as people know it.
func annotate(w World, args ...string) string {
	return fmt.Sprintf("kubectl annotate chroma -n %s %s %s", w.Chroma.GetNamespace(), w.Chroma.GetName(), strings.Join(args, " "))
}
