package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/url"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"sigs.k8s.io/yaml"
)

// serveHealth as the probes ask for it.
func serveHealth(ctx context.Context, serving bool, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	status := grpc_health_v1.HealthCheckResponse_SERVING
	if !serving {
		status = grpc_health_v1.HealthCheckResponse_NOT_SERVING
	}
	answers := health.NewServer()
	for _, service := range []string{"", "chroma.QueryExecutor", "chroma.WorkQueueService"} {
		answers.SetServingStatus(service, status)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, answers)
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	log.Println("serving", status)
	return server.Serve(listener)
}

// readConfig fails where the real component would not start: the file is not there, or is no YAML.
func readConfig(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the configuration: %w", err)
	}
	var parsed map[string]any
	if err := yaml.Unmarshal(content, &parsed); err != nil {
		return fmt.Errorf("cannot read the configuration: %w", err)
	}
	if len(parsed) == 0 {
		return fmt.Errorf("cannot use the configuration %s: it is empty", path)
	}
	return nil
}

// storageThere tells whether anything listens where the environment says that the bucket is.
func storageThere(ctx context.Context) bool {
	endpoint, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		return false
	}
	connection, err := (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp", endpoint.Host)
	if err != nil {
		log.Println("the storage is not there:", err)
		return false
	}
	return connection.Close() == nil
}
