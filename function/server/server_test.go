package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

// limit of requests in these tests.
const limit = 64 * 1024

// A runner is a function that these tests serve.
type runner struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	run func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
}

func (r runner) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return r.run(ctx, req)
}

// echo answers with the tag of the request.
func echo(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}}, nil
}

func tagged(tag string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: tag}}
}

// A serving Server of a test.
type serving struct {
	*Server

	// stop tells the server to stop, stopped has what Run returned.
	stop    context.CancelFunc
	stopped chan error
}

func serve(t *testing.T, run func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error), creds credentials.TransportCredentials, grace time.Duration) serving {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())

	s, err := New(ctx, runner{run: run}, Options{
		Network:         "tcp",
		Address:         "127.0.0.1:0",
		MetricsAddress:  "127.0.0.1:0",
		Credentials:     creds,
		MaxReceiveBytes: limit,
		GracePeriod:     grace,
	}, logging.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}

	out := serving{Server: s, stop: cancel, stopped: make(chan error, 1)}
	go func() { out.stopped <- s.Run(ctx) }()

	t.Cleanup(cancel)

	return out
}

func dial(t *testing.T, s serving, creds credentials.TransportCredentials) *grpc.ClientConn {
	t.Helper()

	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	return conn
}

func TestCalls(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
		tag    string
		want   codes.Code
	}{
		"Answered": {
			reason: "The function's answer should reach the client.",
			run:    echo,
			tag:    "a",
			want:   codes.OK,
		},
		"TooLarge": {
			reason: "A request over the limit should be refused, not read.",
			run:    echo,
			tag:    strings.Repeat("a", limit+1),
			want:   codes.ResourceExhausted,
		},
		"Panic": {
			reason: "A panic should fail its call and leave the process alive.",
			run: func(_ context.Context, _ *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				panic("boom")
			},
			tag:  "a",
			want: codes.Internal,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tc.run, insecure.NewCredentials(), time.Second)
			conn := dial(t, s, insecure.NewCredentials())

			rsp, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), tagged(tc.tag))
			if diff := cmp.Diff(tc.want, status.Code(err)); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want code, +got code:\n%s\n%v", tc.reason, diff, err)
			}

			if tc.want == codes.OK && rsp.GetMeta().GetTag() != tc.tag {
				t.Errorf("\n%s\nRunFunction(...): got tag %q, want %q", tc.reason, rsp.GetMeta().GetTag(), tc.tag)
			}

			health, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
			if err != nil || health.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
				t.Errorf("\n%s\nCheck(...): got %v, %v, want SERVING", tc.reason, health.GetStatus(), err)
			}
		})
	}
}

func TestBetaCall(t *testing.T) {
	s := serve(t, echo, insecure.NewCredentials(), time.Second)

	rsp, err := v1beta1.NewFunctionRunnerServiceClient(dial(t, s, insecure.NewCredentials())).
		RunFunction(t.Context(), &v1beta1.RunFunctionRequest{Meta: &v1beta1.RequestMeta{Tag: "a"}})
	if err != nil {
		t.Fatal(err)
	}

	if got := rsp.GetMeta().GetTag(); got != "a" {
		t.Errorf("RunFunction(...): got tag %q, want %q", got, "a")
	}
}

func TestReflection(t *testing.T) {
	s := serve(t, echo, insecure.NewCredentials(), time.Second)

	stream, err := grpc_reflection_v1.NewServerReflectionClient(dial(t, s, insecure.NewCredentials())).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}); err != nil {
		t.Fatal(err)
	}

	rsp, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]bool{}
	for _, service := range rsp.GetListServicesResponse().GetService() {
		got[service.GetName()] = true
	}

	for _, want := range []string{
		fnv1.FunctionRunnerService_ServiceDesc.ServiceName,
		v1beta1.FunctionRunnerService_ServiceDesc.ServiceName,
		grpc_health_v1.Health_ServiceDesc.ServiceName,
	} {
		if !got[want] {
			t.Errorf("ServerReflectionInfo(...): no service %q in %v", want, got)
		}
	}
}

func TestMetrics(t *testing.T) {
	s := serve(t, echo, insecure.NewCredentials(), time.Second)

	if _, err := fnv1.NewFunctionRunnerServiceClient(dial(t, s, insecure.NewCredentials())).RunFunction(t.Context(), tagged("a")); err != nil {
		t.Fatal(err)
	}

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.MetricsAddress()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}

	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer rsp.Body.Close()

	body, err := io.ReadAll(rsp.Body)
	if err != nil {
		t.Fatal(err)
	}

	for reason, want := range map[string]string{
		"The call should be counted.":             `grpc_server_handled_total{grpc_code="OK",grpc_method="RunFunction",grpc_service="apiextensions.fn.proto.v1.FunctionRunnerService",grpc_type="unary"} 1`,
		"Its time should be measured.":            `grpc_server_handling_seconds_count{grpc_method="RunFunction",grpc_service="apiextensions.fn.proto.v1.FunctionRunnerService",grpc_type="unary"} 1`,
		"Memory of the process should be shown.":  "process_resident_memory_bytes ",
		"Memory of the Go heap should be shown.":  "go_memstats_heap_inuse_bytes ",
		"Calls that never came should be shown 0": `grpc_server_started_total{grpc_method="Check",grpc_service="grpc.health.v1.Health",grpc_type="unary"} 0`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("\n%s\nGET /metrics: no %q in:\n%s", reason, want, body)
		}
	}
}

func TestNoMetrics(t *testing.T) {
	s, err := New(t.Context(), runner{run: echo}, Options{Network: "tcp", Address: "127.0.0.1:0"}, logging.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if err := s.Run(ctx); err != nil {
		t.Errorf("Run(...): %v", err)
	}

	if got := s.MetricsAddress(); got != "" {
		t.Errorf("MetricsAddress(): got %q, want none", got)
	}
}

func TestAddressInUse(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	cases := map[string]struct {
		reason  string
		options Options
		want    string
	}{
		"Calls": {
			reason:  "A server that cannot listen for calls should say where.",
			options: Options{Network: "tcp", Address: taken.Addr().String()},
			want:    "cannot listen for calls on tcp address",
		},
		"Metrics": {
			reason:  "A server that cannot be scraped should not start: the SDK's would run on without metrics.",
			options: Options{Network: "tcp", Address: "127.0.0.1:0", MetricsAddress: taken.Addr().String()},
			want:    "cannot listen for scrapes on address",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), runner{run: echo}, tc.options, logging.NewNopLogger())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nNew(...): got error %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
