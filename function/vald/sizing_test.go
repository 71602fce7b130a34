package vald

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

func TestSizeOf(t *testing.T) {
	cases := map[string]struct {
		reason                      string
		cpu, memory                 string
		perNode, minSize            int64
		ratio                       float64
		limit, request, mem, volume string
	}{
		"Documentation": {"Sixty hundredths of the machine, by the Pods on it.", "8", "32Gi", 2, 1 << 30, 1.5, "4800m", "2400m", "10308M", "15Gi"},
		"Truncated":     {"Floating point: 3 cores give 1799m, as they always did.", "3", "1Gi", 2, 1 << 30, 1.5, "1799m", "899m", "323M", "1Gi"},
		"Six":           {"Floating point.", "6", "1Gi", 2, 1 << 30, 1.5, "3599m", "1799m", "323M", "1Gi"},
		"Eleven":        {"Three Pods.", "11", "1Gi", 3, 1 << 30, 1.5, "6600m", "2199m", "215M", "1Gi"},
		"RoundedUp":     {"Cores are rounded up first.", "250m", "1Gi", 2, 1 << 30, 1.5, "600m", "300m", "323M", "1Gi"},
		"Whole":         {"Canonical quantities.", "10", "100G", 2, 1 << 30, 1.5, "6", "3", "30G", "42Gi"},
		"Ratio":         {"Of the volume to the memory.", "8", "32Gi", 2, 1 << 30, 2.25, "4800m", "2400m", "10308M", "22Gi"},
		"Tebibyte":      {"The minimum can be larger.", "8", "32Gi", 2, 1 << 40, 1.5, "4800m", "2400m", "10308M", "1Ti"},
		"NoDivision":    {"0 Pods per node do not divide.", "8", "32Gi", 0, 1 << 30, 1.5, "4800m", "4800m", "20616M", "29Gi"},
		"Nonsense":      {"What is no quantity counts as 0.", "many", "lots", 2, 1 << 30, 1.5, "0", "0", "0", "1Gi"},
		"Smallest":      {"A thousandth of a byte is rounded up twice.", "1m", "1m", 2, 0, 0, "600m", "300m", "1M", "0"},
		"Exponent":      {"Scientific notation.", "1e1", "1e9", 2, 1 << 30, 1.5, "6", "3", "300M", "1Gi"},
		"Largest":       {"An exbibyte does not overflow.", "1Ei", "1Ei", 1, 1 << 30, 1.5, "9223372036854775807m", "9223372036854775807m", "691752902765M", "966367642Gi"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			entry := valdv1.Infrastructure{NodePools: map[string]valdv1.NodePool{
				"general": {Replicas: 1, MachineResource: valdv1.MachineResource{CPU: tc.cpu, Memory: tc.memory}},
			}}
			with := config.New()
			with.NodePool.AgentPodsPerNode, with.PersistentVolume.MinSizeBytes, with.PersistentVolume.BufferRatio = tc.perNode, tc.minSize, tc.ratio
			want := Size{Agents: tc.perNode, CPULimit: tc.limit, CPURequest: tc.request, Memory: tc.mem, Volume: tc.volume}
			if diff := cmp.Diff(want, SizeOf(entry, &valdv1.PersistentVolume{Enabled: true}, with)); diff != "" {
				t.Errorf("\n%s\nSizeOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestThePoolOfTheAgents(t *testing.T) {
	pool := func(replicas int64, cpu string) valdv1.NodePool {
		return valdv1.NodePool{Replicas: replicas, MachineResource: valdv1.MachineResource{CPU: cpu, Memory: "10G"}}
	}
	cases := map[string]struct {
		reason string
		pools  map[string]valdv1.NodePool
		agents int64
		limit  string
	}{
		"Agent":   {"Their own pool.", map[string]valdv1.NodePool{"general": pool(1, "10"), "agent": pool(2, "20")}, 4, "12"},
		"Empty":   {"A pool without machines is no pool.", map[string]valdv1.NodePool{"general": pool(1, "10"), "agent": pool(0, "20")}, 2, "6"},
		"General": {"The general one.", map[string]valdv1.NodePool{"general": pool(1, "10")}, 2, "6"},
		"Unknown": {"Other keys mean nothing.", map[string]valdv1.NodePool{"gpu": pool(1, "10")}, 0, "0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := SizeOf(valdv1.Infrastructure{NodePools: tc.pools}, nil, config.New())
			if got.Agents != tc.agents || got.CPULimit != tc.limit || got.Volume != "" {
				t.Errorf("\n%s\nSizeOf(...): want %d agents with at most %s, got %+v", tc.reason, tc.agents, tc.limit, got)
			}
		})
	}
}

// TestSizesAreQuantitiesThatFitTheMachine for any machine: canonical quantities, never negative, and the agents of a
// machine never request more than their share of its whole cores.
func TestSizesAreQuantitiesThatFitTheMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		suffix := rapid.SampledFrom([]string{"", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-1"})
		number := rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,3})?`)
		// Beyond 2^53 thousandths of a core float64 is not exact; no machine is.
		cores := rapid.SampledFrom([]string{"", "m", "k", "e3", "E-1"})
		cpu, memory := number.Draw(t, "cpu")+cores.Draw(t, "cpu suffix"), number.Draw(t, "memory")+suffix.Draw(t, "memory suffix")
		with := config.New()
		with.NodePool.AgentPodsPerNode = rapid.Int64Range(0, 20).Draw(t, "pods")
		with.PersistentVolume.BufferRatio = rapid.Float64Range(0, 10).Draw(t, "ratio")
		entry := valdv1.Infrastructure{NodePools: map[string]valdv1.NodePool{"agent": {Replicas: 1, MachineResource: valdv1.MachineResource{CPU: cpu, Memory: memory}}}}

		size := SizeOf(entry, &valdv1.PersistentVolume{Enabled: true}, with)
		for _, text := range []string{size.CPULimit, size.CPURequest, size.Memory, size.Volume} {
			quantity, err := resource.ParseQuantity(text)
			if err != nil || quantity.Sign() < 0 || quantity.String() != text {
				t.Fatalf("SizeOf(%s, %s): %q is no canonical quantity: %v", cpu, memory, text, err)
			}
		}
		limit, request := resource.MustParse(size.CPULimit), resource.MustParse(size.CPURequest)
		if together := request.MilliValue() * max(with.NodePool.AgentPodsPerNode, 1); together > limit.MilliValue()+with.NodePool.AgentPodsPerNode {
			t.Fatalf("SizeOf(%s, %s): the agents request %dm of %s", cpu, memory, together, size.CPULimit)
		}
	})
}
