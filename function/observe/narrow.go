package observe

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields of a RunFunctionRequest as it is sent, down to the fields of a required object.
const (
	fieldExtraResources    = 6 // of a request, as Crossplane before 1.20 calls them
	fieldRequiredResources = 8 // of a request
	fieldKey               = 1 // of a map's entry
	fieldValue             = 2 // of a map's entry
	fieldItems             = 1 // of Resources
	fieldResource          = 1 // of a Resource
	fieldFields            = 1 // of a Struct
	fieldStructValue       = 5 // of a Value
)

// Narrow a request, as it is sent, to what is read of the answers to some questions: paths of fields by the question's
// name. Decoding a field takes ten times the memory that it takes on the way, and one question is for every Pod of a
// namespace: with a few hundred, of several Chromas at once, that was more than the function may have.
//
// What cannot be understood stays as it is.
func Narrow(request []byte, reads map[string][]string) []byte {
	trees := make(map[string]tree, len(reads))
	for question, paths := range reads {
		trees[question] = treeOf(paths)
	}
	answers := func(entry []byte) []byte {
		kept, narrowed := trees[string(first(entry, fieldKey))]
		if !narrowed {
			return entry
		}
		return replaced(entry, fieldValue, func(resources []byte) []byte {
			return replaced(resources, fieldItems, func(resource []byte) []byte {
				return replaced(resource, fieldResource, kept.of)
			})
		})
	}
	return replaced(replaced(request, fieldRequiredResources, answers), fieldExtraResources, answers)
}

// A tree of field names. A leaf is kept whole.
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

// of a Struct: the fields of the tree alone.
func (t tree) of(object []byte) []byte {
	return replaced(object, fieldFields, func(entry []byte) []byte {
		below, kept := t[string(first(entry, fieldKey))]
		switch {
		case !kept:
			return nil
		case len(below) == 0:
			return entry
		}
		return replaced(entry, fieldValue, func(value []byte) []byte { return replaced(value, fieldStructValue, below.of) })
	})
}

// replaced is a message with each value of one of its fields changed. A value that becomes nil is left out. A message that
// cannot be read stays as it is.
func replaced(message []byte, of protowire.Number, change func([]byte) []byte) []byte {
	out := make([]byte, 0, len(message)/4)
	for rest := message; len(rest) > 0; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return message
		}
		length := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if length < 0 {
			return message
		}
		field := rest[:tag+length]
		rest = rest[tag+length:]
		if number != of || kind != protowire.BytesType {
			out = append(out, field...)
			continue
		}
		value, _ := protowire.ConsumeBytes(field[tag:])
		if changed := change(value); changed != nil {
			out = protowire.AppendBytes(protowire.AppendTag(out, number, kind), changed)
		}
	}
	return out
}

// first value of a field, nil without one.
func first(message []byte, of protowire.Number) []byte {
	for rest := message; len(rest) > 0; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return nil
		}
		length := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if length < 0 {
			return nil
		}
		if number == of && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(rest[tag:])
			return value
		}
		rest = rest[tag+length:]
	}
	return nil
}
