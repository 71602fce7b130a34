package server

import (
	"context"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// TestRequestsAreNarrowed: what is decoded is what is left, in either version of the protocol.
func TestRequestsAreNarrowed(t *testing.T) {
	cut, err := New(t.Context(), runner{run: echo}, Options{
		Network: "tcp", Address: "127.0.0.1:0", Credentials: insecure.NewCredentials(), MaxReceiveBytes: 1 << 20, GracePeriod: time.Second,
		MaxConcurrentCalls: 1,
		Narrow:             func(out, _ []byte) []byte { return out },
	}, logging.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = cut.Run(ctx) }()
	conn, err := grpc.NewClient(cut.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	got, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), tagged("left out"))
	if err != nil {
		t.Fatal(err)
	}
	if tag := got.GetMeta().GetTag(); tag != "" {
		t.Errorf("RunFunction(...): want nothing decoded, got the tag %q", tag)
	}
	older, err := v1beta1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &v1beta1.RunFunctionRequest{Meta: &v1beta1.RequestMeta{Tag: "left out"}})
	if err != nil {
		t.Fatal(err)
	}
	if tag := older.GetMeta().GetTag(); tag != "" {
		t.Errorf("RunFunction(...) of v1beta1: want nothing decoded, got the tag %q", tag)
	}
}
