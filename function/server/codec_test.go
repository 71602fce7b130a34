package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// TestLargeRequestsAreNarrowed: what is small is not worth the copy.
func TestLargeRequestsAreNarrowed(t *testing.T) {
	short, err := New(t.Context(), runner{run: echo}, Options{
		Network: "tcp", Address: "127.0.0.1:0", Credentials: insecure.NewCredentials(), MaxReceiveBytes: 4 * large, GracePeriod: time.Second,
		MaxConcurrentCalls: 1,
		Narrow:             func([]byte) []byte { return nil },
	}, logging.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = short.Run(ctx) }()
	conn, err := grpc.NewClient(short.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	cases := map[string]struct {
		reason string
		tag    string
		want   string
	}{
		"Small": {"A small request is decoded as it is.", "small", "small"},
		"Large": {"Of a large one only what is left is decoded: here nothing.", strings.Repeat("x", large), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), tagged(tc.tag))
			if err != nil {
				t.Fatal(err)
			}
			if got.GetMeta().GetTag() != tc.want {
				t.Errorf("\n%s\nwant the tag %q, got %d bytes", tc.reason, tc.want, len(got.GetMeta().GetTag()))
			}
		})
	}
}
