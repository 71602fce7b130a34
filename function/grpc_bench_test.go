package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/function-chroma/function-chroma/test/requests"
)

// BenchmarkGRPC is one call over gRPC for a settled single-node Chroma, to the function as it is served: the median, and
// what the process holds in memory afterwards.
func BenchmarkGRPC(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "function")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("cannot build the function: %v\n%s", err, out)
	}
	address := freeAddress(b)
	server := exec.CommandContext(b.Context(), binary, "--insecure", "--address", address, "--metrics-address", "")
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	client, req := fnv1.NewFunctionRunnerServiceClient(connection), requests.Settled(b)
	if _, err := client.RunFunction(context.Background(), req, grpc.WaitForReady(true)); err != nil {
		b.Fatal(err)
	}

	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := client.RunFunction(context.Background(), req); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(resident(b, server.Process.Pid), "MB-resident")
}

func freeAddress(b *testing.B) string {
	b.Helper()
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// resident memory of a process in MB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // Only Linux tells.
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	return 0
}
