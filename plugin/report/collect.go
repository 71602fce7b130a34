package report

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/events"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/status"
	"github.com/function-chroma/function-chroma/plugin/version"
)

// collect everything into a zip. What cannot be read is a note, and nothing ends it but the writing.
func (o *options) collect(ctx context.Context, client *cluster.Client, v *live.View, to io.Writer) error {
	r := reader{client: client, notes: slices.Clone(v.Notes)}
	a := archive{zip: zip.NewWriter(to), now: o.factory.Now().UTC(), redactor: r.redactor(ctx, v)}
	if err := about(a, v); err != nil {
		return err
	}
	pods := r.pods(ctx, v)
	for _, folder := range []struct {
		name    string
		objects []*unstructured.Unstructured
	}{{"objects", objects(v, pods)}, {"surroundings", r.surroundings(ctx, v, pods)}, {"crossplane", r.machinery(ctx, v)}} {
		if err := a.objects(folder.name, folder.objects); err != nil {
			return err
		}
	}
	switch {
	case !o.logs:
	case a.unknown:
		r.note(errors.New("the logs are left out: servers log their flags, and without the Secrets nobody knows what of them are credentials"))
	default:
		for _, one := range r.logs(ctx, pods) {
			if err := a.file(one.name, []byte(a.words(string(one.content)))); err != nil {
				return err
			}
		}
	}
	if len(r.notes) > 0 {
		if err := a.file("notes.txt", []byte(strings.Join(r.notes, "\n")+"\n")); err != nil {
			return err
		}
	}
	if err := a.zip.Close(); err != nil {
		return fmt.Errorf("cannot end the archive: %w", err)
	}
	return nil
}

// about the object: what the plugin makes of it.
func about(a archive, v *live.View) error {
	info, _ := debug.ReadBuildInfo()
	if err := a.document("version.yaml", version.Of(info)); err != nil {
		return err
	}
	text, document, err := status.Report(v)
	if err != nil {
		return err
	}
	if err := a.file("status.txt", text); err != nil {
		return err
	}
	if err := a.file("status.yaml", document); err != nil {
		return err
	}
	return a.document("events.yaml", events.Document(v.Events))
}

// objects of a view, what stands below them, and its Pods, each once.
func objects(v *live.View, pods []*unstructured.Unstructured) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{v.Object}
	if v.XR != nil && v.XR != v.Object {
		out = append(out, v.XR)
	}
	more := append([]*unstructured.Unstructured{v.Claim, v.Pod}, pods...)
	for _, role := range slices.Sorted(maps.Keys(v.Observed)) {
		out = append(out, v.Observed[role])
		more = append(more, v.Below(v.Observed[role])...)
	}
	for _, object := range more {
		if object != nil && !slices.ContainsFunc(out, func(o *unstructured.Unstructured) bool {
			return o.GroupVersionKind() == object.GroupVersionKind() && o.GetName() == object.GetName()
		}) {
			out = append(out, object)
		}
	}
	return out
}
