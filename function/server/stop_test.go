package server

import (
	"context"
	"net"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// within is how long these tests wait for what should happen at once.
const within = 20 * time.Second

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()

	select {
	case got := <-from:
		return got
	case <-time.After(within):
		t.Fatalf("waited %s for %s", within, what)
		panic("unreachable")
	}
}

func TestStopLetsCallsEnd(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	s := serve(t, func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		close(started)

		select {
		case <-release:
			return echo(ctx, req)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, insecure.NewCredentials(), within)
	conn := dial(t, s, insecure.NewCredentials())

	health, err := grpc_health_v1.NewHealthClient(conn).Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}

	if first, err := health.Recv(); err != nil || first.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Fatalf("Watch(...): got %v, %v, want SERVING", first.GetStatus(), err)
	}

	called := make(chan error, 1)
	go func() {
		_, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), tagged("a"))
		called <- err
	}()

	receive(t, started, "the call to start")
	s.stop()

	if next, err := health.Recv(); err != nil || next.GetStatus() != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("Watch(...): got %v, %v, want NOT_SERVING before the calls have ended", next.GetStatus(), err)
	}

	select {
	case err := <-s.stopped:
		t.Fatalf("Run(...) returned with a call in flight: %v", err)
	default:
	}

	for deadline := time.Now().Add(within); ; {
		late, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
		if err != nil {
			break // Refused.
		}

		_ = late.Close()

		if time.Now().After(deadline) {
			t.Fatal("Run(...): still takes new connections once told to stop")
		}
	}

	close(release)

	if err := receive(t, called, "the call to end"); err != nil {
		t.Errorf("RunFunction(...): the call in flight failed: %v", err)
	}

	// The health watch is a call in flight as well.
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}

	if err := receive(t, s.stopped, "the server to stop"); err != nil {
		t.Errorf("Run(...): %v", err)
	}
}

func TestStopCutsCallsOff(t *testing.T) {
	started := make(chan struct{})
	release := make(chan struct{})
	s := serve(t, func(_ context.Context, _ *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		close(started)
		<-release // Whatever happens to the call: the worst a function can do.

		return &fnv1.RunFunctionResponse{}, nil
	}, insecure.NewCredentials(), time.Millisecond)
	t.Cleanup(func() { close(release) })

	called := make(chan error, 1)
	go func() {
		_, err := fnv1.NewFunctionRunnerServiceClient(dial(t, s, insecure.NewCredentials())).RunFunction(t.Context(), tagged("a"))
		called <- err
	}()

	receive(t, started, "the call to start")
	s.stop()

	if err := receive(t, called, "the call to be cut off"); status.Code(err) != codes.Unavailable {
		t.Errorf("RunFunction(...): got %v, want Unavailable", err)
	}

	if err := receive(t, s.stopped, "the server to stop"); err != nil {
		t.Errorf("Run(...): %v", err)
	}
}
