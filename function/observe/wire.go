package observe

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields of a RunFunctionRequest as it is sent, down to the fields of an object.
const (
	fieldObserved          = 2 // of a request
	fieldExtraResources    = 6 // of a request, as Crossplane before 1.20 calls them
	fieldRequiredResources = 8 // of a request
	fieldComposite         = 1 // of a State
	fieldResources         = 2 // of a State
	fieldKey               = 1 // of a map's entry
	fieldValue             = 2 // of a map's entry
	fieldItems             = 1 // of Resources
	fieldResource          = 1 // of a Resource
	fieldFields            = 1 // of a Struct
	fieldStringValue       = 3 // of a Value
	fieldStructValue       = 5 // of a Value
	fieldListValue         = 6 // of a Value
	fieldValues            = 1 // of a ListValue
)

// A change of a value that is a message: it appends what the value becomes, at most as long as it was. Nil: it goes.
type change func(out, value []byte) []byte

// whole: a value stays as it is.
func whole(out, value []byte) []byte { return append(out, value...) }

// none of a value is left.
func none([]byte, []byte) []byte { return nil }

// each value of some fields of a message is changed; the other fields stay.
type each map[protowire.Number]change

// of a message. One that cannot be read stays whole.
func (e each) of(out, message []byte) []byte {
	begin := len(out)
	for rest := message; len(rest) > 0; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return append(out[:begin], message...)
		}
		length := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if length < 0 {
			return append(out[:begin], message...)
		}
		field := rest[:tag+length]
		rest = rest[tag+length:]
		changes, is := e[number]
		if !is || kind != protowire.BytesType {
			out = append(out, field...)
			continue
		}
		value, _ := protowire.ConsumeBytes(field[tag:])
		before, header := len(out), len(field)-len(value)
		changed := changes(append(out, field[:header]...), value)
		if changed == nil {
			out = out[:before]
			continue
		}
		out = changed
		resize(out[before+tag:before+header], len(out)-before-header)
	}
	return out
}

// resize a length in its place: a number may have more bytes than it needs.
func resize(length []byte, size int) {
	for i := range length {
		length[i] = byte(size&0x7f) | 0x80
		size >>= 7
	}
	length[len(length)-1] &= 0x7f
}

// values of a field of a message, as far as it can be read.
func values(message []byte, of protowire.Number) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := message; len(rest) > 0; {
			number, kind, tag := protowire.ConsumeTag(rest)
			if tag < 0 {
				return
			}
			length := protowire.ConsumeFieldValue(number, kind, rest[tag:])
			if length < 0 {
				return
			}
			if number == of && kind == protowire.BytesType {
				value, _ := protowire.ConsumeBytes(rest[tag:])
				if !yield(value) {
					return
				}
			}
			rest = rest[tag+length:]
		}
	}
}

// sole value of a field. None or several, which a reader would merge, are none.
func sole(message []byte, of protowire.Number) (value []byte, is bool) {
	for one := range values(message, of) {
		if is {
			return nil, false
		}
		value, is = one, true
	}
	return value, is
}
