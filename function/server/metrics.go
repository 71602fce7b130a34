package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	grpcprometheus "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrapeHeaderTimeout is how long a scraper may take to send its request.
const scrapeHeaderTimeout = 30 * time.Second

// A scraper listens for scrapes of /metrics.
type scraper struct {
	listener net.Listener
	http     *http.Server
}

// newScraper that shows the calls, the Go runtime and the process.
func newScraper(ctx context.Context, address string, calls *grpcprometheus.ServerMetrics) (*scraper, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		calls,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("cannot register metrics: %w", err)
		}
	}

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for scrapes on address %q: %w", address, err)
	}

	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	return &scraper{
		listener: listener,
		http:     &http.Server{Handler: mux, ReadHeaderTimeout: scrapeHeaderTimeout},
	}, nil
}
