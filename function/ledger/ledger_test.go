package ledger

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

const (
	uid   = "6f1c2d3e-0000-4000-8000-000000000001"
	other = "6f1c2d3e-0000-4000-8000-000000000002"
)

func version(t testing.TB, title string) compatibility.Version {
	t.Helper()
	product, number, _ := strings.Cut(title, " ")
	v, err := compatibility.ParseVersion(v1alpha1.Product(product), number)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// known returns a record of uid with versions written "chroma 1.5.9", the product that ran last at the end.
func known(t testing.TB, serial int64, titles ...string) Record {
	t.Helper()
	r := Record{ClaimUID: uid, Serial: serial, Schema: Schema}
	for _, title := range titles {
		v := version(t, title)
		r.raise(v)
		r.Last = v.Product
	}
	return r
}

// ahead of Pods that were not seen ready yet.
func ahead(r Record, products ...v1alpha1.Product) Record {
	r.Ahead = products
	return r
}

func unknown(r Record, incident string, settled ...string) Record {
	r.Unknown, r.Incident, r.Settled = true, incident, settled
	return r
}

func settled(r Record, codes ...string) Record {
	r.Settled = codes
	return r
}

func recovering(r Record, image string) Record {
	r.RecoveryImage = image
	return r
}

// annotations from pairs of name (without the group) and value.
func annotations(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[v1alpha1.Group+"/"+pairs[i]] = pairs[i+1]
	}
	return out
}

