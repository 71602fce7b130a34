package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// tryPod has the API server look at a Pod like the running one with the image, under another name: quota, LimitRange
// and webhooks have their say, and nothing is created.
func (o *ApplyOptions) tryPod(ctx context.Context, client *cluster.Client, v *live.View) error {
	if v.Pod == nil {
		return nil
	}
	pod, err := trialPod(v.Pod, v.Name(), o.image)
	if err != nil {
		return err
	}
	_, err = client.Create(ctx, pod, true)
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "exceeded quota"):
		// The running Pod is counted beside the one that is tried, and is gone before the real one comes.
		_, _ = fmt.Fprintf(o.Streams.ErrOut, "warning: the quota has no room for a second Pod, so it is not known whether it has room for the new one: %v\n", err)
		return nil
	case refused(err):
		return exit.Errorf(exit.Refused, "the API server would refuse the new Pod, so nothing was changed: %w", err)
	}
	return fmt.Errorf("cannot try the new Pod, so nothing was changed: %w", err)
}

// trialPod is the running Pod with the image, as it could be created. Its labels and annotations are what webhooks and
// policies go by; a debug container that somebody has put into it cannot be in a new one.
func trialPod(running *unstructured.Unstructured, of, image string) (*unstructured.Unstructured, error) {
	spec, _, err := unstructured.NestedMap(running.Object, "spec")
	if err != nil {
		return nil, fmt.Errorf("cannot read Pod %s: %w", running.GetName(), err)
	}
	delete(spec, "nodeName")
	delete(spec, "ephemeralContainers")
	containers, _, err := unstructured.NestedSlice(spec, "containers")
	if err != nil {
		return nil, fmt.Errorf("cannot read Pod %s: %w", running.GetName(), err)
	}
	for _, one := range containers {
		if container, ok := one.(map[string]any); ok && container["name"] == objects.Container {
			container["image"] = image
		}
	}
	spec["containers"] = containers
	pod := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	pod.SetGroupVersionKind(cluster.Pod())
	pod.SetNamespace(running.GetNamespace())
	pod.SetName(running.GetName() + "-try")
	labels := running.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[chroma.LabelChroma] = of
	pod.SetLabels(labels)
	pod.SetAnnotations(running.GetAnnotations())
	return pod, nil
}

// refused tells whether a rule of the cluster is against the Pod. That somebody may not create Pods says nothing about
// Crossplane, and what a server cannot decide now it may decide later.
func refused(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	const right, webhook = "cannot create resource", "denied the request"
	message := status.Status().Message
	switch {
	case apierrors.IsForbidden(err):
		return !strings.Contains(message, right)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return true
	}
	return strings.Contains(message, webhook)
}
