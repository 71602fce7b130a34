package simulator

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// admit is the admission of the API server: webhooks first, then policies, quotas and the life of Namespaces.
func (c *Cluster) admit(r *store.Request) error {
	if err := c.refused(r); err != nil {
		return err
	}
	for _, a := range c.admissions {
		if err := a(r); err != nil {
			return err
		}
	}
	if r.Verb == store.VerbDelete {
		return nil
	}
	switch r.Key.GVK {
	case kindPod():
		c.rewriteImages(r)
		if err := c.admitPriority(r); err != nil {
			return err
		}
	case kindClaim():
		if err := c.admitClaim(r); err != nil {
			return err
		}
	}
	if r.Before != nil {
		return nil
	}
	if err := c.admitBinding(r); err != nil {
		return err
	}
	return c.admitNew(r)
}

// rewriteImages is a mutating webhook. What it changes still counts as the manager's own: managed fields say which
// fields were applied, not with which value.
func (c *Cluster) rewriteImages(r *store.Request) {
	// The scheduler binds through a subresource of its own.
	if c.webhook == nil || r.Subresource != "" || r.Actor == ActorScheduler || (r.Before != nil && !c.webhookUpdates) {
		return
	}
	for _, o := range listAt(r.Object, "spec", "containers") {
		container, _ := o.(map[string]any)
		if image, ok := container["image"].(string); ok {
			container["image"] = c.webhook(image)
		}
	}
}

// admitPriority refuses a new Pod of a class that does not exist.
func (c *Cluster) admitPriority(r *store.Request) error {
	name := stringAt(r.Object, "spec", "priorityClassName")
	if r.Before != nil || name == "" || c.Get(kindPriorityClass(), "", name) != nil {
		return nil
	}
	return store.NewForbidden(r.Key, "no PriorityClass with name "+name+" was found")
}

// admitNew refuses what is created in a Namespace that is absent or ending, or beyond a quota.
func (c *Cluster) admitNew(r *store.Request) error {
	if r.Key.Namespace == "" {
		return nil
	}
	namespace := c.Get(kindNamespace(), "", r.Key.Namespace)
	if namespace == nil {
		return store.NewNotFound(store.Key{GVK: kindNamespace(), Name: r.Key.Namespace})
	}
	if deleting(namespace) {
		return store.NewForbidden(r.Key, fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", r.Key.Namespace))
	}
	counted := plural(r.Key.GVK)
	for _, quota := range c.store.List(kindQuota(), r.Key.Namespace) {
		hard, limited := mapAt(quota, "spec", "hard")[counted].(string)
		if !limited {
			continue
		}
		limit, err := resource.ParseQuantity(hard)
		used := int64(len(c.store.List(r.Key.GVK, r.Key.Namespace)))
		if err != nil || used < limit.Value() {
			continue
		}
		return store.NewForbidden(r.Key, fmt.Sprintf("exceeded quota: %s, requested: %s=1, used: %s=%d, limited: %s=%s", quota.GetName(), counted, counted, used, counted, hard))
	}
	return nil
}

// admitClaim gives a new claim the default class, and refuses the growth of one whose class does not allow it.
func (c *Cluster) admitClaim(r *store.Request) error {
	spec := mapAt(r.Object, "spec")
	if r.Before == nil {
		if _, named := spec["storageClassName"]; !named && spec != nil {
			for _, class := range c.store.List(kindStorageClass(), "") {
				if stringAt(class, "metadata", "annotations", "storageclass.kubernetes.io/is-default-class") == "true" {
					spec["storageClassName"] = class.GetName()
				}
			}
		}
		return nil
	}
	if stringAt(r.Before, "status", "phase") != phaseBound || stringAt(r.Before, "spec", "resources", "requests", "storage") == stringAt(r.Object, "spec", "resources", "requests", "storage") {
		return nil
	}
	if expandable, _ := at(c.Get(kindStorageClass(), "", stringAt(r.Before, "spec", "storageClassName")), "allowVolumeExpansion").(bool); !expandable {
		return store.NewForbidden(r.Key, "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")
	}
	return nil
}
