// The command trial tries whether a server opens the data of another, and holds what it sees against the table of
// compatibility.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/test/server"
	"github.com/function-chroma/function-chroma/test/trial"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("trial", flag.ExitOnError)
	from := flags.String("from", "", "version of Chroma that writes, or a container image")
	to := flags.String("to", "", "version of Chroma that opens the data, or a container image")
	all := flags.Bool("all", false, "try every pair of the servers in npm packages: some 20 minutes, and 3.5 GB in the cache")
	runtime := flags.String("runtime", "", "container runtime: docker, podman or nerdctl (default: npm packages, no containers)")
	if err := flags.Parse(arguments); err != nil {
		return fmt.Errorf("cannot read the flags: %w", err)
	}
	froms, tos := []string{*from}, []string{*to}
	if *all {
		froms = newestOfEach(server.Bindings())
		tos = froms
	}
	if froms[0] == "" || tos[0] == "" {
		return errors.New("cannot try without two servers: set -from and -to, or -all")
	}
	return try(ctx, froms, tos, *runtime)
}

// newestOfEach returns the newest release of each package.
func newestOfEach(bindings []server.Binding) []string {
	versions := make([]string, 0, len(bindings))
	for _, binding := range bindings {
		versions = append(versions, binding.Chroma[len(binding.Chroma)-1])
	}
	return versions
}

// try tries every pair, and fails when one contradicts the tables.
func try(ctx context.Context, froms, tos []string, runtime string) error {
	folder, err := os.MkdirTemp("", "chroma-trial-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the data: %w", err)
	}
	defer os.RemoveAll(folder)
	rows := []string{trial.Header()}
	contradicted := false
	for i, from := range froms {
		data, err := writeData(ctx, from, runtime, filepath.Join(folder, strconv.Itoa(i)))
		if err != nil {
			return err
		}
		for _, to := range tos {
			report, err := open(ctx, data, to, runtime, filepath.Join(folder, "copy"))
			if err != nil {
				return err
			}
			verdict := trial.Judge(report, compatibility.Steps(), compatibility.Passages())
			fmt.Fprintln(os.Stdout, verdict)
			rows = append(rows, report.Row(time.Now()))
			contradicted = contradicted || len(verdict.Contradictions) > 0
		}
	}
	fmt.Fprintf(os.Stdout, "\n%s\n", strings.Join(rows, "\n"))
	if contradicted {
		return errors.New("the tables of function/compatibility say otherwise")
	}
	return nil
}

func writeData(ctx context.Context, from, runtime, folder string) (*trial.Data, error) {
	release, err := trial.Resolve(ctx, from, runtime)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(folder, 0o750); err != nil {
		return nil, fmt.Errorf("cannot make a folder for the data: %w", err)
	}
	return trial.Write(ctx, release, folder)
}

// open tries a server on a copy of the data, and removes the copy.
func open(ctx context.Context, data *trial.Data, to, runtime, folder string) (trial.Report, error) {
	release, err := trial.Resolve(ctx, to, runtime)
	if err != nil {
		return trial.Report{}, err
	}
	defer os.RemoveAll(folder)
	return data.Open(ctx, release, folder)
}
