package simulator

import (
	"fmt"
	"time"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Step runs the next task, moving the clock to it, and says which it was; false when nothing is left to do.
func (c *Cluster) Step() (Task, bool) {
	task, found := c.queue.next()
	if !found {
		return Task{}, false
	}
	c.controllers[task.Controller](task.Key)
	return task, true
}

// Passes that Crossplane has begun so far.
func (c *Cluster) Passes() int { return c.passes }

// Pending are the tasks that wait, in no order that means anything.
func (c *Cluster) Pending() []Task {
	tasks := make([]Task, 0, len(c.queue.tasks))
	for task := range c.queue.tasks {
		tasks = append(tasks, task)
	}
	sortTasks(tasks)
	return tasks
}

// Advance lets simulated time pass and runs what gets due.
func (c *Cluster) Advance(d time.Duration) {
	end := c.Now().Add(d)
	for {
		task, found := c.queue.peek()
		if !found || c.queue.tasks[task].at.After(end) {
			break
		}
		c.Step()
	}
	if c.Now().Before(end) {
		c.queue.now = end
	}
}

// Settled says that nothing but timers is left, and that each composite resource was looked at after the last change.
func (c *Cluster) Settled() bool {
	if !c.queue.idle() {
		return false
	}
	for _, k := range c.config.Composites {
		for _, xr := range c.store.List(k.Kind, "") {
			if !c.lastPass[store.KeyOf(xr)].After(c.lastChange) && c.ticking(store.KeyOf(xr)) {
				return false
			}
		}
	}
	return true
}

// ticking says that a pass of the composite resource is to come.
func (c *Cluster) ticking(key store.Key) bool {
	_, found := c.queue.tasks[Task{ActorCrossplane, key}]
	return found
}

// Settle runs until the cluster has settled, at most the given number of steps. Its error says what still moves.
func (c *Cluster) Settle(steps int) error {
	for range steps {
		if c.Settled() {
			return nil
		}
		if _, more := c.Step(); !more {
			return nil
		}
	}
	if c.Settled() {
		return nil
	}
	return fmt.Errorf("cannot settle within %d steps: %v", steps, c.Pending())
}

// Until runs until a condition holds, at most the given number of steps, and says whether it does.
func (c *Cluster) Until(steps int, holds func() bool) bool {
	for range steps {
		if holds() {
			return true
		}
		if _, more := c.Step(); !more {
			break
		}
	}
	return holds()
}
