// Package claims is kubectl chroma claims and adopt: retained claims, what has run on them, and their next use.
package claims

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
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
			if err := factory.Document(output); err != nil {
				return err
			}
			client, namespace, err := f.Both()
			if err != nil {
				return err
			}
			if all {
				namespace = ""
			}
			list, notes, err := find(command.Context(), client, namespace)
			if err != nil {
				return err
			}
			for _, note := range notes {
				_, _ = fmt.Fprintln(f.Streams.ErrOut, "note: "+note)
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
func find(ctx context.Context, client *cluster.Client, namespace string) ([]v1.RetainedClaim, []string, error) {
	found, err := client.List(ctx, cluster.PersistentVolumeClaim(), namespace, chroma.LabelChroma)
	if err != nil || len(found) == 0 {
		return []v1.RetainedClaim{}, nil, err
	}
	users, err := usersIn(ctx, client, namespace)
	if err != nil {
		return nil, nil, err
	}
	out := make([]v1.RetainedClaim, 0, len(found))
	for _, object := range found {
		claim, err := describe(object)
		if err != nil {
			return nil, nil, err
		}
		claim.UsedBy = users.of(object.GetNamespace(), object.GetName())
		claim.InUse = len(claim.UsedBy) > 0
		out = append(out, claim)
	}
	return out, users.notes, nil
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
	for _, sizes := range []corev1.ResourceList{claim.Spec.Resources.Requests, claim.Status.Capacity} {
		if size, ok := sizes[corev1.ResourceStorage]; ok {
			out.Size = size.String()
		}
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
