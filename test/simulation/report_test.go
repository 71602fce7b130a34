package simulation

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// leastActions is the median length of the sequences at least.
const leastActions = 200

// playing is a run of many sequences, by several players.
type playing struct {
	sync.Mutex

	seed    uint64
	want    int
	counts  map[string]int
	lengths []int
}

// next seed to play, as long as there are not enough actions.
func (p *playing) next() (uint64, bool) {
	p.Lock()
	defer p.Unlock()
	if p.counts["actions"] >= p.want {
		return 0, false
	}
	p.seed++
	return p.seed - 1, true
}

// took takes in what a sequence came to, and writes the report as far as it is, since a long run may be stopped.
func (p *playing) took(t *testing.T, counts map[string]int) {
	t.Helper()
	p.Lock()
	defer p.Unlock()
	for name, n := range counts {
		p.counts[name] += n
	}
	p.lengths = append(p.lengths, counts["actions"])
	if path := os.Getenv("SIM_REPORT"); path != "" {
		if err := os.WriteFile(path, []byte(p.report()), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// report per fault and per outcome how often.
func (p *playing) report() string {
	out := &strings.Builder{}
	fmt.Fprintf(out, "%d sequences, median %d actions\n", len(p.lengths), p.median())
	for _, name := range slices.Sorted(maps.Keys(p.counts)) {
		fmt.Fprintf(out, "%8d  %s\n", p.counts[name], name)
	}
	return out.String()
}

func (p *playing) median() int {
	if len(p.lengths) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(p.lengths))[len(p.lengths)/2]
}

// rare faults and outcomes, and sequences that are too short.
func (p *playing) rare(least int) []string {
	names := outcomes()
	for _, a := range disturbances() {
		names = append(names, "fault: "+a.name)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return p.counts[name] >= least })
	if p.median() < leastActions {
		names = append(names, fmt.Sprintf("a median of %d actions in a sequence", leastActions))
	}
	return names
}

// TestWhatComesTooRarelyIsNamed: a long run fails for each disturbance and each outcome that did not come often enough.
func TestWhatComesTooRarelyIsNamed(t *testing.T) {
	const least = 100
	enough := func() *playing {
		p := &playing{counts: map[string]int{}, lengths: []int{leastActions - 1, leastActions, leastActions + 1}}
		for _, name := range outcomes() {
			p.counts[name] = least
		}
		for _, a := range disturbances() {
			p.counts["fault: "+a.name] = least
		}
		return p
	}
	if rare := enough().rare(least); len(rare) > 0 {
		t.Errorf("all came often enough, and these are named: %q", rare)
	}
	report := enough().report()
	for name := range enough().counts {
		if !strings.Contains(report, fmt.Sprintf("%8d  %s\n", least, name)) {
			t.Errorf("the report does not say how often %q came:\n%s", name, report)
		}
	}
	for name := range enough().counts {
		p := enough()
		p.counts[name]--
		if rare := p.rare(least); len(rare) != 1 || rare[0] != name {
			t.Errorf("want %q named, got %q", name, rare)
		}
	}
	short := enough()
	short.lengths = []int{leastActions - 1}
	if rare := short.rare(least); len(rare) != 1 {
		t.Errorf("sequences that are too short are not named: %q", rare)
	}
}
