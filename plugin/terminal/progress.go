package terminal

import (
	"context"
	"fmt"
	"io"
	"time"
)

// A Progress tells in lines what is waited for, where no terminal shows frames: in the log of a CI, or in a pipe. A line
// is told when it is another one, and every half minute that it still holds.
type Progress struct {
	to          io.Writer
	begun, told time.Time
	last        string
}

// again is how long a line stands before it is told once more.
const again = 30 * time.Second

// NewProgress that begins now.
func NewProgress(to io.Writer, now time.Time) *Progress { return &Progress{to: to, begun: now} }

// Tell a line, with the time since the beginning before it.
func (p *Progress) Tell(now time.Time, line string) {
	if line == p.last && now.Sub(p.told) < again {
		return
	}
	p.last, p.told = line, now
	const width = 6
	_, _ = fmt.Fprintf(p.to, "%s  %s\n", Pad(now.Sub(p.begun).Round(time.Second).String(), width), line)
}

// Interrupted tells whether a person has ended it with Ctrl-C, which is how a watch ends.
func Interrupted(ctx context.Context) bool { return ctx.Err() != nil }
