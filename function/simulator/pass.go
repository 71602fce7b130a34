package simulator

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	annotationRole = "crossplane.io/composition-resource-name"
	// maxIterations of a function whose requirements do not get stable.
	maxIterations = 5
)

// decision is what the function answered, and what it answered to.
type decision struct {
	observed map[string]*unstructured.Unstructured
	response *fnv1.RunFunctionResponse
}

// decide observes the composed resources and runs the function.
func (p *pass) decide() (*decision, error) {
	observed, err := p.observe()
	if err != nil {
		return nil, err
	}
	request, err := p.request(observed)
	if err != nil {
		return nil, err
	}
	response, err := p.run(request)
	if err != nil {
		return nil, fmt.Errorf("cannot run Composition pipeline step %q: cannot run Function %q: %w", p.kind.Step, "function", err)
	}
	p.ttl = response.GetMeta().GetTtl().AsDuration()
	return &decision{observed: observed, response: response}, nil
}

// observe reads what the references name: from the cache, and what is not there once more from the API server.
func (p *pass) observe() (map[string]*unstructured.Unstructured, error) {
	observed := map[string]*unstructured.Unstructured{}
	for _, key := range references(p.xr, p.kind.legacy()) {
		o := p.cluster.cache.get(key)
		if o == nil {
			o = p.cluster.store.Peek(key)
		}
		if o == nil {
			continue
		}
		if owner := metav1.GetControllerOf(o); owner != nil && owner.UID != p.xr.GetUID() {
			continue
		}
		role := stringAt(o, "metadata", "annotations", annotationRole)
		if role == "" {
			return nil, fmt.Errorf("cannot get existing composed resources: encountered composed resource without required %q annotation", annotationRole)
		}
		observed[role] = o
	}
	return observed, nil
}

// references of a composite resource to what it composes.
func references(xr *unstructured.Unstructured, legacy bool) []store.Key {
	path := []string{"spec", "crossplane", "resourceRefs"}
	if legacy {
		path = []string{"spec", "resourceRefs"}
	}
	list := listAt(xr, path...)
	keys := make([]store.Key, 0, len(list))
	for _, r := range list {
		reference, _ := r.(map[string]any)
		text := func(field string) string { s, _ := reference[field].(string); return s }
		key := store.Key{GVK: store.Kind(text("apiVersion"), text("kind")), Namespace: text("namespace"), Name: text("name")}
		if xr.GetNamespace() != "" {
			key.Namespace = xr.GetNamespace()
		}
		keys = append(keys, key)
	}
	return keys
}

func refersTo(xr *unstructured.Unstructured, legacy bool, key store.Key) bool {
	return slices.Contains(references(xr, legacy), key)
}

func (p *pass) request(observed map[string]*unstructured.Unstructured) (*fnv1.RunFunctionRequest, error) {
	// The conditions that this pass has marked already are part of what the function sees.
	xr, err := structpb.NewStruct(p.xr.Object)
	if store.Same(p.xr.Object, p.observed.Object) {
		xr, err = p.cluster.store.Message(p.observed)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot build observed state: %w", err)
	}
	resources := make(map[string]*fnv1.Resource, len(observed))
	for role, o := range observed {
		m, err := p.cluster.store.Message(o)
		if err != nil {
			return nil, fmt.Errorf("cannot build observed state: %w", err)
		}
		resources[role] = &fnv1.Resource{Resource: m}
	}
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "simulator", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_CONDITIONS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: resources},
		Desired:  &fnv1.State{},
		Context:  &structpb.Struct{Fields: map[string]*structpb.Value{}},
		Input:    p.kind.Input,
	}, nil
}

