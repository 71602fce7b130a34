package simulator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Task is one thing that a controller has to look at.
type Task struct {
	Controller string
	Key        store.Key
}

// due is when a task runs. A timer is a task that comes only because time passes (a TTL, a poll): a cluster in which
// nothing but timers is left has settled, unless a pass that they start changes something.
type due struct {
	at       time.Time
	sequence uint64
	timer    bool
}

// queue has the tasks of all controllers in the order of simulated time.
type queue struct {
	now      time.Time
	sequence uint64
	tasks    map[Task]due
	random   *rand.Rand
}

func newQueue(start time.Time, random *rand.Rand) *queue {
	return &queue{now: start.UTC(), tasks: map[Task]due{}, random: random}
}

// add a task. A task that is already there keeps its earlier time.
func (q *queue) add(task Task, after time.Duration, timer bool) {
	at := q.now.Add(after)
	if old, found := q.tasks[task]; found {
		if !old.at.After(at) {
			old.timer = old.timer && timer
			q.tasks[task] = old
			return
		}
		timer = timer && old.timer
	}
	q.sequence++
	q.tasks[task] = due{at: at, sequence: q.sequence, timer: timer}
}

// sortTasks by controller and key.
func sortTasks(tasks []Task) {
	slices.SortFunc(tasks, func(a, b Task) int {
		if a.Controller != b.Controller {
			return strings.Compare(a.Controller, b.Controller)
		}
		if a.Key.Less(b.Key) {
			return -1
		}
		return 1
	})
}

// soon is the latency of a watch event, 5 to 30 ms.
func (q *queue) soon() time.Duration {
	return time.Duration(5+q.random.IntN(25)) * time.Millisecond
}

// next takes the earliest task out and moves the clock to it.
func (q *queue) next() (Task, bool) {
	first, found := q.peek()
	if !found {
		return Task{}, false
	}
	q.take(first)
	return first, true
}

func (q *queue) peek() (Task, bool) {
	var first Task
	var when due
	found := false
	for task, d := range q.tasks {
		if !found || d.at.Before(when.at) || (d.at.Equal(when.at) && d.sequence < when.sequence) {
			first, when, found = task, d, true
		}
	}
	return first, found
}

func (q *queue) take(task Task) {
	if d := q.tasks[task]; d.at.After(q.now) {
		q.now = d.at
	}
	delete(q.tasks, task)
}

// idle says that nothing but timers is left.
func (q *queue) idle() bool {
	for _, d := range q.tasks {
		if !d.timer {
			return false
		}
	}
	return true
}
