package release

import "maps"

// Overlay lays one conformed document over another: objects merge, everything else is replaced, and a null removes.
// Neither is changed, and the result shares with both what it has from them: it is for reading.
func Overlay(below, above map[string]any) map[string]any {
	if len(above) == 0 {
		return below
	}
	out := maps.Clone(below)
	if out == nil {
		out = make(map[string]any, len(above))
	}
	for key, value := range above {
		switch v := value.(type) {
		case nil:
			delete(out, key)
		case map[string]any:
			// A member that is no object gives way, as if it were absent.
			member, _ := out[key].(map[string]any)
			merged := Overlay(member, v)
			if merged == nil {
				merged = v
			}
			out[key] = merged
		default:
			out[key] = v
		}
	}
	return out
}

// withoutNulls drops the members that are null, at any depth: what a null would remove is not there in a document that
// is replaced whole.
func withoutNulls(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	return Overlay(nil, object)
}
