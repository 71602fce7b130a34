package observe

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/previous"
)

// A Narrower leaves out of a request, while it is still bytes, what nobody reads. Decoding a field takes ten times the
// memory that it takes on the way, and most of the time of a call.
type Narrower struct{ request change }

// NewNarrower of requests. Of the answers to some questions it keeps the fields that are read, as paths by the question's
// name: one question is for every Pod of a namespace, and with a few hundred, of several Chromas at once, that was more
// memory than the function may have.
//
// Of all other objects it leaves out the fields in managedFields where nobody reads them: they are half of an object, in
// very small pieces. The Object of provider-kubernetes has another one in its status, of which only the status is read.
func NewNarrower(reads map[string][]string) Narrower {
	resource := unlessManaged(pathsOf(whole, none,
		"metadata.managedFields.fieldsV1", "status.atProvider.manifest.metadata", "status.atProvider.manifest.spec"))
	others, answers := answerOf(resource), make(map[string]change, len(reads))
	for question, paths := range reads {
		answers[question] = answerOf(each{fieldResource: pathsOf(none, whole, paths...)}.of)
	}
	answer := func(out, entry []byte) []byte {
		question, _ := sole(entry, fieldKey)
		if narrowed, is := answers[string(question)]; is {
			return narrowed(out, entry)
		}
		return others(out, entry)
	}
	observed := each{fieldComposite: resource, fieldResources: each{fieldValue: resource}.of}
	return Narrower{each{fieldObserved: observed.of, fieldRequiredResources: answer, fieldExtraResources: answer}.of}
}

// Append to out what is left of a request. What cannot be understood stays as it is. It is never longer than it was.
func (n Narrower) Append(out, request []byte) []byte { return n.request(out, request) }

// answerOf a question: each Resource that was found.
func answerOf(resource change) change { return each{fieldValue: each{fieldItems: resource}.of}.of }

// unlessManaged: a Resource whose object is changed, unless its kind is one whose managedFields are read.
func unlessManaged(object change) change {
	changed := each{fieldResource: object}
	return func(out, resource []byte) []byte {
		content, is := sole(resource, fieldResource)
		if !is || previous.Reads(schema.FromAPIVersionAndKind(text(content, "apiVersion"), text(content, "kind"))) {
			return whole(out, resource)
		}
		return changed.of(out, resource)
	}
}

// pathsOf a Struct: the fields at the end of each path become one thing, those beside a path another. A path goes into a
// list as into one object.
func pathsOf(beside, end change, paths ...string) change {
	below := map[string][]string{}
	for _, path := range paths {
		name, rest, _ := strings.Cut(path, ".")
		below[name] = append(below[name], rest)
	}
	fields := make(map[string]change, len(below))
	for name, rest := range below {
		fields[name] = end
		if rest[0] != "" {
			fields[name] = each{fieldValue: inside(pathsOf(beside, end, rest...))}.of
		}
	}
	return each{fieldFields: func(out, entry []byte) []byte {
		name, known := sole(entry, fieldKey)
		if !known {
			return whole(out, entry)
		}
		if change, is := fields[string(name)]; is {
			return change(out, entry)
		}
		return beside(out, entry)
	}}.of
}

// inside a Value: of the Struct in it, or of each in its list.
func inside(object change) change {
	return each{fieldStructValue: object, fieldListValue: each{fieldValues: each{fieldStructValue: object}.of}.of}.of
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
