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
	"time"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/test/server"
	"github.com/function-chroma/function-chroma/test/trial"
)

func main() {
	from := flag.String("from", "", "version of Chroma that writes, or a container image")
	to := flag.String("to", "", "version of Chroma that opens the data, or a container image")
	all := flag.Bool("all", false, "try every pair of the servers in npm packages: some 20 minutes, and 3.5 GB in the cache")
	runtime := flag.String("runtime", "", "container runtime: docker, podman or nerdctl (default: npm packages and no container)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	froms, tos := []string{*from}, []string{*to}
	if *all {
		froms = newestOfEach(server.Bindings())
		tos = froms
	}
	if froms[0] == "" || tos[0] == "" {
		fmt.Fprintln(os.Stderr, "cannot try without two servers: set -from and -to, or -all")
		os.Exit(2)
	}
	if err := run(ctx, froms, tos, *runtime); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newestOfEach returns the newest release of each package.
func newestOfEach(bindings []server.Binding) []string {
	versions := make([]string, 0, len(bindings))
	for _, binding := range bindings {
		versions = append(versions, binding.Chroma[len(binding.Chroma)-1])
	}
	return versions
}

// run tries every pair and fails when one contradicts the tables.
func run(ctx context.Context, froms, tos []string, runtime string) error {
	folder, err := os.MkdirTemp("", "chroma-trial-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the data: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // What is left lies among temporary files.
	rows := trial.Header()
	contradicted := false
	for i, from := range froms {
		release, err := trial.Resolve(ctx, from, runtime)
		if err != nil {
			return err
		}
		data, err := trial.Write(ctx, release, filepath.Join(folder, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		for j, to := range tos {
			release, err := trial.Resolve(ctx, to, runtime)
			if err != nil {
				return err
			}
			copied := filepath.Join(folder, fmt.Sprintf("%d-%d", i, j))
			report, err := data.Open(ctx, release, copied)
			if err != nil {
				return err
			}
			verdict := trial.Judge(report, compatibility.Steps(), compatibility.Passages())
			fmt.Println(verdict)
			rows += "\n" + report.Row(time.Now())
			contradicted = contradicted || len(verdict.Contradictions) > 0
			if err := os.RemoveAll(copied); err != nil {
				return fmt.Errorf("cannot remove the data: %w", err)
			}
		}
	}
	fmt.Println("\n" + rows)
	if contradicted {
		return errors.New("the tables of function/compatibility say otherwise")
	}
	return nil
}
