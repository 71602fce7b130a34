package simulator

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// carryOut does what Crossplane does after its functions: conditions and events, composed resources, status.
func (p *pass) carryOut(d *decision) error {
	p.seen = map[string]bool{}
	for _, result := range d.response.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			p.take(d.response.GetConditions())
			return fmt.Errorf("pipeline step %q returned a fatal result: %s", p.kind.Step, result.GetMessage())
		}
	}
	desired, err := p.render(d)
	if err != nil {
		return err
	}
	if err := p.collectUndesired(d.observed, desired); err != nil {
		return wrap(err, "cannot garbage collect composed resources that are no longer desired")
	}
	if err := p.refer(desired); err != nil {
		return wrap(err, "cannot update composed resource references")
	}
	unsynced, err := p.apply(desired)
	if err != nil {
		return err
	}
	if err := p.applyStatus(d.response.GetDesired().GetComposite().GetResource()); err != nil {
		return wrap(err, "cannot apply composite resource status")
	}
	p.report(d.response, desired, unsynced)
	if store.Same(p.observed.Object["status"], p.xr.Object["status"]) {
		return nil
	}
	return p.updateStatus()
}

// desiredResource is one composed resource as it will be applied.
type desiredResource struct {
	role     string
	resource *unstructured.Unstructured
	ready    bool
}

// render adds to each desired resource what Crossplane adds, in order of roles.
func (p *pass) render(d *decision) ([]desiredResource, error) {
	roles := make([]string, 0, len(d.response.GetDesired().GetResources()))
	for role := range d.response.GetDesired().GetResources() {
		roles = append(roles, role)
	}
	slices.Sort(roles)
	desired := make([]desiredResource, 0, len(roles))
	for _, role := range roles {
		r := d.response.GetDesired().GetResources()[role]
		u := &unstructured.Unstructured{Object: fromStruct(r.GetResource())}
		if o, found := d.observed[role]; found {
			u.SetNamespace(o.GetNamespace())
			u.SetName(o.GetName())
		}
		if p.xr.GetNamespace() != "" && u.GetNamespace() == "" && clusterScoped(u.GroupVersionKind()) {
			return nil, fmt.Errorf("cannot apply cluster scoped composed resource %q (a %s named %s) for a namespaced composite resource.",
				role, u.GetKind(), u.GetName())
		}
		if p.xr.GetNamespace() != "" {
			u.SetNamespace(p.xr.GetNamespace())
		}
		if u.GetName() == "" {
			// The name is drawn once: from then on the reference has it.
			u.SetName(fmt.Sprintf("%s-%012x", p.xr.GetLabels()[labelComposite], p.cluster.random.Int64N(1<<48)))
		}
		if problems := validation.NameIsDNSSubdomain(u.GetName(), false); len(problems) > 0 {
			return nil, fmt.Errorf("cannot apply composed resource %q because it has an invalid name %q. Must be a valid RFC 1123 subdomain name.",
				role, u.GetName())
		}
		if err := p.adopt(u, role); err != nil {
			return nil, err
		}
		desired = append(desired, desiredResource{role: role, resource: u, ready: r.GetReady() == fnv1.Ready_READY_TRUE})
	}
	return desired, nil
}

// adopt sets labels, role and controller reference.
func (p *pass) adopt(u *unstructured.Unstructured, role string) error {
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotationRole] = role
	u.SetAnnotations(annotations)
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	for _, label := range []string{labelComposite, labelClaimName, labelClaimSpace} {
		if value := p.xr.GetLabels()[label]; value != "" {
			labels[label] = value
		}
	}
	u.SetLabels(labels)
	yes := true
	owner := metav1.OwnerReference{APIVersion: p.xr.GetAPIVersion(), Kind: p.xr.GetKind(), Name: p.xr.GetName(), UID: p.xr.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes}
	owners := u.GetOwnerReferences()
	for _, o := range owners {
		if o.Controller != nil && *o.Controller && o.UID != owner.UID {
			return fmt.Errorf("cannot render metadata for composed resource %q: cannot set controller reference: %s is already controlled by %s %s (UID %s)", role, u.GetName(), o.Kind, o.Name, o.UID)
		}
	}
	owners = slices.DeleteFunc(owners, func(o metav1.OwnerReference) bool { return o.UID == owner.UID })
	u.SetOwnerReferences(append(owners, owner))
	return nil
}

// collectUndesired deletes what left desired, in any order: first the labels go, then the object, in the foreground.
func (p *pass) collectUndesired(observed map[string]*unstructured.Unstructured, desired []desiredResource) error {
	var roles []string
	for role := range observed {
		if !slices.ContainsFunc(desired, func(d desiredResource) bool { return d.role == role }) {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	p.cluster.shuffle(len(roles), func(i, j int) { roles[i], roles[j] = roles[j], roles[i] })
	for _, role := range roles {
		o := observed[role].DeepCopy()
		labels := o.GetLabels()
		for _, label := range []string{labelComposite, labelClaimName, labelClaimSpace} {
			delete(labels, label)
		}
		o.SetLabels(labels)
		key := store.KeyOf(o)
		_, err := p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
			return p.cluster.store.Update(o, store.Options{Actor: ActorCrossplane, Manager: managerCrossplane})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return wrap(err, fmt.Sprintf("cannot cleanup composed resource labels of resource %q (a %s named %s)", role, o.GetKind(), o.GetName()))
		}
		_, err = p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
			return nil, p.cluster.store.Delete(key, store.DeleteOptions{Actor: ActorCrossplane, Propagation: metav1.DeletePropagationForeground, UID: o.GetUID()})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return wrap(err, fmt.Sprintf("cannot delete composed resource %q (a %s named %s)", role, o.GetKind(), o.GetName()))
		}
	}
	return nil
}

