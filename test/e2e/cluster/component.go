//go:build linux

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// A spec of a component: a program and its arguments.
type spec struct {
	name      string
	program   string
	arguments []string
	// after is a file that must be there first.
	after string
}

// A component is a program that is started again whenever it ends, until it is stopped.
type component struct {
	spec     spec
	log      string
	binaries string

	mutex  sync.Mutex
	wanted bool
	cmd    *exec.Cmd
	// idle is closed when nothing of it runs any more.
	idle chan struct{}
}

func newComponent(s spec, options Options) *component {
	return &component{spec: s, log: filepath.Join(options.Folder, "log", s.name+".log"), binaries: options.Binaries}
}

// start it, unless it runs.
func (c *component) start(ctx context.Context) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.wanted {
		return
	}
	c.wanted, c.idle = true, make(chan struct{})
	go c.run(ctx, c.idle)
}

// stop it, and wait until it has ended.
func (c *component) stop() {
	c.mutex.Lock()
	idle := c.idle
	c.wanted = false
	c.mutex.Unlock()
	if idle != nil {
		c.kill()
		<-idle
	}
}

// kill it at once. It starts again when it is wanted.
func (c *component) kill() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.cmd != nil {
		_ = c.cmd.Process.Kill() // It fails only when the process has ended, which is what is asked for.
	}
}

func (c *component) run(ctx context.Context, idle chan struct{}) {
	defer close(idle)
	for {
		for c.spec.after != "" {
			if _, err := os.Stat(c.spec.after); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		err := c.once(ctx)
		c.mutex.Lock()
		wanted := c.wanted
		c.mutex.Unlock()
		if !wanted {
			return
		}
		fmt.Fprintf(os.Stderr, "%s ended and is started again: %v\n", c.spec.name, err)
		time.Sleep(time.Second)
	}
}

// once runs it until it ends.
func (c *component) once(ctx context.Context) error {
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cannot open the log of %s: %w", c.spec.name, err)
	}
	defer log.Close()

	cmd := exec.CommandContext(ctx, c.spec.program, c.spec.arguments...)
	cmd.Env = append(os.Environ(), "PATH="+c.binaries+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = log, log
	c.mutex.Lock()
	if !c.wanted {
		c.mutex.Unlock()
		return nil
	}
	if err := cmd.Start(); err != nil {
		c.mutex.Unlock()
		return fmt.Errorf("cannot start %s: %w", c.spec.name, err)
	}
	c.cmd = cmd
	c.mutex.Unlock()
	return cmd.Wait()
}
