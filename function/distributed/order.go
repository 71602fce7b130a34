package distributed

import (
	"fmt"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// A stage says how far this pass goes.
type stage int

const (
	// hold creates and changes nothing: what is observed is kept.
	hold stage = iota
	// claim composes the deciding ServiceAccount alone, and keeps the rest.
	claim
	// build goes tier by tier.
	build
)

// A course is what a pass may do, and why no more.
type course struct {
	stage stage
	// server is why the system is not ready. None: it depends on the components.
	server finding
	// blocked is what of the spec is held back, or allowed with a warning. None: nothing.
	blocked finding
	// progress through the tiers, in stage build.
	progress progress
	// repairs by component, and refusals by role.
	repairs  map[string]repair
	refusals map[string]refusal
	// aborted: a refused write ended the previous pass. This one writes nothing but the status.
	aborted bool
}

// course of a pass. The order of the rules is the order of their weight: nothing that follows can undo a refusal.
func (s situation) course() course {
	if !s.refused.none() {
		return course{stage: hold, server: s.unlessStarted(s.refused), blocked: s.refused}
	}
	allowed, why := s.mayMigrate()
	if !allowed {
		return course{stage: hold, server: s.unlessStarted(why), blocked: why}
	}
	if waits := s.waitsForChecks(); !waits.none() {
		return course{stage: hold, server: s.unlessStarted(waits), blocked: s.ifStarted(waits)}
	}
	if !s.w.holdsNamespace() {
		compose, server := s.claimNamespace()
		if !compose {
			return course{stage: hold, server: server, blocked: why}
		}
		return course{stage: claim, server: s.unlessStarted(server), blocked: why}
	}
	if blocked := s.blockedName(); !blocked.none() {
		return course{stage: hold, server: s.unlessStarted(blocked), blocked: blocked}
	}
	return course{stage: build, blocked: why, progress: s.progress()}
}

// unlessStarted: once the system runs, its readiness is that of its components, whatever holds the spec back.
func (s situation) unlessStarted(why finding) finding {
	if s.w.started() {
		return finding{}
	}
	return why
}

// ifStarted: a running system is held back in its spec.
func (s situation) ifStarted(why finding) finding {
	if s.w.started() {
		return why
	}
	return finding{}
}

// waitsForChecks before anything is created, and before another database is migrated. A check that fails later takes
// nothing down and holds nothing up.
func (s situation) waitsForChecks() finding {
	if s.w.started() && (len(s.history()) > 0 || s.sameDatabase(s.job())) {
		return finding{}
	}
	return s.failing()
}

// A progress through the tiers.
type progress struct {
	// reached is the last tier that may be created and changed. The tiers after it are kept as they are.
	reached chart.Tier
	// done says that all tiers run as wanted.
	done bool
	// waiting is what keeps the next tier back.
	waiting finding
}

// progress through the tiers: each follows when the one before is updated and ready, on creation and on every update.
func (s situation) progress() progress {
	for tier := chart.TierFoundation; tier <= chart.TierFrontend; tier++ {
		if waiting := s.tierFinding(tier); !waiting.none() {
			return progress{reached: tier, waiting: waiting}
		}
	}
	return progress{reached: chart.TierFrontend, done: true}
}

// tierFinding says what a tier still waits for. None: it is updated and ready.
func (s situation) tierFinding(tier chart.Tier) finding {
	switch tier {
	case chart.TierFoundation:
		return s.foundationFinding()
	case chart.TierMigration:
		if s.migrated() {
			return finding{}
		}
		return s.migrationFinding()
	case chart.TierSysDB, chart.TierLog, chart.TierWorkers, chart.TierFrontend:
	}
	for _, object := range s.objects {
		if object.Tier == tier && s.w.live(object.Role) == nil {
			component, _ := s.version.Component(object.Component)
			return s.componentFinding(component)
		}
	}
	// A stuck roll-out of any component of the tier comes before those that merely take their time.
	var slow finding
	for _, component := range s.version.Components {
		if component.Tier != tier {
			continue
		}
		var found finding
		if s.w.settled(component, s.values, s.wanted[workloadRole(component)].UserHash, s.version.Commit) {
			found = s.unlistedFinding(component)
		} else {
			found = s.componentFinding(component)
		}
		if !found.none() && found.reason != reason.ComponentsStarting {
			return found
		}
		if slow.none() {
			slow = found
		}
	}
	return slow
}

func (s situation) foundationFinding() finding {
	for _, object := range s.objects {
		if object.Tier == chart.TierFoundation && s.w.live(object.Role) == nil {
			return finding{reason.FoundationPending, fmt.Sprintf("%s %s is being created.", object.Kind, object.Name)}
		}
	}
	for _, component := range s.version.Components {
		if component.MemberList == "" {
			continue
		}
		if _, there := s.members(component); !there {
			return finding{reason.MemberListPending, fmt.Sprintf("MemberList %s is not there yet. Provider-kubernetes creates it.", component.MemberList)}
		}
	}
	return finding{}
}

// componentsFinding says why the components are not ready, by what is observed alone: for a pass that changes nothing.
func (s situation) componentsFinding() finding {
	for tier := chart.TierSysDB; tier <= chart.TierFrontend; tier++ {
		for _, component := range s.layout.Components {
			if component.Tier != tier {
				continue
			}
			if observed, there := s.w.Workloads[component.Name]; !there || !observed.RolledOut() {
				return s.componentFinding(component)
			}
			if unlisted := s.unlistedFinding(component); !unlisted.none() {
				return unlisted
			}
		}
	}
	return finding{}
}
