package claims

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// users of claims: Chroma, Objects of provider-kubernetes, and Pods that have not ended.
type users struct {
	by map[string][]string
	// notes say which users are not known.
	notes []string
}

func key(namespace, claim string) string { return namespace + "/" + claim }

// of a claim, sorted.
func (u users) of(namespace, claim string) []string {
	return slices.Sorted(slices.Values(u.by[key(namespace, claim)]))
}

func (u users) add(namespace, claim, user string) {
	u.by[key(namespace, claim)] = append(u.by[key(namespace, claim)], user)
}

// usersIn a namespace. An empty one means all.
func usersIn(ctx context.Context, client *cluster.Client, namespace string) (users, error) {
	out := users{by: map[string][]string{}}
	chromas, err := client.List(ctx, cluster.Chroma(), namespace, "")
	if err != nil {
		return out, err
	}
	for _, object := range chromas {
		if live.Text(object, "spec", "mode") != string(chroma.ModeDistributed) {
			out.add(object.GetNamespace(), chroma.ClaimName(object.GetName()), "Chroma "+object.GetName())
		}
	}
	pods, err := client.List(ctx, cluster.Pod(), namespace, "")
	if err != nil {
		return out, err
	}
	for _, pod := range pods {
		out.mounted(pod)
	}
	return out, out.objects(ctx, client, namespace)
}

// mounted by a Pod that has not ended.
func (u users) mounted(pod *unstructured.Unstructured) {
	if phase := live.Text(pod, "status", "phase"); phase == "Succeeded" || phase == "Failed" {
		return
	}
	volumes, _, _ := unstructured.NestedSlice(pod.Object, "spec", "volumes")
	for _, volume := range volumes {
		fields, _ := volume.(map[string]any)
		if claim, found, _ := unstructured.NestedString(fields, "persistentVolumeClaim", "claimName"); found {
			u.add(pod.GetNamespace(), claim, "Pod "+pod.GetName())
		}
	}
}

// objects of provider-kubernetes that manage a claim. One of another namespace can too, and is looked for as far as the
// rights go.
func (u *users) objects(ctx context.Context, client *cluster.Client, namespace string) error {
	objects, err := client.List(ctx, cluster.Object(), "", "")
	if apierrors.IsForbidden(err) && namespace != "" {
		u.notes = append(u.notes, fmt.Sprintf("whether an Object of another namespace uses a claim is not known: %v", err))
		objects, err = client.List(ctx, cluster.Object(), namespace, "")
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for _, object := range objects {
		if live.Text(object, "spec", "forProvider", "manifest", "kind") != cluster.PersistentVolumeClaim().Kind {
			continue
		}
		claim, in := live.Text(object, "spec", "forProvider", "manifest", "metadata", "name"), live.Text(object, "spec", "forProvider", "manifest", "metadata", "namespace")
		user := "Object " + object.GetName()
		switch in {
		case "":
			in = object.GetNamespace()
		case object.GetNamespace():
		default:
			user = "Object " + object.GetNamespace() + "/" + object.GetName()
		}
		u.add(in, claim, user)
	}
	return nil
}
