package store

import (
	"bytes"
	"errors"
	"fmt"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// customSchema is what the server knows of custom kinds here: the lists that every kind has are merged by key, all
// other fields as server-side apply treats fields without a schema (lists are atomic).
const customSchema = `types:
- name: object
  map:
    fields:
    - name: metadata
      type:
        namedType: metadata
    - name: status
      type:
        namedType: status
    elementType:
      namedType: __untyped_deduced_
- name: metadata
  map:
    fields:
    - name: finalizers
      type:
        list:
          elementType:
            scalar: string
          elementRelationship: associative
    - name: ownerReferences
      type:
        list:
          elementType:
            namedType: __untyped_deduced_
          elementRelationship: associative
          keys:
          - uid
    elementType:
      namedType: __untyped_deduced_
- name: status
  map:
    fields:
    - name: conditions
      type:
        list:
          elementType:
            namedType: __untyped_deduced_
          elementRelationship: associative
          keys:
          - type
    elementType:
      namedType: __untyped_deduced_
- name: __untyped_atomic_
  scalar: untyped
  list:
    elementType:
      namedType: __untyped_atomic_
    elementRelationship: atomic
  map:
    elementType:
      namedType: __untyped_atomic_
    elementRelationship: atomic
- name: __untyped_deduced_
  scalar: untyped
  list:
    elementType:
      namedType: __untyped_atomic_
    elementRelationship: atomic
  map:
    elementType:
      namedType: __untyped_deduced_
    elementRelationship: separable
`

// customConverter types custom objects by customSchema.
type customConverter struct {
	kind typed.ParseableType
}

func newCustomConverter() (customConverter, error) {
	parser, err := typed.NewParser(customSchema)
	if err != nil {
		return customConverter{}, fmt.Errorf("cannot parse the schema of custom kinds: %w", err)
	}
	return customConverter{kind: parser.Type("object")}, nil
}

func (c customConverter) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("cannot type %T: not unstructured", object)
	}
	return c.kind.FromUnstructured(u.Object, options...)
}

func (c customConverter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	m, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("cannot read a typed value as an object")
	}
	return &unstructured.Unstructured{Object: m}, nil
}

// asIs is the conversion and defaulting of field managers for objects that have one version and are defaulted later.
type asIs struct{}

func (asIs) Convert(_, _, _ any) error { return nil }
func (asIs) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (asIs) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (asIs) Default(runtime.Object) {}
func (asIs) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(kind)
	return u, nil
}

type fieldManagerKey struct {
	kind        schema.GroupVersionKind
	subresource string
}

// fields has the field managers, one for each kind and subresource.
type fields struct {
	builtin  managedfields.TypeConverter
	custom   managedfields.TypeConverter
	managers map[fieldManagerKey]*managedfields.FieldManager
}

func newFields() (*fields, error) {
	custom, err := newCustomConverter()
	if err != nil {
		return nil, err
	}
	return &fields{
		builtin:  applyconfigurations.NewTypeConverter(scheme.Scheme),
		custom:   custom,
		managers: map[fieldManagerKey]*managedfields.FieldManager{},
	}, nil
}

func (f *fields) converter(kind schema.GroupVersionKind) managedfields.TypeConverter {
	if scheme.Scheme.Recognizes(kind) {
		return f.builtin
	}
	return f.custom
}

func (f *fields) manager(kind schema.GroupVersionKind, subresource string) (*managedfields.FieldManager, error) {
	key := fieldManagerKey{kind: kind, subresource: subresource}
	if m, found := f.managers[key]; found {
		return m, nil
	}
	m, err := managedfields.NewDefaultCRDFieldManager(f.converter(kind), asIs{}, asIs{}, asIs{}, kind, kind.GroupVersion(), subresource, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot make the field manager of %s: %w", kind.Kind, err)
	}
	f.managers[key] = m
	return m, nil
}

// Extract is what the manager has applied to the object and still owns, with its values of now: client-go's Extract
// for any kind. It is empty when the manager owns nothing.
func (s *Store) Extract(object *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" {
			continue
		}
		set := &fieldpath.Set{}
		if err := set.FromJSON(bytes.NewReader(entry.FieldsV1.Raw)); err != nil {
			return nil, fmt.Errorf("cannot read the managed fields of %s: %w", manager, err)
		}
		converter := s.fields.converter(object.GroupVersionKind())
		value, err := converter.ObjectToTyped(object, typed.AllowDuplicates)
		if err != nil {
			return nil, fmt.Errorf("cannot type %s: %w", KeyOf(object), err)
		}
		extracted, err := converter.TypedToObject(value.ExtractItems(set.Leaves(), typed.WithAppendKeyFields()))
		if err != nil {
			return nil, fmt.Errorf("cannot extract the fields of %s from %s: %w", manager, KeyOf(object), err)
		}
		u, _ := extracted.(*unstructured.Unstructured)
		return u, nil
	}
	return &unstructured.Unstructured{Object: map[string]any{}}, nil
}

// retime gives the entries of managedFields the store's time instead of the wall clock's: the entry that was written
// now gets the time of now, all others keep theirs. It sorts them as the API server does.
func retime(before, after []any, now string, acting func(entry map[string]any) bool) {
	for _, a := range after {
		entry, _ := a.(map[string]any)
		entry["time"] = now
		if acting(entry) {
			continue
		}
		for _, b := range before {
			old, _ := b.(map[string]any)
			if sameExcept(entry, old, "time", "fieldsV1") {
				entry["time"] = old["time"]
			}
		}
	}
	sort.SliceStable(after, func(i, j int) bool {
		x, _ := after[i].(map[string]any)
		y, _ := after[j].(map[string]any)
		for _, field := range []string{"operation", "time", "manager", "subresource"} {
			if v, w := stringAt(x, field), stringAt(y, field); v != w {
				return v < w
			}
		}
		return false
	})
}

// sameFields compares managedFields without their times.
func sameFields(before, after []any) bool {
	if len(before) != len(after) {
		return false
	}
next:
	for _, a := range after {
		entry, _ := a.(map[string]any)
		for _, b := range before {
			old, _ := b.(map[string]any)
			if sameExcept(entry, old, "time") {
				continue next
			}
		}
		return false
	}
	return true
}
