// Package forward is kubectl chroma port-forward: the server on a local port.
package forward

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/component"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
)

// serverPort of Chroma.
const serverPort = 8000

type options struct {
	factory factory.Factory
	port    int
	address string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "port-forward NAME",
		Short: "Forward a local port to the server",
		Long: `Forward a local port to the server, or to a frontend of a distributed Chroma, until it is interrupted.

` + exit.Help + `

It exits with 4 when there is no Pod.`,
		Example: `  # http://localhost:8000
  kubectl chroma port-forward demo

  # Another local port; 0 takes any that is free
  kubectl chroma port-forward demo --port 9000`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error { return o.run(command.Context(), args[0]) },
	}
	command.Flags().IntVar(&o.port, "port", serverPort, "local port; 0 takes any that is free")
	command.Flags().StringVar(&o.address, "address", "localhost", "local address to listen on")
	return command
}

func (o *options) run(ctx context.Context, argument string) error {
	name, err := target.Chroma(argument)
	if err != nil {
		return err
	}
	client, namespace, err := o.factory.Both()
	if err != nil {
		return err
	}
	object, err := client.Get(ctx, cluster.Chroma(), namespace, name)
	if err != nil {
		return err
	}
	wanted := ""
	if live.Text(object, "spec", "mode") == string(chroma.ModeDistributed) {
		wanted = component.Frontend
	}
	pods, err := live.Pods(ctx, client, namespace, name, wanted)
	if err != nil {
		return err
	}
	return o.forward(ctx, client, serving(pods))
}

// serving is a Pod that is ready and stays or, where none is, the first.
func serving(pods []*unstructured.Unstructured) *unstructured.Unstructured {
	for _, pod := range pods {
		if pod.GetDeletionTimestamp() == nil && live.ConditionOf(pod, "Ready").Status == "True" {
			return pod
		}
	}
	return pods[0]
}

func (o *options) forward(ctx context.Context, client *cluster.Client, pod *unstructured.Unstructured) error {
	config := client.Config()
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return fmt.Errorf("cannot read the server's address: %w", err)
	}
	address := &url.URL{
		Scheme: base.Scheme, Host: base.Host,
		Path: fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s/portforward", strings.TrimSuffix(base.Path, "/"), pod.GetNamespace(), pod.GetName()),
	}
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return fmt.Errorf("cannot make a connection: %w", err)
	}
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, address)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ready := make(chan struct{})
	forwarder, err := portforward.NewOnAddresses(dialer, []string{o.address}, []string{strconv.Itoa(o.port) + ":" + strconv.Itoa(serverPort)},
		ctx.Done(), ready, o.factory.Streams.Out, o.factory.Streams.ErrOut)
	if err != nil {
		return exit.Errorf(exit.Usage, "cannot forward: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case err = <-ended:
	case <-ready:
		err = <-ended
	case <-time.After(client.Patience()):
		// The connection is not made by a request that could be given up.
		return exit.Errorf(exit.TimedOut, "cannot forward to Pod %s: no answer within %s", pod.GetName(), client.Patience())
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot forward to Pod %s: %w", pod.GetName(), err)
	}
	return nil
}
