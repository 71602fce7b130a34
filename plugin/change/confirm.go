package change

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// Note what could not be read, and what else a person should know before anything is changed. What another note says too
// is said there.
func (o *Options) Note(notes []string) {
	for _, note := range slices.Compact(slices.Sorted(slices.Values(notes))) {
		if !slices.ContainsFunc(notes, func(other string) bool { return other != note && strings.Contains(other, note) }) {
			_, _ = fmt.Fprintln(o.Streams.ErrOut, "note: "+note)
		}
	}
}

// Next says which command to type after a change, one of the plugin's own.
func (o *Options) Next(command string) {
	if o.DryRun == None {
		_, _ = fmt.Fprintln(o.Streams.ErrOut, "next: kubectl chroma "+command)
	}
}

// Confirm something that cannot be taken back, or that can lose data. On a terminal a person is asked; elsewhere --yes
// is needed, since a script that is asked hangs.
func (o *Options) Confirm(question string) error {
	if o.Yes || o.DryRun != None {
		return nil
	}
	if !terminal.IsTerminal(o.Streams.In) {
		return exit.Errorf(exit.Usage, "this needs a confirmation, and there is no terminal to ask at. %s If so, say --yes", question)
	}
	return o.ask(question)
}

// Ask a person at a terminal about something that can be taken back. A script goes on.
func (o *Options) Ask(question string) error {
	if !o.Asks() {
		return nil
	}
	return o.ask(question)
}

// Asks tells whether a person is asked. Until the answer things can change, so what they were is to be looked at again.
func (o *Options) Asks() bool {
	return !o.Yes && o.DryRun == None && terminal.IsTerminal(o.Streams.In)
}

// ask at the terminal. An interrupt is an answer too, which a read would wait out.
func (o *Options) ask(question string) error {
	_, _ = fmt.Fprintf(o.Streams.ErrOut, "%s [y/N] ", question)
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	answers := make(chan answer, 1)
	go func() {
		text, err := bufio.NewReader(o.Streams.In).ReadString('\n')
		answers <- answer{text: text, err: err}
	}()
	select {
	case <-interrupted.Done():
		_, _ = fmt.Fprintln(o.Streams.ErrOut)
	case given := <-answers:
		if given.err != nil && !errors.Is(given.err, io.EOF) {
			return fmt.Errorf("cannot read the answer: %w", given.err)
		}
		switch strings.ToLower(strings.TrimSpace(given.text)) {
		case "y", "yes":
			return nil
		}
	}
	return exit.Errorf(exit.Error, "not confirmed: nothing was changed")
}

// answer of a person.
type answer struct {
	text string
	err  error
}