// run calls the function until what it requires is stable: the first call has no required resources.
func (p *pass) run(request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if p.kind.Function == nil {
		return nil, errNoFunction
	}
	var requirements *fnv1.Requirements
	for range maxIterations + 1 {
		response, err := p.kind.Function.RunFunction(context.Background(), request)
		p.recordCall(request, response, err)
		if err != nil {
			return nil, err
		}
		if fatal(response) {
			return response, nil
		}
		if proto.Equal(response.GetRequirements(), requirements) {
			return response, nil
		}
		requirements = response.GetRequirements()
		required := map[string]*fnv1.Resources{}
		for name, selector := range requirements.GetResources() {
			if required[name], err = p.cluster.fetch(selector); err != nil {
				return nil, fmt.Errorf("fetching resources for %s: %w", name, err)
			}
		}
		next := &fnv1.RunFunctionRequest{
			Meta: request.GetMeta(), Observed: request.GetObserved(), Desired: request.GetDesired(), Input: request.GetInput(),
			Context: response.GetContext(), RequiredResources: required,
		}
		request = next
	}
	return nil, fmt.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxIterations)
}

func fatal(response *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(response.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
}

// fetch a required resource from the caches. A namespaced kind without a namespace has no items by that name.
func (c *Cluster) fetch(selector *fnv1.ResourceSelector) (*fnv1.Resources, error) {
	kind := store.Kind(selector.GetApiVersion(), selector.GetKind())
	if c.unreadable[kind.GroupKind()] {
		return nil, errUnreadable
	}
	var objects []*unstructured.Unstructured
	if name := selector.GetMatchName(); name != "" {
		if o := c.cache.get(store.Key{GVK: kind, Namespace: selector.GetNamespace(), Name: name}); o != nil {
			objects = append(objects, o)
		}
	} else {
		for _, o := range c.cache.list(kind, selector.GetNamespace()) {
			if store.Matches(o, selector.GetMatchLabels().GetLabels()) {
				objects = append(objects, o)
			}
		}
	}
	out := &fnv1.Resources{Items: make([]*fnv1.Resource, 0, len(objects))}
	for _, o := range objects {
		m, err := c.store.Message(o)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, &fnv1.Resource{Resource: m})
	}
	return out, nil
}

// errUnreadable stands for a cache that never fills, since Crossplane may not read the kind: the pass hangs silently.
var errUnreadable = errors.New("the cache of the kind does not get ready")

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
			return nil, fmt.Errorf("cannot apply cluster scoped composed resource %q (a %s named %s) for a namespaced composite resource.", role, u.GetKind(), u.GetName())
		}
		if p.xr.GetNamespace() != "" {
			u.SetNamespace(p.xr.GetNamespace())
		}
		if u.GetName() == "" {
			// The name is drawn once: from then on the reference has it.
			u.SetName(fmt.Sprintf("%s-%012x", p.xr.GetLabels()[labelComposite], p.cluster.random.Int64N(1<<48)))
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
		_, err := p.cluster.write(controllerComposite, func() (*unstructured.Unstructured, error) {
			return p.cluster.store.Update(o, store.Options{Actor: controllerComposite, Manager: managerCrossplane})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return wrap(err, fmt.Sprintf("cannot cleanup composed resource labels of resource %q (a %s named %s)", role, o.GetKind(), o.GetName()))
		}
		_, err = p.cluster.write(controllerComposite, func() (*unstructured.Unstructured, error) {
			return nil, p.cluster.store.Delete(key, store.DeleteOptions{Actor: controllerComposite, Propagation: metav1.DeletePropagationForeground, UID: o.GetUID()})
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
	stored, err := p.cluster.write(controllerComposite, func() (*unstructured.Unstructured, error) {
		return p.cluster.store.Apply(intent, store.Options{Actor: controllerComposite, Manager: managerComposite})
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
	_, err := p.cluster.store.Update(pruned, store.Options{Actor: controllerComposite, Manager: managerComposite})
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
		_, err := p.cluster.write(controllerComposite, func() (*unstructured.Unstructured, error) {
			return p.cluster.store.Apply(d.resource, store.Options{Actor: controllerComposite, Manager: manager})
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
	stored, err := p.cluster.write(controllerComposite, func() (*unstructured.Unstructured, error) {
		return p.cluster.store.Apply(intent, store.Options{Actor: controllerComposite, Manager: managerComposite, Subresource: "status"})
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
