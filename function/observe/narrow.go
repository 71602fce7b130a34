package observe

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/previous"
)

// A Narrower leaves out of a request, while it is still bytes, what nobody reads. Decoding a field takes ten times the
// memory that it takes on the way, and most of the time of a call.
type Narrower struct {
	answers   map[string]keep // by the question's name
	unmanaged leave
}

// NewNarrower of requests. Of the answers to some questions it keeps the fields that are read, as paths by the question's
// name: one question is for every Pod of a namespace, and with a few hundred, of several Chromas at once, that was more
// memory than the function may have.
//
// Of all other objects it leaves out the fields in managedFields where nobody reads them: they are half of an object, in
// very small pieces. The Object of provider-kubernetes has another one in its status, of which only the status is read.
func NewNarrower(reads map[string][]string) Narrower {
	n := Narrower{
		answers: make(map[string]keep, len(reads)),
		unmanaged: leave(treeOf([]string{
			"metadata.managedFields.fieldsV1", "status.atProvider.manifest.metadata", "status.atProvider.manifest.spec",
		})),
	}
	for question, paths := range reads {
		n.answers[question] = keep(treeOf(paths))
	}
	return n
}

// Append to out what is left of a request. What cannot be understood stays as it is. It is never longer than it was.
func (n Narrower) Append(out, request []byte) []byte {
	return rewrite(out, request, func(number protowire.Number) change {
		switch number {
		case fieldObserved:
			return n.observed
		case fieldRequiredResources, fieldExtraResources:
			return n.answer
		default:
			return nil
		}
	})
}

// observed State: the composite and what is composed.
func (n Narrower) observed(out, state []byte) []byte {
	return rewrite(out, state, func(number protowire.Number) change {
		switch number {
		case fieldComposite:
			return n.resource
		case fieldResources:
			return only(fieldValue, n.resource)
		default:
			return nil
		}
	})
}

// answer to a question: its name, and the objects that were found.
func (n Narrower) answer(out, entry []byte) []byte {
	objects := change(n.resource)
	question, _ := sole(entry, fieldKey)
	if kept, narrowed := n.answers[string(question)]; narrowed {
		objects = only(fieldResource, kept.of)
	}
	return only(fieldValue, only(fieldItems, objects))(out, entry)
}

// resource whose object loses the fields in its managedFields, unless they are read.
func (n Narrower) resource(out, resource []byte) []byte {
	object, is := sole(resource, fieldResource)
	if !is || previous.Reads(schema.FromAPIVersionAndKind(text(object, "apiVersion"), text(object, "kind"))) {
		return append(out, resource...)
	}
	return only(fieldResource, n.unmanaged.of)(out, resource)
}

// A tree of field names, the same for one object and for each of a list.
type tree map[string]tree

func treeOf(paths []string) tree {
	out := tree{}
	for _, path := range paths {
		at := out
		for name := range strings.SplitSeq(path, ".") {
			if at[name] == nil {
				at[name] = tree{}
			}
			at = at[name]
		}
	}
	return out
}

// keep the fields of the tree alone, each leaf whole.
type keep tree

// of a Struct.
func (k keep) of(out, object []byte) []byte {
	return only(fieldFields, func(out, entry []byte) []byte {
		name, known := sole(entry, fieldKey)
		below, kept := k[string(name)]
		switch {
		case known && !kept:
			return nil
		case len(below) == 0:
			return append(out, entry...)
		}
		return only(fieldValue, inside(keep(below).of))(out, entry)
	})(out, object)
}

// leave out the leaves of the tree alone.
type leave tree

// of a Struct.
func (l leave) of(out, object []byte) []byte {
	return only(fieldFields, func(out, entry []byte) []byte {
		name, _ := sole(entry, fieldKey)
		below, touched := l[string(name)]
		switch {
		case !touched:
			return append(out, entry...)
		case len(below) == 0:
			return nil
		}
		return only(fieldValue, inside(leave(below).of))(out, entry)
	})(out, object)
}

// inside a Value: of the Struct in it, or of each in its list.
func inside(object change) change {
	return func(out, value []byte) []byte {
		return rewrite(out, value, func(number protowire.Number) change {
			switch number {
			case fieldStructValue:
				return object
			case fieldListValue:
				return only(fieldValues, only(fieldStructValue, object))
			default:
				return nil
			}
		})
	}
}

// text of a field of a Struct, the last one of its name as in any map.
func text(object []byte, field string) string {
	var content []byte
	for entry := range values(object, fieldFields) {
		if name, _ := sole(entry, fieldKey); string(name) == field {
			value, _ := sole(entry, fieldValue)
			content, _ = sole(value, fieldStringValue)
		}
	}
	return string(content)
}
