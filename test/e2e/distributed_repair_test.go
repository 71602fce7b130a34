//go:build e2e && linux

package e2e

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// repairBoth lets the two failures happen that do not heal by themselves, at the same time: a work queue that started
// without its storage, and a sysdb that lost its lease. Each is restarted, once.
func (s *scene) repairBoth(commit string, stopStore func()) {
	s.Helper()
	s.kubectl("exec", "deployment/sysdb", "--", "/component", "lose-lease")
	stopStore()
	queue := s.podUID("work-queue-service-0")
	s.kubectl("delete", "pod", "work-queue-service-0", "query-service-0", "--wait=false")
	s.wait("a work queue that cannot serve", time.Minute, func() (string, bool) {
		output, err := s.tryKubectl("logs", "work-queue-service-0")
		return output, err == nil && s.podUID("work-queue-service-0") != queue && strings.Contains(output, "NOT_SERVING")
	})
	sick := s.podUID("work-queue-service-0")
	s.startStore()
	began := time.Now()
	var restarted map[string]chroma.Repair
	s.wait("both restarted", 5*time.Minute, func() (string, bool) {
		now := s.chroma("demo").Status
		restarted = now.Repairs
		var seen []string
		for _, name := range []string{chart.WorkQueue, chart.SysDB} {
			seen = append(seen, fmt.Sprintf("%s: unready since %v, restarted %v", name, now.Repairs[name].UnreadySince, now.Repairs[name].Restarted))
		}
		return strings.Join(seen, "; "), now.Repairs[chart.WorkQueue].Restarted != nil && now.Repairs[chart.SysDB].Restarted != nil
	})
	if took := time.Since(began); took < 170*time.Second {
		s.Errorf("restarted after %.0f s: a repair has 180 s of patience", took.Seconds())
	}
	for name, why := range map[string]string{chart.WorkQueue: "WorkQueueRestarted", chart.SysDB: "SysdbLeaderLost"} {
		if got := restarted[name].Reason; got != why {
			s.Errorf("%s was restarted for reason %q, want %s", name, got, why)
		}
	}
	s.wait("another work queue", 2*time.Minute, func() (string, bool) {
		now := s.podUID("work-queue-service-0")
		return string(now), now != "" && now != sick
	})
	s.waitRuns(commit, 3*time.Minute, func() {})
	s.waitMembers(map[string]int32{chart.LogService: 1, chart.QueryService: 2, chart.CompactionService: 2, chart.GarbageCollector: 1, chart.FnConsumer: 1})
}

func (s *scene) podUID(name string) types.UID {
	s.Helper()
	if pod := read[corev1.Pod](s, kindPod, name); pod != nil {
		return pod.UID
	}
	return ""
}
