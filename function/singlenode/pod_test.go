package singlenode

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAPodThatEndsIsLookedAtMoreOftenAtFirst: until it is gone nobody serves.
func TestAPodThatEndsIsLookedAtMoreOftenAtFirst(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason string
		since  time.Duration
		grace  *int64
		want   time.Duration
	}{
		"Asked":      {"It was just asked to end.", 0, new(int64(30)), ttlGoing},
		"Soon":       {"Without open requests it is gone by now.", 4 * time.Second, new(int64(30)), ttlGoing},
		"Serving":    {"It finishes open requests, which can take its whole grace period.", 6 * time.Second, new(int64(30)), ttlEnding},
		"Overdue":    {"Its grace period is over.", time.Minute, new(int64(30)), ttlEnding},
		"WithoutAny": {"A deletion without a grace period ends at once.", 0, nil, ttlGoing},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			end := now.Add(-tc.since)
			if tc.grace != nil {
				end = end.Add(time.Duration(*tc.grace) * time.Second)
			}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: new(metav1.NewTime(end)), DeletionGracePeriodSeconds: tc.grace}}
			if got := ttlOfEnd(now, pod); got != tc.want {
				t.Errorf("\n%s\nttlOfEnd(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
