// Package claims is kubectl chroma claims and adopt: retained claims, what has run on them, and their next use.
package claims

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// New claims command.
func New(f factory.Factory) *cobra.Command {
	var all, unused bool
	var output string
	command := &cobra.Command{
		Use:   "claims",
		Short: "List the claims with data of Chroma, and what has run on them",
		Long: `List the claims with data of Chroma: what has run on each, and who uses it. A claim that nobody uses was retained when its
Chroma was deleted: create a Chroma of that name again, or see kubectl chroma adopt.

` + exit.Help,
		Example: `  kubectl chroma claims -A
  kubectl chroma claims --unused`,
		Args: factory.Arguments(0, 0, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			client, namespace, err := f.Both()
			if err != nil {
				return err
			}
			if all {
				namespace = ""
			}
			list, err := find(command.Context(), client, namespace)
			if err != nil {
				return err
			}
			if unused {
				list = slices.DeleteFunc(list, func(c v1.RetainedClaim) bool { return c.InUse })
			}
			return printClaims(f, output, list)
		},
	}
	command.Flags().BoolVarP(&all, "all-namespaces", "A", false, "all of the cluster")
	command.Flags().BoolVar(&unused, "unused", false, "only those that nobody uses")
	command.Flags().StringVarP(&output, "output", "o", "", "json or yaml")
	return command
}

// find the claims and their users.
func find(ctx context.Context, client *cluster.Client, namespace string) ([]v1.RetainedClaim, error) {
	found, err := client.List(ctx, cluster.PersistentVolumeClaim(), namespace, chroma.LabelChroma)
	if err != nil {
		return nil, err
	}
	out := make([]v1.RetainedClaim, 0, len(found))
	users := map[string]map[string][]string{}
	for _, object := range found {
		space := object.GetNamespace()
		if users[space] == nil {
			if users[space], err = usersIn(ctx, client, space); err != nil {
				return nil, err
			}
		}
		claim, err := describe(object)
		if err != nil {
			return nil, err
		}
		claim.UsedBy = users[space][object.GetName()]
		claim.InUse = len(claim.UsedBy) > 0
		out = append(out, claim)
	}
	return out, nil
}

// describe a claim and what has run on it.
func describe(object *unstructured.Unstructured) (v1.RetainedClaim, error) {
	claim := &corev1.PersistentVolumeClaim{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, claim); err != nil {
		return v1.RetainedClaim{}, fmt.Errorf("cannot read claim %s: %w", object.GetName(), err)
	}
	record := ledger.FromAnnotations(string(claim.UID), claim.Annotations)
	out := v1.RetainedClaim{
		Namespace: claim.Namespace, Name: claim.Name, Chroma: claim.Labels[chroma.LabelChroma], Phase: string(claim.Status.Phase),
		Product: string(record.Last), Unknown: record.Unknown, Created: claim.CreationTimestamp.UTC().Format("2006-01-02T15:04:05Z"),
	}
	if version, ok := record.Versions[record.Last]; ok {
		out.Version = version.String()
	}
	if size, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		out.Size = size.String()
	}
	return out, nil
}

// usersIn a namespace by the claim they use: Chroma, Objects of provider-kubernetes, and Pods that have not ended.
func usersIn(ctx context.Context, client *cluster.Client, namespace string) (map[string][]string, error) {
	out := map[string][]string{}
	chromas, err := client.List(ctx, cluster.Chroma(), namespace, "")
	if err != nil {
		return nil, err
	}
	for _, object := range chromas {
		if live.Text(object, "spec", "mode") != string(chroma.ModeDistributed) {
			claim := chroma.ClaimName(object.GetName())
			out[claim] = append(out[claim], "Chroma "+object.GetName())
		}
	}
	objects, err := client.List(ctx, cluster.Object(), namespace, "")
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	for _, object := range objects {
		if live.Text(object, "spec", "forProvider", "manifest", "kind") == "PersistentVolumeClaim" {
			claim := live.Text(object, "spec", "forProvider", "manifest", "metadata", "name")
			out[claim] = append(out[claim], "Object "+object.GetName())
		}
	}
	pods, err := client.List(ctx, cluster.Pod(), namespace, "")
	if err != nil {
		return nil, err
	}
	for _, pod := range pods {
		if phase := live.Text(pod, "status", "phase"); phase == "Succeeded" || phase == "Failed" {
			continue
		}
		volumes, _, _ := unstructured.NestedSlice(pod.Object, "spec", "volumes")
		for _, volume := range volumes {
			fields, _ := volume.(map[string]any)
			if claim, found, _ := unstructured.NestedString(fields, "persistentVolumeClaim", "claimName"); found {
				out[claim] = append(out[claim], "Pod "+pod.GetName())
			}
		}
	}
	for _, claim := range slices.Collect(maps.Keys(out)) {
		slices.Sort(out[claim])
	}
	return out, nil
}

func printClaims(f factory.Factory, output string, list []v1.RetainedClaim) error {
	if output != "" {
		return terminal.Document(f.Streams.Out, output, v1.ClaimList{Header: v1.HeaderOf(v1.KindClaimList), Items: list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(f.Streams.ErrOut, "There is no such claim.")
		return err
	}
	palette, err := f.Palette()
	if err != nil {
		return err
	}
	rows := [][]terminal.Cell{terminal.Plain("NAMESPACE", "CLAIM", "OF", "OPENED BY", "SIZE", "PHASE", "USED BY")}
	for _, claim := range list {
		opened := strings.TrimSpace(claim.Product + " " + claim.Version)
		switch {
		case claim.Unknown:
			opened = "not known"
		case opened == "":
			opened = "nobody"
		}
		users := strings.Join(claim.UsedBy, ", ")
		if users == "" {
			users = "nobody"
		}
		row := terminal.Plain(claim.Namespace, claim.Name, claim.Chroma, opened, claim.Size, claim.Phase, users)
		if !claim.InUse {
			row[6].Paint = palette.Warn
		}
		rows = append(rows, row)
	}
	return terminal.Table(f.Streams.Out, rows)
}
