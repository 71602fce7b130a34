// Command component stands in for the images of distributed Chroma, which cannot be had here. It does of each what the
// cluster sees: it reads its configuration, answers the probes, migrates, keeps MemberLists, and has the two failures that
// do not heal by themselves.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	err := run(ctx, os.Args)
	stopped := ctx.Err() != nil
	cancel()
	if err != nil && !stopped {
		log.Fatal(err)
	}
}

// run as what the program is called, as a shell does with the sysdb's command, or as what the first argument says.
func run(ctx context.Context, arguments []string) error {
	switch filepath.Base(arguments[0]) {
	case "sh":
		return runSysdb(ctx, strings.Fields(arguments[2]))
	case "chroma":
		if err := readConfig(arguments[2]); err != nil {
			return err
		}
		return serveHTTP(ctx)
	}
	switch role := arguments[1]; role {
	case "sysdb-migration":
		return migrate(ctx, arguments[2:])
	case loseLease:
		return os.WriteFile(leaseLost, nil, 0o600)
	case "work-queue-service":
		if err := readConfig(os.Getenv("CONFIG_PATH")); err != nil {
			return err
		}
		// Its loader fails once when the storage is not there, and the server never serves.
		return serveHealth(ctx, storageThere(ctx), ":50051")
	case "garbage-collector-service":
		if err := readConfig(os.Getenv("CONFIG_PATH")); err != nil {
			return err
		}
		return serveHealth(ctx, true, ":50055")
	default:
		if err := readConfig(os.Getenv("CONFIG_PATH")); err != nil {
			return err
		}
		return serveHealth(ctx, true, ":50051")
	}
}

// serveHTTP answers as the frontend's health check.
func serveHTTP(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/healthcheck", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "{}") })
	server := &http.Server{Addr: ":8000", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close() // The process ends anyway.
	}()
	return server.ListenAndServe()
}