// refer writes the references before anything is created, so that nothing is leaked.
func (p *pass) refer(desired []desiredResource) error {
	refs := make([]any, 0, len(desired))
	identified := false
	for _, d := range desired {
		ref := map[string]any{"apiVersion": d.resource.GetAPIVersion(), "kind": d.resource.GetKind(), "name": d.resource.GetName()}
		if p.xr.GetNamespace() == "" && d.resource.GetNamespace() != "" {
			ref["namespace"] = d.resource.GetNamespace()
		}
		if uid := d.resource.GetUID(); uid != "" {
			ref["uid"] = string(uid)
			identified = true
		}
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b any) int { return strings.Compare(sortText(a), sortText(b)) })
	intent := p.identity()
	if err := unstructured.SetNestedSlice(intent.Object, refs, p.kind.machinery("resourceRefs")...); err != nil {
		return err
	}
	stored, err := p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
		return p.cluster.store.Apply(intent, store.Options{Actor: ActorCrossplane, Manager: managerComposite})
	})
	if err != nil || !identified {
		return err
	}
	return p.prune(stored)
}

// prune is what makes a uid in desired a hot loop: the references of the schema have no uid, so that each pass changes
// the composite resource anew.
func (p *pass) prune(stored *unstructured.Unstructured) error {
	pruned := stored.DeepCopy()
	path := p.kind.machinery("resourceRefs")
	refs := listAt(pruned, path...)
	for _, r := range refs {
		if reference, ok := r.(map[string]any); ok {
			delete(reference, "uid")
		}
	}
	_, err := p.cluster.store.Update(pruned, store.Options{Actor: ActorCrossplane, Manager: managerComposite})
	return err
}

func sortText(ref any) string {
	m, _ := ref.(map[string]any)
	text := func(field string) string { s, _ := m[field].(string); return s }
	return text("apiVersion") + text("kind") + text("name") + text("namespace")
}

// identity is an intent that names the composite resource and wishes nothing.
func (p *pass) identity() *unstructured.Unstructured {
	return object(p.key.GVK, p.key.Namespace, p.key.Name, nil)
}

// ComposedManager is the field manager with which Crossplane applies what a composite resource composes.
func ComposedManager(xr *unstructured.Unstructured) string {
	sum := sha256.Sum256([]byte(xr.GetName() + xr.GroupVersionKind().GroupKind().String()))
	return fmt.Sprintf("apiextensions.crossplane.io/composed/%x", sum)
}

// apply the desired resources in any order. The roles that the API server finds invalid are returned; any other
// refusal ends the pass.
func (p *pass) apply(desired []desiredResource) ([]string, error) {
	order := slices.Clone(desired)
	p.cluster.shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	manager := ComposedManager(p.xr)
	var unsynced []string
	for _, d := range order {
		_, err := p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
			return p.cluster.store.Apply(d.resource, store.Options{Actor: ActorCrossplane, Manager: manager})
		})
		p.recordApply(d, err)
		switch {
		case err == nil:
		case apierrors.IsInvalid(err):
			p.event(EventWarning, eventCompose, fmt.Sprintf("cannot apply composed resource %q: %s", d.role, err))
			unsynced = append(unsynced, d.role)
		default:
			return nil, &composedError{key: store.KeyOf(d.resource), role: d.role, cause: err}
		}
	}
	return unsynced, nil
}

// applyStatus writes the status that the function wants, with the conditions that are there already.
func (p *pass) applyStatus(wanted *structpb.Struct) error {
	conditions := listAt(p.xr, "status", "conditions")
	intent := &unstructured.Unstructured{Object: fromStruct(wanted)}
	intent.SetGroupVersionKind(p.key.GVK)
	intent.SetNamespace(p.key.Namespace)
	intent.SetName(p.key.Name)
	intent.SetUID(types.UID(uidOf(p.xr)))
	if len(conditions) > 0 {
		status, ok := intent.Object["status"].(map[string]any)
		if !ok {
			status = map[string]any{}
			intent.Object["status"] = status
		}
		status["conditions"] = conditions
	}
	stored, err := p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
		return p.cluster.store.Apply(intent, store.Options{Actor: ActorCrossplane, Manager: managerComposite, Subresource: subresourceStatus})
	})
	if err != nil {
		// Crossplane has put the wanted status in the place of its copy: no resourceVersion is left for another write.
		p.lost = true
		return err
	}
	p.xr = stored.DeepCopy()
	return nil
}

// jitter of a TTL, up to 10 % as Crossplane has.
func (c *Cluster) jitter(d time.Duration) time.Duration {
	return d - d/10 + time.Duration(c.random.Int64N(int64(d/5)+1))
}

func (c *Cluster) shuffle(n int, swap func(i, j int)) { c.random.Shuffle(n, swap) }
