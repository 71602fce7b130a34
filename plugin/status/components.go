package status

import (
	"cmp"
	"slices"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
)

// componentsOf a distributed Chroma in the order in which they start and are updated.
func componentsOf(of *chroma.Chroma) []v1.Component {
	order := layout(of)
	place := func(name string) int {
		return slices.IndexFunc(order, func(c chart.Component) bool { return c.Name == name })
	}
	out := make([]v1.Component, 0, len(of.Status.Components))
	for name, component := range of.Status.Components {
		one := v1.Component{Name: name, Wanted: component.Replicas, Ready: component.Ready, Members: component.Members}
		if at := place(name); at >= 0 {
			one.Tier = tierName(order[at].Tier)
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b v1.Component) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// layout is the components of the wanted version by tier. One that is not known has those of the newest.
func layout(of *chroma.Chroma) []chart.Component {
	versions := distributed.Versions()
	version := versions[len(versions)-1]
	if of.Spec.Distributed != nil {
		if known, found := distributed.Version(of.Spec.Distributed.Version); found {
			version = known
		}
	}
	out := slices.Clone(version.Components)
	slices.SortStableFunc(out, func(a, b chart.Component) int { return cmp.Compare(a.Tier, b.Tier) })
	return out
}

func tierName(tier chart.Tier) string {
	switch tier {
	case chart.TierFoundation:
		return "foundation"
	case chart.TierMigration:
		return "migration"
	case chart.TierSysDB:
		return "sysdb"
	case chart.TierLog:
		return "log"
	case chart.TierWorkers:
		return "workers"
	case chart.TierFrontend:
		return "frontend"
	}
	return ""
}
