package vald

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// agentShare of a machine is for agents. The rest is for the system, DaemonSets and the other components.
const agentShare = 0.6

// A Size is what the agents of one cluster get.
type Size struct {
	// Agents is their number.
	Agents int64
	// CPULimit and CPURequest of one agent. There is no limit of memory: NGT maps its index, and a limit would kill it.
	CPULimit, CPURequest string
	// Memory that one agent requests.
	Memory string
	// Volume of one agent. Empty: it has none.
	Volume string
}

// SizeOf the agents of an entry: from the agent pool, or from the general pool when the former has no machines.
//
// The steps are those of the Vald Operator, in float64 and truncated after each, so that moving to this function
// changes no Pod: 3 cores give a limit of 1799m, not of 1800m.
func SizeOf(entry valdv1.Infrastructure, volume *valdv1.PersistentVolume, with config.Config) Size {
	pool, ok := entry.NodePools[valdv1.PoolAgent]
	if !ok || pool.Replicas == 0 {
		pool = entry.NodePools[valdv1.PoolGeneral]
	}
	perNode := with.NodePool.AgentPodsPerNode
	divisor := float64(max(perNode, 1))

	cores := float64(roundedUp(pool.MachineResource.CPU))
	bytes := float64(roundedUp(pool.MachineResource.Memory))
	megabytes := wholeMegabytes(bytes * agentShare / divisor)

	size := Size{
		Agents:     pool.Replicas * perNode,
		CPULimit:   resource.NewMilliQuantity(truncated(cores*agentShare*1000), resource.DecimalSI).String(),
		CPURequest: resource.NewMilliQuantity(truncated(cores*agentShare/divisor*1000), resource.DecimalSI).String(),
		Memory:     resource.NewQuantity(megabytes*1_000_000, resource.DecimalSI).String(),
	}
	if volume != nil && volume.Enabled {
		const gibibyte = 1 << 30
		needed := max(truncated(float64(megabytes*1_000_000)*with.PersistentVolume.BufferRatio), with.PersistentVolume.MinSizeBytes)
		gibibytes := min(truncated(math.Ceil(float64(needed)/gibibyte)), math.MaxInt64/gibibyte)
		size.Volume = resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI).String()
	}
	return size
}

// Size of the agents as the ValdRelease has it, after the overlay.
func (r Release) Size() Size {
	at := func(path ...string) string {
		text, _, _ := unstructured.NestedString(r.Manifest, append([]string{"spec", "agent"}, path...)...)
		return text
	}
	agents, _, _ := unstructured.NestedInt64(r.Manifest, "spec", "agent", "minReplicas") //nolint:goconst // A path is written where it stands.
	size := Size{
		Agents:     agents,
		CPULimit:   at("resources", "limits", "cpu"),
		CPURequest: at("resources", "requests", "cpu"),
		Memory:     at("resources", "requests", "memory"),
	}
	if enabled, _, _ := unstructured.NestedBool(r.Manifest, "spec", "agent", "persistentVolume", "enabled"); enabled {
		size.Volume = at("persistentVolume", "size")
	}
	return size
}

// wholeMegabytes rounds up what was cut to a thousandth of a byte.
func wholeMegabytes(bytes float64) int64 {
	const thousandthsPerMegabyte = 1_000_000_000
	thousandths := truncated(bytes * 1000)
	if thousandths == math.MaxInt64 { // Beyond some 9 petabytes a thousandth of a byte does not fit, nor count.
		return min(truncated(math.Ceil(bytes/1_000_000)), math.MaxInt64/1_000_000)
	}
	megabytes := thousandths / thousandthsPerMegabyte
	if thousandths%thousandthsPerMegabyte > 0 {
		megabytes++
	}
	return megabytes
}

// roundedUp is a quantity in whole units. What is no quantity counts as 0.
func roundedUp(text string) int64 {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return 0
	}
	return quantity.Value()
}

// truncated to an integer, at the ends of its range.
func truncated(value float64) int64 {
	switch {
	case value >= math.MaxInt64:
		return math.MaxInt64
	case value <= math.MinInt64:
		return math.MinInt64
	case math.IsNaN(value):
		return 0
	}
	return int64(value)
}
