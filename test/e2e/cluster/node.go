//go:build linux

package cluster

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// runNode is the node: it prepares its namespaces, starts everything, and starts again what ends.
func runNode(ctx context.Context, options Options) error {
	if err := prepareMounts(options.Folder); err != nil {
		return err
	}
	if err := prepareNetwork(ctx); err != nil {
		return err
	}
	if err := writeFiles(options.Folder); err != nil {
		return err
	}
	go func() {
		if err := serveRegistry(filepath.Join(options.Folder, "registry")); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()

	n := &node{folder: options.Folder, components: map[string]*component{}}
	for _, spec := range specs(options) {
		n.components[spec.name] = newComponent(spec, options)
	}
	first := []string{etcd, apiserver, containerd}
	for _, name := range first {
		n.components[name].start(ctx)
	}
	if err := waitForReadyz(ctx, filepath.Join(options.Folder, "pki", "admin.kubeconfig")); err != nil {
		return err
	}
	for name, component := range n.components {
		if name != etcd && name != apiserver && name != containerd {
			component.start(ctx)
		}
	}
	return n.serveControl(ctx)
}

// serveRegistry keeps its layers on disk, and which images there are in memory.
func serveRegistry(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("cannot make the registry's folder: %w", err)
	}
	server := &http.Server{
		Addr:              Registry,
		Handler:           registry.New(registry.WithBlobHandler(registry.NewDiskBlobHandler(folder)), registry.Logger(log.New(io.Discard, "", 0))),
		ReadHeaderTimeout: 30 * time.Second,
	}
	return fmt.Errorf("cannot serve the registry: %w", server.ListenAndServe())
}

// waitForReadyz of the API server, for ever: the test decides how long it waits for the node.
func waitForReadyz(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read the administrator's kubeconfig: %w", err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("cannot make a client of the API server: %w", err)
	}
	for !isReady(ctx, client) {
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// isReady asks the API server.
func isReady(ctx context.Context, client *http.Client) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, apiServer+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
