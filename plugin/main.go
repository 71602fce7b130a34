// kubectl-chroma is the kubectl plugin for Chroma: see, understand, change.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/command"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := command.Execute(ctx, streams, os.Getenv, os.Args[1:])
	stop()
	if code != exit.Fine {
		os.Exit(int(code))
	}
}