func TestFromAnnotations(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        Record // with the incident "*": any code
	}{
		"Created": {
			reason:      "With our creation mark and without a record nothing has run: the record precedes every Pod.",
			annotations: annotations("created-for", other),
			want:        known(t, 0),
		},
		"Nothing": {
			reason: "A claim that somebody else made may hold anything.",
			want:   unknown(known(t, 0), "*"),
		},
		"OfTheOriginalOperator": {
			reason:      "It wrote no record number, which is serial 0.",
			annotations: annotations("data-version", "1.5.9", "data-product", "chroma"),
			want:        known(t, 0, "chroma 1.5.9"),
		},
		"WithoutProduct": {
			reason:      "A claim without data-product is of Chroma.",
			annotations: annotations("data-version", "1.5.8"),
			want:        known(t, 0, "chroma 1.5.8"),
		},
		"OfTheOriginalOperatorWithVecturaDB": {
			reason:      "data-version is a version of data-product.",
			annotations: annotations("data-version", "1.0.0-preview.3", "data-product", "vecturadb"),
			want:        known(t, 0, "vecturadb 1.0.0-preview.3"),
		},
		"OfTheOriginalOperatorWithoutVersion": {
			reason:      "A product without a version says that something has run, and not what.",
			annotations: annotations("data-product", "chroma"),
			want:        unknown(known(t, 0), "*"),
		},
		"OfTheOriginalOperatorUnknown": {
			reason:      "Its incident stays open, under its code.",
			annotations: annotations("data-version", "1.5.9", "data-product", "chroma", "data-version-unknown", "Inc-42"),
			want:        unknown(known(t, 0, "chroma 1.5.9"), "Inc-42"),
		},
		"MarkDoesNotHelpAProductWithoutVersion": {
			reason:      "The mark makes a claim empty only when nothing was written.",
			annotations: annotations("created-for", other, "data-product", "chroma"),
			want:        unknown(known(t, 0), "*"),
		},
		"Whole": {
			reason: "Everything that we write.",
			annotations: annotations("data-record", uid+"/12", "data-schema", "1", "data-version", "1.0.0-preview.3",
				"data-product", "vecturadb", "data-versions", "chroma=1.5.9,vecturadb=1.0.0-preview.3",
				"data-version-unknown", "", "data-incidents-settled", "abcd2345-7", "recovery-image", "c:1.5.9"),
			want: recovering(settled(known(t, 12, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), "abcd2345-7"), "c:1.5.9"),
		},
		"OfAnotherClaim": {
			reason: "A copied record says nothing of this claim, and a copied mark does not make it empty.",
			annotations: annotations("created-for", other, "data-record", other+"/3", "data-version", "1.5.9",
				"data-product", "chroma", "recovery-image", "c:1.5.9"),
			want: recovering(unknown(known(t, 0), "*"), "c:1.5.9"),
		},
		"NewerVersionBeside": {
			reason: "The original operator, when somebody goes back to it, raises data-version alone: the higher one counts.",
			annotations: annotations("data-record", uid+"/4", "data-version", "1.5.9", "data-product", "chroma",
				"data-versions", "chroma=1.5.8"),
			want: known(t, 4, "chroma 1.5.9"),
		},
		"OlderVersionBeside": {
			reason: "A data-version lowered by hand lowers nothing.",
			annotations: annotations("data-record", uid+"/4", "data-version", "1.5.0", "data-product", "chroma",
				"data-versions", "chroma=1.5.8"),
			want: known(t, 4, "chroma 1.5.8"),
		},
		"GarbageVersion": {
			reason:      "latest is no version.",
			annotations: annotations("data-record", uid+"/4", "data-version", "latest", "data-product", "chroma", "data-versions", "chroma=1.5.8"),
			want:        unknown(known(t, 4, "chroma 1.5.8"), "*"),
		},
		"GarbageVersions": {
			reason:      "What can be read still counts.",
			annotations: annotations("data-record", uid+"/4", "data-version", "1.5.8", "data-product", "chroma", "data-versions", "vecturadb:1.0.0-preview.3"),
			want:        unknown(known(t, 4, "chroma 1.5.8"), "*"),
		},
		"GarbageProduct": {
			reason:      "A product that does not exist has not run.",
			annotations: annotations("data-record", uid+"/4", "data-version", "1.5.8", "data-product", "Chroma", "data-versions", "chroma=1.5.8"),
			want:        unknown(known(t, 4, "chroma 1.5.8"), "*"),
		},
		"GarbageNumber": {
			reason:      "Without a serial the record cannot be compared.",
			annotations: annotations("data-record", uid+"/four", "data-version", "1.5.8", "data-product", "chroma"),
			want:        unknown(known(t, 0, "chroma 1.5.8"), "*"),
		},
		"OverflowingNumber": {
			reason:      "A serial that has no room to rise is none.",
			annotations: annotations("data-record", uid+"/9223372036854775807", "data-version", "1.5.8"),
			want:        unknown(known(t, 0, "chroma 1.5.8"), "*"),
		},
		"NegativeNumber": {
			reason:      "Serials start at 0.",
			annotations: annotations("data-record", uid+"/-1", "data-version", "1.5.8"),
			want:        unknown(known(t, 0, "chroma 1.5.8"), "*"),
		},
		"GarbageSchema": {
			reason:      "A schema that is no number could be any.",
			annotations: annotations("data-record", uid+"/4", "data-version", "1.5.8", "data-schema", "one"),
			want:        unknown(known(t, 4, "chroma 1.5.8"), "*"),
		},
		"GarbageIncident": {
			reason:      "It says that there is an incident; a code that nobody can type is replaced.",
			annotations: annotations("data-record", uid+"/4", "data-version", "1.5.8", "data-version-unknown", "a/b, c"),
			want:        unknown(known(t, 4, "chroma 1.5.8"), "*"),
		},
		"EmptiedByHand": {
			reason:      "A record that was changed four times names a version or an incident.",
			annotations: annotations("created-for", other, "data-record", uid+"/4"),
			want:        unknown(known(t, 4), "*"),
		},
		"VersionsTakenAwayByHand": {
			reason:      "A record with a number lists its versions: without the list nobody knows what other products have run.",
			annotations: annotations("data-record", uid+"/7", "data-version", "1.0.0-preview.3", "data-product", "vecturadb"),
			want:        unknown(known(t, 7, "vecturadb 1.0.0-preview.3"), "*"),
		},
		"PythonServer": {
			reason:      "No Chroma 0.x has run under this operator or the original one.",
			annotations: annotations("data-version", "0.6.3"),
			want:        unknown(known(t, 0), "*"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := FromAnnotations(uid, tc.annotations)
			if tc.want.Incident == "*" && isCode(got.Incident) {
				tc.want.Incident = got.Incident
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFromAnnotations(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNewerRecordIsKeptAndStartsNothing(t *testing.T) {
	written := annotations("data-record", uid+"/9", "data-schema", "2", "data-version", "whatever schema 2 says")
	newer := FromAnnotations(uid, written)
	if !newer.Newer() || newer.Serial != 9 || !newer.Data().Unknown || newer.Empty() {
		t.Errorf("a record of schema 2 was taken for one that can be read: %+v", newer)
	}
	if newer.Annotations() != nil {
		t.Errorf("a newer record was written: %v", newer.Annotations())
	}
	status := v1alpha1.ChromaStatus{DataRecord: uid + "/9", DataSchema: 2, DataVersion: "whatever schema 2 says"}
	kept := status
	newer.WriteStatus(&kept)
	if diff := cmp.Diff(status, kept); diff != "" {
		t.Errorf("a newer record changed the status: -want, +got:\n%s", diff)
	}
	for name, changed := range map[string]Record{
		"Raise":             newer.Raise(version(t, "chroma 1.5.9")),
		"MarkUnknown":       newer.MarkUnknown("abcd2345"),
		"Observe":           newer.Observe(Sighting{PodUID: "p", Image: "c:latest"}),
		"WithRecoveryImage": newer.WithRecoveryImage("c:1.5.9"),
		"Declare":           newer.Declare("1.5.9/abcd2345-1").Record,
	} {
		if diff := cmp.Diff(newer, changed); diff != "" {
			t.Errorf("%s changed a newer record: -want, +got:\n%s", name, diff)
		}
	}
	older := known(t, 20, "chroma 1.5.9")
	if merged := Merge(&older, newer); !merged.Newer || merged.Agreed {
		t.Errorf("a newer claim was merged: %+v", merged)
	}
	if merged := Merge(&newer, older); !merged.Newer || merged.Agreed {
		t.Errorf("a newer status was merged: %+v", merged)
	}
}

func TestFromStatus(t *testing.T) {
	cases := map[string]struct {
		reason string
		status v1alpha1.ChromaStatus
		want   *Record
	}{
		"Nothing": {
			reason: "A new Chroma has no record.",
			status: v1alpha1.ChromaStatus{DataVersion: "1.5.9"},
		},
		"Empty": {
			reason: "A Chroma whose claim is empty has one that says so.",
			status: v1alpha1.ChromaStatus{DataRecord: uid + "/0"},
			want:   new(known(t, 0)),
		},
		"Whole": {
			reason: "Everything that we write.",
			status: v1alpha1.ChromaStatus{
				DataRecord: uid + "/12", DataSchema: 1, DataVersion: "1.5.9", DataProduct: "chroma",
				DataVersions:       map[v1alpha1.Product]string{"chroma": "1.5.9", "vecturadb": "1.0.0-preview.3"},
				DataVersionUnknown: true, DataVersionUnknownIncident: "abcd2345-12", DataIncidentsSettled: []string{"wxyz2345-7"},
				RecoveryImage: "c:1.5.9",
			},
			want: new(recovering(unknown(known(t, 12, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), "abcd2345-12", "wxyz2345-7"), "c:1.5.9")),
		},
		"UnknownWithoutCode": {
			reason: "Unknown is unknown; a code is derived.",
			status: v1alpha1.ChromaStatus{DataRecord: uid + "/3", DataVersion: "1.5.9", DataVersionUnknown: true},
			want:   new(unknown(known(t, 3, "chroma 1.5.9"), "*")),
		},
		"GarbageNumber": {
			reason: "The claim in use is still known.",
			status: v1alpha1.ChromaStatus{DataRecord: "12", ClaimUID: uid, DataVersion: "1.5.9"},
			want:   new(unknown(known(t, 0, "chroma 1.5.9"), "*")),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := FromStatus(tc.status)
			if tc.want != nil && tc.want.Incident == "*" && got != nil && isCode(got.Incident) {
				tc.want.Incident = got.Incident
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFromStatus(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAnnotationsAreAlwaysAllThere(t *testing.T) {
	want := annotations("data-record", uid+"/1", "data-schema", "1", "data-version", "1.5.9", "data-product", "chroma",
		"data-versions", "chroma=1.5.9", "data-ahead", "", "data-version-unknown", "", "data-incidents-settled", "", "recovery-image", "")
	if diff := cmp.Diff(want, known(t, 1, "chroma 1.5.9").Annotations()); diff != "" {
		t.Errorf("An annotation that is left out stays when another manager wrote it: -want, +got:\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	type want struct {
		Record Record
		Agreed bool
	}
	cases := map[string]struct {
		reason string
		status *Record
		claim  Record
		want   want
	}{
		"FirstPass": {
			reason: "Without a record in the status the claim's counts: a Chroma created again knows everything.",
			claim:  known(t, 7, "chroma 1.5.9"),
			want:   want{Record: known(t, 7, "chroma 1.5.9")},
		},
		"Agreed": {
			reason: "Both places hold it: what it covers may start.",
			status: new(known(t, 7, "chroma 1.5.9")), claim: known(t, 7, "chroma 1.5.9"),
			want: want{Record: known(t, 7, "chroma 1.5.9"), Agreed: true},
		},
		"NoImageInStatus": {
			reason: "A definition that is older than the field keeps the recovery image out of the status, and out of nothing else.",
			status: new(known(t, 7, "chroma 1.5.9")), claim: known(t, 6, "chroma 1.5.9").WithRecoveryImage("docker.io/chromadb/chroma:1.5.9"),
			want: want{Record: known(t, 6, "chroma 1.5.9").WithRecoveryImage("docker.io/chromadb/chroma:1.5.9"), Agreed: true},
		},
		"ClaimAhead": {
			reason: "The status is written last, and a crash can come before it.",
			status: new(known(t, 7, "chroma 1.5.8")), claim: known(t, 8, "chroma 1.5.9"),
			want: want{Record: known(t, 8, "chroma 1.5.9")},
		},
		"StatusAhead": {
			reason: "The provider has not written the claim yet.",
			status: new(known(t, 8, "chroma 1.5.9")), claim: known(t, 7, "chroma 1.5.8"),
			want: want{Record: known(t, 8, "chroma 1.5.9")},
		},
		"HigherSerialIsNotHigherVersion": {
			reason: "The serial counts, not the content: a declaration ends an incident that the older record still has.",
			status: new(known(t, 8, "chroma 1.5.9")), claim: unknown(known(t, 7, "chroma 1.5.9"), "abcd2345-7"),
			want: want{Record: known(t, 8, "chroma 1.5.9")},
		},
		"SameSerialHigherVersion": {
			reason: "The record that says more counts, with a serial that says that it is another one.",
			status: new(known(t, 7, "chroma 1.5.8")), claim: known(t, 7, "chroma 1.5.9"),
			want: want{Record: known(t, 8, "chroma 1.5.9")},
		},
		"SameSerialUnknown": {
			reason: "Whoever says unknown may be right.",
			status: new(known(t, 7, "chroma 1.5.9")), claim: unknown(known(t, 7, "chroma 1.5.8"), "abcd2345-7"),
			want: want{Record: unknown(known(t, 8, "chroma 1.5.9"), "abcd2345-7")},
		},
		"SameSerialOtherProducts": {
			reason: "Versions of two products are not compared.",
			status: new(known(t, 7, "chroma 1.5.9")), claim: known(t, 7, "vecturadb 1.0.0-preview.3"),
			want: want{Record: unknown(known(t, 8, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), "*")},
		},
		"SameSerialTwoIncidents": {
			reason: "A declaration for one incident does not end the other: they become a third.",
			status: new(unknown(known(t, 7, "chroma 1.5.9"), "abcd2345-6")), claim: unknown(known(t, 7, "chroma 1.5.9"), "wxyz2345-7"),
			want: want{Record: unknown(known(t, 8, "chroma 1.5.9"), "*")},
		},
		"SameSerialNothingRan": {
			reason: "An empty record contradicts nothing.",
			status: new(known(t, 0)), claim: known(t, 0, "chroma 1.5.9"),
			want: want{Record: known(t, 1, "chroma 1.5.9")},
		},
		"SameSerialSettled": {
			reason: "Both settlements stay.",
			status: new(settled(known(t, 7, "chroma 1.5.9"), "wxyz2345-5")), claim: settled(known(t, 7, "chroma 1.5.9"), "abcd2345-6"),
			want: want{Record: settled(known(t, 8, "chroma 1.5.9"), "abcd2345-6", "wxyz2345-5")},
		},
		"SameSerialRecovery": {
			reason: "The recovery image of the newer data is the newer one.",
			status: new(recovering(known(t, 7, "chroma 1.5.9"), "c:1.5.9")), claim: recovering(known(t, 7, "chroma 1.5.10"), "c:1.5.10"),
			want: want{Record: recovering(known(t, 8, "chroma 1.5.10"), "c:1.5.10")},
		},
		"AnotherClaim": {
			reason: "Records of different claims are never compared, whatever their serials.",
			status: new(Record{ClaimUID: other, Serial: 99, Schema: Schema}.Raise(version(t, "chroma 1.9.0"))),
			claim:  known(t, 2, "chroma 1.5.9"),
			want:   want{Record: known(t, 2, "chroma 1.5.9")},
		},
		"AnotherClaimWithoutRecord": {
			reason: "The status of another claim does not make this one known.",
			status: new(Record{ClaimUID: other, Serial: 99, Schema: Schema}.Raise(version(t, "chroma 1.5.9"))),
			claim:  FromAnnotations(uid, nil),
			want:   want{Record: unknown(known(t, 0), "*")},
		},
		"ClaimStripped": {
			reason: "Annotations removed by hand lose nothing while the status has the record.",
			status: new(known(t, 7, "chroma 1.5.9")), claim: FromAnnotations(uid, nil),
			want: want{Record: known(t, 7, "chroma 1.5.9")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			merged := Merge(tc.status, tc.claim)
			if tc.want.Record.Incident == "*" && isCode(merged.Record.Incident) {
				tc.want.Record.Incident = merged.Record.Incident
			}
			if diff := cmp.Diff(tc.want, want{Record: merged.Record, Agreed: merged.Agreed}); diff != "" {
				t.Errorf("\n%s\nMerge(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMergeWithWhatIsOnItsWay(t *testing.T) {
	both := Merged{Record: known(t, 7, "chroma 1.5.8"), Agreed: true}
	newer := known(t, 6, "chroma 1.5.9")
	newer.Schema = Schema + 1
	other := known(t, 9, "chroma 1.5.9")
	other.ClaimUID = "another"
	imaged := both
	imaged.Record.RecoveryImage = "docker.io/chromadb/chroma:1.5.8"
	cases := map[string]struct {
		reason   string
		merged   Merged
		onItsWay Record
		want     Merged
	}{
		"Same":         {"What has arrived changes nothing.", both, known(t, 7, "chroma 1.5.8"), both},
		"Behind":       {"A record with a lower number was there before.", both, known(t, 6, "chroma 1.5.9"), both},
		"Ahead":        {"What a pass has recorded counts, also when the pass ended before its status was written.", both, known(t, 8, "chroma 1.5.9"), Merged{Record: known(t, 8, "chroma 1.5.9")}},
		"Incident":     {"So does what it did not understand.", both, unknown(known(t, 8, "chroma 1.5.8"), "abcd2345-8"), Merged{Record: unknown(known(t, 8, "chroma 1.5.8"), "abcd2345-8")}},
		"Imageless":    {"A status whose definition is older than the recovery image does not say that there is none.", both, imaged.Record, imaged},
		"AnotherClaim": {"A record of another claim does not count at all.", both, other, both},
		"NewerOnWay":   {"A newer function wrote it: everything is kept.", both, newer, Merged{Record: newer, Newer: true}},
		"NewerThere":   {"What a newer function wrote stays.", Merged{Record: newer, Newer: true}, known(t, 8, "chroma 1.5.9"), Merged{Record: newer, Newer: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.merged.With(tc.onItsWay)); diff != "" {
				t.Errorf("\n%s\nWith(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRaise(t *testing.T) {
	cases := map[string]struct {
		reason  string
		record  Record
		version string
		want    Record
	}{
		"First":        {"The first server is recorded before it starts.", known(t, 0), "chroma 1.5.9", ahead(known(t, 1, "chroma 1.5.9"), v1alpha1.Product("chroma"))},
		"Newer":        {"The highest version counts.", known(t, 1, "chroma 1.5.8"), "chroma 1.5.9", ahead(known(t, 2, "chroma 1.5.9"), v1alpha1.Product("chroma"))},
		"Same":         {"No change, no serial.", known(t, 1, "chroma 1.5.9"), "chroma 1.5.9", known(t, 1, "chroma 1.5.9")},
		"Older":        {"A downgrade lowers nothing.", known(t, 1, "chroma 1.5.9"), "chroma 1.5.8", known(t, 1, "chroma 1.5.9")},
		"OtherProduct": {"Both products keep their highest version.", known(t, 1, "chroma 1.5.9"), "vecturadb 1.0.0-preview.3", ahead(known(t, 2, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), v1alpha1.Product("vecturadb"))},
		"Return":       {"Only the last product changes.", known(t, 2, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), "chroma 1.5.9", known(t, 3, "vecturadb 1.0.0-preview.3", "chroma 1.5.9")},
		"Unknown":      {"Raising ends no incident.", unknown(known(t, 2, "chroma 1.5.8"), "abcd2345-2"), "chroma 1.5.9", ahead(unknown(known(t, 3, "chroma 1.5.9"), "abcd2345-2"), v1alpha1.Product("chroma"))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(tc.record.Versions)
			got := tc.record.Raise(version(t, tc.version))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRaise(%s): -want, +got:\n%s", tc.reason, tc.version, diff)
			}
			if diff := cmp.Diff(before, tc.record.Versions); diff != "" {
				t.Errorf("Raise changed the record it was called on:\n%s", diff)
			}
			if covered := got.Covers(version(t, tc.version)); covered == got.Unknown {
				t.Errorf("Covers(%s) after Raise: %v", tc.version, covered)
			}
		})
	}
}

func TestOpened(t *testing.T) {
	cases := map[string]struct {
		reason  string
		record  Record
		version string
		want    Record
	}{
		"Ahead":  {"A Pod that is ready has opened the data with the version that was recorded ahead.", ahead(known(t, 1, "chroma 1.5.9"), "chroma"), "chroma 1.5.9", known(t, 2, "chroma 1.5.9")},
		"Before": {"The old Pod, still ready while the new version is recorded, says nothing of it.", ahead(known(t, 1, "chroma 1.5.9"), "chroma"), "chroma 1.5.8", ahead(known(t, 1, "chroma 1.5.9"), "chroma")},
		"Again":  {"No change, no serial.", known(t, 2, "chroma 1.5.9"), "chroma 1.5.9", known(t, 2, "chroma 1.5.9")},
		"Other":  {"Each product has its own.", ahead(known(t, 2, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), "vecturadb"), "chroma 1.5.9", ahead(known(t, 2, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), "vecturadb")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.record.Opened(version(t, tc.version))); diff != "" {
				t.Errorf("\n%s\nOpened(%s): -want, +got:\n%s", tc.reason, tc.version, diff)
			}
		})
	}
}

func TestCovers(t *testing.T) {
	r := known(t, 3, "vecturadb 1.0.0-preview.3", "chroma 1.5.9")
	for title, want := range map[string]bool{
		"chroma 1.5.9":              true,
		"chroma 1.5.8":              true,
		"chroma 1.5.10":             false,
		"vecturadb 1.0.0-preview.3": false, // The record has to say first that it runs again.
	} {
		if got := r.Covers(version(t, title)); got != want {
			t.Errorf("Covers(%s): want %v, got %v", title, want, got)
		}
	}
}

func TestIncidents(t *testing.T) {
	const pod, image = "pod-1", "docker.io/chromadb/chroma:latest"
	incident := Incident(uid, pod, image)
	if again := Incident(uid, pod, image); again != incident {
		t.Errorf("the same pair has two identities: %s, %s", incident, again)
	}
	for name, another := range map[string]string{
		"Claim": Incident(other, pod, image), "Pod": Incident(uid, "pod-2", image), "Image": Incident(uid, pod, "c:dev"),
		"Border": Incident(uid, pod+"d", image[1:]),
	} {
		if another == incident {
			t.Errorf("another %s has the same identity %s", name, incident)
		}
	}

	first := known(t, 3, "chroma 1.5.9").MarkUnknown(incident)
	if !first.Unknown || first.Incident != incident+"-4" || first.Serial != 4 {
		t.Fatalf("an incident makes the version unknown: %+v", first)
	}
	if diff := cmp.Diff(first, first.MarkUnknown(incident)); diff != "" {
		t.Errorf("the next pass raises the same incident again: -want, +got:\n%s", diff)
	}
	ended := first.Declare("1.5.9/" + first.Incident).Record
	if ended.Unknown || !ended.IsSettled(incident) {
		t.Fatalf("a declaration settles the pair: %+v", ended)
	}
	if diff := cmp.Diff(ended, ended.MarkUnknown(incident)); diff != "" {
		t.Errorf("a settled pair is no incident while its Pod still runs: -want, +got:\n%s", diff)
	}
	second := ended.MarkUnknown(Incident(uid, pod, "c:dev"))
	third := second.MarkUnknown(incident)
	if third.Incident == first.Incident || third.Incident == second.Incident || !third.IsOpen(incident) {
		t.Errorf("the pair that comes back after another one is another incident: %s, %s, %s", first.Incident, second.Incident, third.Incident)
	}
	if d := third.Declare("1.5.9/" + first.Incident); d.Ended {
		t.Errorf("an old declaration ended a later incident: %+v", d)
	}
}

func TestObserve(t *testing.T) {
	v := func(title string) compatibility.Version { return version(t, title) }
	cases := map[string]struct {
		reason string
		record Record
		seen   Sighting
		want   Record // with the incident "*": that of the sighting
	}{
		"NewerVersion": {
			reason: "A hand edit to a newer exact version raises the ledger.",
			record: known(t, 3, "chroma 1.5.8"), seen: Sighting{Version: v("chroma 1.5.9")},
			want: ahead(known(t, 4, "chroma 1.5.9"), v1alpha1.Product("chroma")),
		},
		"OlderVersion": {
			reason: "An older one changes nothing: the highest counts.",
			record: known(t, 3, "chroma 1.5.9"), seen: Sighting{Version: v("chroma 1.5.8")},
			want: known(t, 3, "chroma 1.5.9"),
		},
		"NoVersion": {
			reason: "An image without a version makes the version unknown.",
			record: known(t, 3, "chroma 1.5.9"), seen: Sighting{},
			want: unknown(known(t, 4, "chroma 1.5.9"), "*"),
		},
		"OtherProduct": {
			reason: "To another product by hand is an incident, even along a passage, and what is known of it is kept.",
			record: known(t, 3, "chroma 1.5.9"), seen: Sighting{Version: v("vecturadb 1.0.0-preview.3")},
			want: ahead(unknown(known(t, 4, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), "*"), v1alpha1.Product("vecturadb")),
		},
		"AlongAPassage": {
			reason: "Within VecturaDB a passage that is known raises the ledger.",
			record: known(t, 3, "vecturadb 1.0.0-preview.2"), seen: Sighting{Version: v("vecturadb 1.0.0-preview.3")},
			want: ahead(known(t, 4, "vecturadb 1.0.0-preview.3"), v1alpha1.Product("vecturadb")),
		},
		"AlongNoPassage": {
			reason: "Within VecturaDB a passage that nobody has tried is an incident.",
			record: known(t, 3, "vecturadb 1.0.0-preview.3"), seen: Sighting{Version: v("vecturadb 1.0.0-preview.4")},
			want: ahead(unknown(known(t, 4, "vecturadb 1.0.0-preview.4"), "*"), v1alpha1.Product("vecturadb")),
		},
		"NewerChromaOnDataOfVecturaDB": {
			reason: "Only Chroma 1.5.9 was tried on such data.",
			record: known(t, 3, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), seen: Sighting{Version: v("chroma 1.5.10")},
			want: ahead(unknown(known(t, 4, "vecturadb 1.0.0-preview.3", "chroma 1.5.10"), "*"), v1alpha1.Product("chroma")),
		},
		"Unwitnessed": {
			reason: "The wanted image again, after somebody else owned it and the container restarted.",
			record: known(t, 3, "chroma 1.5.9"), seen: Sighting{Version: v("chroma 1.5.9"), Unwitnessed: true},
			want: unknown(known(t, 4, "chroma 1.5.9"), "*"),
		},
		"NewerWhileUnknown": {
			reason: "What is learned is kept, and the open incident stays open.",
			record: unknown(known(t, 3, "chroma 1.5.8"), "abcd2345-3"), seen: Sighting{Version: v("chroma 1.5.9")},
			want: ahead(unknown(known(t, 4, "chroma 1.5.9"), "abcd2345-3"), v1alpha1.Product("chroma")),
		},
		"FirstOnNewData": {
			reason: "On new data any exact version is only a version.",
			record: known(t, 0), seen: Sighting{Version: v("vecturadb 1.0.0-preview.4")},
			want: ahead(known(t, 1, "vecturadb 1.0.0-preview.4"), v1alpha1.Product("vecturadb")),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.seen.PodUID, tc.seen.Image = "pod-1", "image-of-"+name
			if tc.want.Incident == "*" {
				tc.want.Incident = code(Incident(uid, tc.seen.PodUID, tc.seen.Image), tc.want.Serial)
			}
			got := tc.record.Observe(tc.seen)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nObserve(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(got, got.Observe(tc.seen)); diff != "" {
				t.Errorf("\n%s\nObserve(...) a second time: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestASettledSightingIsNotObservedAgain(t *testing.T) {
	seen := Sighting{PodUID: "pod-1", Image: "v:1.0.0-preview.3", Version: version(t, "vecturadb 1.0.0-preview.3")}
	r := known(t, 3, "chroma 1.5.9").Observe(seen)
	d := r.Declare("chroma:1.5.9/" + r.Incident)
	if !d.Ended {
		t.Fatalf("a person's word about the last product counts: %s", d.Message)
	}
	if diff := cmp.Diff(d.Record, d.Record.Observe(seen)); diff != "" {
		t.Errorf("The Pod still runs, and a person has said what it did: -want, +got:\n%s", diff)
	}
}

func TestDeclare(t *testing.T) {
	const incident = "abcd2345-4"
	open := unknown(known(t, 4, "chroma 1.5.8"), incident)
	vectura := unknown(known(t, 4, "chroma 1.5.9", "vecturadb 1.0.0-preview.2"), incident)
	cases := map[string]struct {
		reason string
		record Record
		value  string
		want   Record // of an incident that ended; the zero Record: nothing changes
		spent  bool
		says   string
	}{
		"Ends":                 {reason: "The version and the code end the incident.", record: open, value: "1.5.9/" + incident, want: settled(known(t, 5, "chroma 1.5.9"), incident)},
		"KnownVersion":         {reason: "Nothing newer has run.", record: open, value: "1.5.8/" + incident, want: settled(known(t, 5, "chroma 1.5.8"), incident)},
		"BelowKnown":           {reason: "The record never falls.", record: open, value: "1.5.7/" + incident, says: "Chroma 1.5.8 is known to have run"},
		"OldIncident":          {reason: "A declaration names one incident.", record: open, value: "1.5.9/abcd2345-3", says: "the open one is " + incident},
		"NoCode":               {reason: "Without a code it could mean any.", record: open, value: "1.5.9", says: "<version>/" + incident},
		"NoVersion":            {reason: "latest is no version.", record: open, value: "latest/" + incident, says: "no exact version of Chroma"},
		"Placeholder":          {reason: "Somebody copied the command as it stands.", record: open, value: "<x.y.z>/" + incident, says: "no exact version"},
		"PythonServer":         {reason: "No Chroma 0.x can have run here.", record: open, value: "0.6.3/" + incident, says: "no exact version"},
		"Preview":              {reason: "A preview is of VecturaDB.", record: open, value: "1.0.0-preview.3/" + incident, want: settled(known(t, 5, "chroma 1.5.8", "vecturadb 1.0.0-preview.3"), incident)},
		"PreviewBelowKnown":    {reason: "VecturaDB's own highest version does not fall either.", record: vectura, value: "1.0.0-preview.1/" + incident, says: "preview.2 is known"},
		"PlainAfterVecturaDB":  {reason: "x.y.z could be either product, and a guess would be written for good.", record: vectura, value: "1.5.9/" + incident, says: "chroma:1.5.9/" + incident},
		"ProductAfterVectura":  {reason: "The product can be said.", record: vectura, value: "chroma:1.5.9/" + incident, want: settled(known(t, 5, "vecturadb 1.0.0-preview.2", "chroma 1.5.9"), incident)},
		"ReleaseOfVecturaDB":   {reason: "The product can be said.", record: open, value: "vecturadb:1.0.0/" + incident, want: settled(known(t, 5, "chroma 1.5.8", "vecturadb 1.0.0"), incident)},
		"UnknownProduct":       {reason: "A product is one of two.", record: open, value: "Chroma:1.5.9/" + incident, says: "is no product"},
		"PreviewOfChroma":      {reason: "Chroma has no previews.", record: open, value: "chroma:1.0.0-preview.3/" + incident, says: "no exact version of Chroma"},
		"Known":                {reason: "Nothing is open: the annotation has done its work.", record: known(t, 5, "chroma 1.5.9"), value: "1.5.9/" + incident, spent: true, says: "can be removed"},
		"KnownAndMalformed":    {reason: "Nothing is open, whatever it says.", record: known(t, 5, "chroma 1.5.9"), value: "x", spent: true, says: "can be removed"},
		"None":                 {reason: "There is no declaration.", record: open, value: ""},
		"WithoutAnyKnowledge":  {reason: "A claim of others gets its first version.", record: unknown(known(t, 0), incident), value: "1.5.9/" + incident, want: settled(known(t, 1, "chroma 1.5.9"), incident)},
		"OfTheOriginalService": {reason: "A code of the original operator is as good.", record: unknown(known(t, 0, "chroma 1.5.9"), "Inc-42"), value: "1.5.9/Inc-42", want: settled(known(t, 1, "chroma 1.5.9"), "Inc-42")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := tc.record.Declare(tc.value)
			ended := tc.want.ClaimUID != ""
			if !ended {
				tc.want = tc.record
			}
			want := Declaration{Record: tc.want, Ended: ended, Spent: tc.spent, Message: d.Message}
			if diff := cmp.Diff(want, d); diff != "" {
				t.Errorf("\n%s\nDeclare(%q): -want, +got:\n%s", tc.reason, tc.value, diff)
			}
			if !strings.Contains(d.Message, tc.says) || (d.Message == "") != (tc.says == "") {
				t.Errorf("\n%s\nDeclare(%q): want a message with %q, got %q", tc.reason, tc.value, tc.says, d.Message)
			}
		})
	}
}

func TestARecoveryImageNeedsDataItCanServe(t *testing.T) {
	if got := known(t, 0).WithRecoveryImage("c:1.5.9"); got.RecoveryImage != "" || got.Serial != 0 {
		t.Errorf("nothing has run, and yet there is a recovery image: %+v", got)
	}
	want := recovering(known(t, 2, "chroma 1.5.9"), "c:1.5.9")
	got := known(t, 1, "chroma 1.5.9").WithRecoveryImage("c:1.5.9")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("WithRecoveryImage(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(got, got.WithRecoveryImage("c:1.5.9")); diff != "" {
		t.Errorf("WithRecoveryImage(...) a second time: -want, +got:\n%s", diff)
	}
}

// TestStatusFields: a record that is written into a status is there whole under these names, and nothing else is.
func TestStatusFields(t *testing.T) {
	full := v1alpha1.ChromaStatus{}
	Record{
		ClaimUID: "a", Serial: 1, Last: v1alpha1.ProductChroma, Versions: map[v1alpha1.Product]compatibility.Version{v1alpha1.ProductChroma: version(t, "chroma 1.5.9")},
		Ahead: []v1alpha1.Product{v1alpha1.ProductChroma}, Unknown: true, Incident: "b", Settled: []string{"c"}, Schema: Schema,
	}.WriteStatus(&full)
	raw, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]any{}
	if err := json.Unmarshal(raw, &written); err != nil {
		t.Fatal(err)
	}
	got, want := slices.Sorted(maps.Keys(written)), slices.Sorted(slices.Values(StatusFields()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the fields of a written record: -want, +got:\n%s", diff)
	}
}
