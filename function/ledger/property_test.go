package ledger

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

func anyVersion(t *rapid.T) compatibility.Version {
	title := rapid.SampledFrom([]string{
		"chroma 1.0.9", "chroma 1.0.10", "chroma 1.2.2", "chroma 1.5.8", "chroma 1.5.9", "chroma 1.5.10", "chroma 2.0.0",
		"vecturadb 1.0.0-preview.2", "vecturadb 1.0.0-preview.3", "vecturadb 1.0.0-preview.10",
	}).Draw(t, "version")
	product, number, _ := strings.Cut(title, " ")
	v, err := compatibility.ParseVersion(v1alpha1.Product(product), number)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// step draws one change of a record, as the passes of the function make them.
func step(t *rapid.T, r Record) Record {
	pod := rapid.SampledFrom([]string{"pod-1", "pod-2"}).Draw(t, "pod")
	image := rapid.SampledFrom([]string{"c:latest", "c:dev", "c:1.5.9"}).Draw(t, "image")
	switch rapid.IntRange(0, 5).Draw(t, "step") {
	case 0:
		return r.Raise(anyVersion(t))
	case 1:
		return r.MarkUnknown(Incident(r.ClaimUID, pod, image))
	case 2:
		return r.Observe(Sighting{PodUID: pod, Image: image, Version: anyVersion(t), Unwitnessed: rapid.Bool().Draw(t, "unwitnessed")})
	case 3:
		return r.WithRecoveryImage(image)
	default:
		v := anyVersion(t)
		return r.Declare(string(v.Product) + ":" + v.String() + "/" + r.Incident).Record
	}
}

// anyRecord draws a record that some sequence of changes leads to.
func anyRecord(t *rapid.T) Record {
	r := Record{ClaimUID: uid, Schema: Schema}
	for range rapid.IntRange(0, 8).Draw(t, "steps") {
		r = step(t, r)
	}
	return r
}

func TestEveryChangeRaisesTheSerialAndLowersNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		held := r.next() // A copy, to see that r itself stays as it is.
		next := step(t, r)
		if held.Serial = r.Serial; !r.Equal(held) {
			t.Fatalf("a change wrote into the record it was made from:\n%s", cmp.Diff(held, r))
		}
		if next.Serial < r.Serial || next.Serial > r.Serial+1 || (next.Serial == r.Serial) != next.sameContent(r) {
			t.Fatalf("from %+v\nto %+v: another serial if and only if the content is another", r, next)
		}
		if next.Unknown != (next.Incident != "") {
			t.Fatalf("unknown without a code, or the reverse: %+v", next)
		}
		notBelow(t, r, next)
	})
}

// notBelow fails when a record knows less than an earlier one, apart from an incident.
func notBelow(t *rapid.T, earlier, later Record) {
	for product, highest := range earlier.Versions {
		if kept, ok := later.Versions[product]; !ok || kept.OlderThan(highest) {
			t.Fatalf("the %s of\n%+v is lost in\n%+v", product, earlier, later)
		}
	}
	if _, ok := later.Versions[later.Last]; !ok && len(later.Versions) > 0 {
		t.Fatalf("the last product has no version: %+v", later)
	}
}

func TestRecordsSurviveARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		written := r.Annotations()
		written[v1alpha1.AnnotationCreatedFor] = "xr"
		if diff := cmp.Diff(r, FromAnnotations(uid, written)); diff != "" {
			t.Fatalf("annotations %v: -written, +read:\n%s", written, diff)
		}
		var status v1alpha1.ChromaStatus
		r.WriteStatus(&status)
		if diff := cmp.Diff(&r, FromStatus(status)); diff != "" {
			t.Fatalf("status %+v: -written, +read:\n%s", status, diff)
		}
	})
}

func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRecord(t), anyRecord(t)
		if rapid.Bool().Draw(t, "same serial") {
			b.Serial = a.Serial
		}
		ab, ba := Merge(&a, b), Merge(&b, a)
		if !ab.Record.Equal(ba.Record) || ab.Agreed != ba.Agreed {
			t.Fatalf("it matters which is which: -one, +other:\n%s", cmp.Diff(ab, ba))
		}
		if ab.Record.Serial < max(a.Serial, b.Serial) {
			t.Fatalf("the serial fell: %+v", ab.Record)
		}
		if a.Serial == b.Serial {
			notBelow(t, a, ab.Record)
			notBelow(t, b, ab.Record)
			if (a.Unknown || b.Unknown) && !ab.Record.Unknown {
				t.Fatalf("an incident was lost between\n%+v\nand\n%+v", a, b)
			}
		} else if want := map[bool]Record{true: a, false: b}[a.Serial > b.Serial]; !ab.Record.Equal(want) {
			t.Fatalf("the higher serial did not count:\n%s", cmp.Diff(want, ab.Record))
		}
		if ab.Agreed != a.Equal(b) {
			t.Fatalf("agreed: %v for\n%+v\nand\n%+v", ab.Agreed, a, b)
		}
		// Whatever of the two places is written first, the other follows, and then both agree.
		for _, halfway := range []Merged{Merge(&ab.Record, b), Merge(&a, ab.Record)} {
			if !halfway.Record.Equal(ab.Record) {
				t.Fatalf("half written it merges into another record:\n%s", cmp.Diff(ab.Record, halfway.Record))
			}
		}
		if again := Merge(&ab.Record, ab.Record); !again.Agreed || !again.Record.Equal(ab.Record) {
			t.Fatalf("merging with itself changes it: %+v", again)
		}
	})
}

func TestCodesDoNotRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		seen := map[string]bool{r.Incident: true}
		for range 20 {
			next := step(t, r)
			if next.Incident != r.Incident && next.Incident != "" {
				if seen[next.Incident] {
					t.Fatalf("the code %s came back", next.Incident)
				}
				seen[next.Incident] = true
			}
			r = next
		}
	})
}

func FuzzFromAnnotations(f *testing.F) {
	f.Add("xr", uid+"/3", "1", "1.5.9", "chroma", "chroma=1.5.9", "", "abcd2345-2", "c:1.5.9")
	f.Add("", "", "", "1.5.9", "", "", "", "", "")
	f.Add("", other+"/3", "2", "x", "vecturadb", "=,==,a=b", "a/b", ",,", "\n")
	f.Fuzz(func(t *testing.T, created, number, schema, version, product, versions, incident, codes, recovery string) {
		written := annotations("created-for", created, "data-record", number, "data-schema", schema, "data-version", version,
			"data-product", product, "data-versions", versions, "data-version-unknown", incident,
			"data-incidents-settled", codes, "recovery-image", recovery)
		r := FromAnnotations(uid, written)
		if diff := cmp.Diff(r, FromAnnotations(uid, maps.Clone(written))); diff != "" {
			t.Fatalf("the same annotations read differently:\n%s", diff)
		}
		if r.Newer() {
			return
		}
		if (r.Incident == "") == r.Unknown || r.Unknown && !isCode(r.Incident) {
			t.Fatalf("unknown and no code that can be typed, or the reverse: %+v", r)
		}
		if incident != "" && !r.Unknown {
			t.Fatalf("the incident %q is lost", incident)
		}
		own := strings.HasPrefix(number, uid+"/") || number == ""
		if v, err := parseVersion(v1alpha1.Product(product), version); err == nil && own && r.Versions[v.Product].OlderThan(v) {
			t.Fatalf("%s is written, and %+v is read", v.Title(), r)
		}
		again := r.Annotations()
		again[v1alpha1.AnnotationCreatedFor] = created
		if diff := cmp.Diff(r, FromAnnotations(uid, again)); diff != "" {
			t.Fatalf("what was read does not survive being written: -read, +again:\n%s", diff)
		}
		if r.Unknown {
			if d := r.Declare("chroma:999.0.0/" + r.Incident); !d.Ended {
				t.Fatalf("no declaration ends %+v: %s", r, d.Message)
			}
		}
	})
}

func FuzzFromStatus(f *testing.F) {
	f.Add(uid+"/3", uid, int64(1), "1.5.9", "chroma", "1.5.9", true, "abcd2345-3")
	f.Add("x", "", int64(-1), "", "", "", true, "")
	f.Fuzz(func(t *testing.T, number, claim string, schema int64, version, product, chroma string, unknown bool, incident string) {
		r := FromStatus(v1alpha1.ChromaStatus{
			DataRecord: number, ClaimUID: claim, DataSchema: schema, DataVersion: version, DataProduct: v1alpha1.Product(product),
			DataVersions:       map[v1alpha1.Product]string{v1alpha1.ProductChroma: chroma},
			DataVersionUnknown: unknown, DataVersionUnknownIncident: incident,
		})
		if (r == nil) != (number == "") {
			t.Fatalf("a status has a record when it has a record number: %+v", r)
		}
		if r != nil && (unknown || incident != "") && !r.Newer() && !r.Unknown {
			t.Fatalf("the incident %q is lost: %+v", incident, r)
		}
		if r == nil || r.Newer() {
			return
		}
		merged := Merge(r, known(t, 1, "chroma 1.5.9"))
		if r.ClaimUID == uid && r.Serial == 1 && r.Unknown && !merged.Record.Unknown {
			t.Fatalf("merged with a known record the incident is lost: %+v", merged)
		}
	})
}

func FuzzDeclare(f *testing.F) {
	for _, seed := range []string{"1.5.9/abcd2345-4", "chroma:1.5.9/abcd2345-4", "1.0.0-preview.3/abcd2345-4", "/", "::/abcd2345-4", "1.5.9//abcd2345-4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r := unknown(known(t, 4, "chroma 1.5.8", "vecturadb 1.0.0-preview.2"), "abcd2345-4")
		d := r.Declare(value)
		if d.Ended && !strings.HasSuffix(value, "/"+r.Incident) {
			t.Fatalf("%q ended an incident that it does not name", value)
		}
		if d.Ended == (d.Record.Unknown) || d.Ended == (d.Message != "") && value != "" {
			t.Fatalf("%q: %+v", value, d)
		}
		for product, highest := range r.Versions {
			if d.Record.Versions[product].OlderThan(highest) {
				t.Fatalf("%q lowered %s to %s", value, highest.Title(), d.Record.Versions[product])
			}
		}
	})
}
