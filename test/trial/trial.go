package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/volume"
	"github.com/function-chroma/function-chroma/test/server"
	"github.com/function-chroma/function-chroma/test/server/client"
)

// A Report is what a trial has shown.
type Report struct {
	// From wrote the data, To opened it.
	From, To compatibility.Version
	// Opened is what came of To on the data of From.
	Opened Observation
	// Back is what came of From on the same data after To.
	Back Observation
	// Written are the migrations of the data that From left, Left those after To.
	Written, Left volume.Migrations
}

// An Observation is what came of one server on the data of another.
type Observation struct {
	// Result in the words of the tables.
	Result compatibility.Result
	// Details are the differences, or the message of the panic.
	Details []string
}

// Data is what a release wrote for trials.
type Data struct {
	from       Release
	folder     string
	snapshot   Snapshot
	migrations volume.Migrations
}

// Write makes the data of trials in an empty folder.
func Write(ctx context.Context, from Release, folder string) (*Data, error) {
	data := &Data{from: from, folder: folder}
	err := with(ctx, from.Program, folder, func(chroma *client.Client) (err error) {
		if err := write(ctx, chroma); err != nil {
			return err
		}
		// A question that the first server refuses would be refused alike by the others, and compare nothing.
		data.snapshot, err = take(ctx, chroma)
		return errors.Join(err, data.snapshot.refusals())
	})
	if err != nil {
		return nil, fmt.Errorf("cannot write the data of a trial with %s: %w", from.Program, err)
	}
	data.migrations, err = volume.Read(ctx, folder)
	return data, err
}

// Open tries another release on a copy of the data, in an empty folder, and then the first one again. The second server
// also writes: to what is there, and new collections with all that it knows. So what the first server says afterwards
// is what a way back over the format of the data gives.
func (d *Data) Open(ctx context.Context, to Release, folder string) (Report, error) {
	report := Report{From: d.from.Version, To: to.Version, Written: d.migrations}
	if err := os.CopyFS(folder, os.DirFS(d.folder)); err != nil {
		return report, fmt.Errorf("cannot copy the data: %w", err)
	}
	expected := maps.Clone(d.snapshot)
	var err error
	report.Opened, err = observe(ctx, to.Program, folder, d.snapshot, func(chroma *client.Client) error {
		if err := writeLater(ctx, chroma); err != nil {
			return err
		}
		// What the second server wrote is as it says, the rest as the first said.
		snapshot, err := take(ctx, chroma)
		for _, name := range []string{records, later, laterArrays} {
			if answers, found := snapshot[name]; found {
				expected[name] = answers
			}
		}
		return err
	})
	if err != nil {
		return report, err
	}
	if report.Left, err = volume.Read(ctx, folder); err != nil {
		return report, err
	}
	report.Back, err = observe(ctx, d.from.Program, folder, expected, func(*client.Client) error { return nil })
	return report, err
}

// observe starts a server on data, compares what it answers, and does more with it while it runs.
func observe(
	ctx context.Context, program server.Program, folder string, expected Snapshot, more func(*client.Client) error,
) (Observation, error) {
	observation := Observation{Result: compatibility.ResultIdentical}
	err := with(ctx, program, folder, func(chroma *client.Client) error {
		snapshot, err := take(ctx, chroma)
		if err != nil {
			return err
		}
		if observation.Details = expected.differences(snapshot); len(observation.Details) > 0 {
			observation.Result = compatibility.ResultDiffers
		}
		return more(chroma)
	})
	if exit := (*server.ExitError)(nil); errors.As(err, &exit) {
		// Anything else that ends says nothing of the data: an image that cannot be pulled, for instance.
		if message, panicked := panicOf(exit.Output); panicked {
			return Observation{Result: compatibility.ResultPanics, Details: []string{message}}, nil
		}
	}
	if refusal := (*client.Error)(nil); errors.As(err, &refusal) {
		return Observation{Result: compatibility.ResultDiffers, Details: append(observation.Details, err.Error())}, nil
	}
	if err != nil {
		return observation, fmt.Errorf("cannot try %s: %w", program, err)
	}
	return observation, nil
}

// panicOf returns the message of a server's panic out of what it printed: the line after the one with the place in its
// source.
func panicOf(output string) (string, bool) {
	_, after, panicked := strings.Cut(output, "panicked at ")
	_, message, _ := strings.Cut(after, "\n")
	message, _, _ = strings.Cut(message, "\n")
	return message, panicked
}

// with runs a server on a folder for as long as it is used, and stops it as the kubelet does.
func with(ctx context.Context, program server.Program, folder string, use func(*client.Client) error) error {
	running, err := server.Run(ctx, program, server.Options{Volume: folder})
	if err != nil {
		return err
	}
	if err := use(client.New(running.URL)); err != nil {
		return errors.Join(err, running.Kill())
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := running.Stop(ctx); err != nil {
		return errors.Join(err, running.Kill())
	}
	return nil
}
