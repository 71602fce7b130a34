// Package server serves a composition function over gRPC, and ends in order: health first, then the calls in flight.
// The SDK's own Serve cannot be stopped, so a rollout would break the calls that Crossplane has under way.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	function "github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
	grpcprometheus "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
)

// Options of a Server.
type Options struct {
	// Network and Address to listen on for calls. Port 0 takes a free one.
	Network, Address string
	// MetricsAddress to listen on, over TCP, for scrapes of /metrics. Empty: nothing listens.
	MetricsAddress string
	// Credentials of the server, and what it asks of its clients.
	Credentials credentials.TransportCredentials
	// MaxReceiveBytes is the size of the largest request that is read, in bytes.
	MaxReceiveBytes int
	// MaxConcurrentCalls of one client: further ones wait there, where they take no memory of the function. 0: any number.
	MaxConcurrentCalls uint32
	// Narrow a request to what is read of it, before it is decoded: append that. Nil: it is decoded whole.
	Narrow func(out, request []byte) []byte
	// GracePeriod is how long calls in flight may take once the server is told to stop.
	GracePeriod time.Duration
}

// A Server of one function. It listens from the moment it is made.
type Server struct {
	log         logging.Logger
	gracePeriod time.Duration

	calls   net.Listener
	grpc    *grpc.Server
	health  *health.Server
	scraper *scraper // nil without metrics
}

// New returns a Server that listens, and answers once it runs. It fails when it cannot listen on one of its addresses.
func New(ctx context.Context, fn fnv1.FunctionRunnerServiceServer, o Options, log logging.Logger) (*Server, error) {
	calls, err := (&net.ListenConfig{}).Listen(ctx, o.Network, o.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for calls on %s address %q: %w", o.Network, o.Address, err)
	}

	metrics := grpcprometheus.NewServerMetrics(grpcprometheus.WithServerHandlingTimeHistogram())
	s := &Server{
		log:         log,
		gracePeriod: o.GracePeriod,
		calls:       calls,
		grpc: grpc.NewServer(
			grpc.Creds(o.Credentials),
			grpc.MaxRecvMsgSize(o.MaxReceiveBytes),
			grpc.MaxConcurrentStreams(cmp.Or(o.MaxConcurrentCalls, math.MaxUint32)),
			grpc.ForceServerCodecV2(newCodec(o.Narrow)),
			grpc.ChainUnaryInterceptor(metrics.UnaryServerInterceptor(), recoverPanics(log)),
		),
		health: health.NewServer(),
	}

	fnv1.RegisterFunctionRunnerServiceServer(s.grpc, fn)
	v1beta1.RegisterFunctionRunnerServiceServer(s.grpc, function.ServeBeta(fn)) // Crossplane 1.16 and earlier.
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
	metrics.InitializeMetrics(s.grpc)

	if o.MetricsAddress != "" {
		if s.scraper, err = newScraper(ctx, o.MetricsAddress, metrics); err != nil {
			return nil, errors.Join(err, calls.Close())
		}
	}

	return s, nil
}

// Address on which calls are answered.
func (s *Server) Address() string { return s.calls.Addr().String() }

// MetricsAddress on which metrics are scraped. Empty without metrics.
func (s *Server) MetricsAddress() string {
	if s.scraper == nil {
		return ""
	}

	return s.scraper.listener.Addr().String()
}

// Run answers calls until the context is done, then reports NOT_SERVING, takes no new calls, and gives those in flight
// the grace period to end. It returns nil when it was told to stop, even when it had to cut calls off.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 2)

	go func() { failed <- s.grpc.Serve(s.calls) }()

	if s.scraper != nil {
		go func() { failed <- s.scraper.http.Serve(s.scraper.listener) }()
	}

	s.log.Info("Serving", "address", s.Address(), "metrics-address", s.MetricsAddress())

	var err error
	select {
	case <-ctx.Done():
	case cause := <-failed:
		err = fmt.Errorf("cannot serve: %w", cause)
	}

	return errors.Join(err, s.stop())
}

func (s *Server) stop() error {
	s.log.Info("Stopping", "grace-period", s.gracePeriod.String())
	s.health.Shutdown()

	done := make(chan struct{})

	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()

	grace := time.NewTimer(s.gracePeriod)
	defer grace.Stop()

	select {
	case <-done:
	case <-grace.C:
		s.log.Info("Cutting off the calls that are still in flight")
		s.grpc.Stop()
	}

	if s.scraper == nil {
		return nil
	}

	if err := s.scraper.http.Close(); err != nil {
		return fmt.Errorf("cannot close the listener for scrapes: %w", err)
	}

	return nil
}
