package singlenode

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// TestWaitsThatLastAreLookedAtLessOften, and all is looked at more often while Crossplane drops watch events.
func TestWaitsThatLastAreLookedAtLessOften(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	condition := func(kind string, status metav1.ConditionStatus, because reason.Reason, age time.Duration) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: string(because), LastTransitionTime: metav1.NewTime(now.Add(-age))}
	}
	waiting := func(age time.Duration) metav1.Condition {
		return condition(string(reason.ServerReady), metav1.ConditionFalse, reason.LedgerPending, age)
	}
	cases := map[string]struct {
		reason     string
		conditions []metav1.Condition
		server     reason.Reason
		ttl        time.Duration
		want       time.Duration
	}{
		"New":         {"The first pass of a wait looks again soon.", nil, reason.LedgerPending, ttlSoon, ttlSoon},
		"Short":       {"A wait of a minute does too.", []metav1.Condition{waiting(time.Minute)}, reason.LedgerPending, ttlSoon, ttlSoon},
		"Long":        {"A provider that is down can be down for hours.", []metav1.Condition{waiting(61 * time.Second)}, reason.LedgerPending, ttlSoon, ttlLater},
		"LongEnding":  {"A Pod can hang in its end as long.", []metav1.Condition{waiting(61 * time.Second)}, reason.LedgerPending, ttlEnding, ttlLater},
		"Another":     {"A wait for something else begins anew.", []metav1.Condition{waiting(time.Hour)}, reason.PodTerminating, ttlEnding, ttlEnding},
		"Settled":     {"What has settled is looked at every minute.", []metav1.Condition{waiting(time.Hour)}, reason.PodReady, ttlSettled, ttlSettled},
		"BreakerOpen": {"Watch events are dropped: a pass may be the only news.", []metav1.Condition{condition(conditionResponsive, metav1.ConditionFalse, "WatchCircuitOpen", 0)}, reason.PodReady, ttlSettled, ttlLater},
		"BreakerShut": {"Watch events come: nothing has to be asked.", []metav1.Condition{condition(conditionResponsive, metav1.ConditionTrue, "WatchCircuitClosed", 0)}, reason.PodReady, ttlSettled, ttlSettled},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := World{Chroma: &chroma.Chroma{Status: chroma.ChromaStatus{Conditions: tc.conditions}}, Now: now}
			if got := patient(w, tc.server, tc.ttl); got != tc.want {
				t.Errorf("\n%s\npatient(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
