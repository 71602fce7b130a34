package compatibility

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

const (
	chromaDB  = v1alpha1.ProductChroma
	vecturaDB = v1alpha1.ProductVecturaDB
)

func version(t testing.TB, title string) Version {
	t.Helper()
	product, text, _ := strings.Cut(title, " ")
	v, err := ParseVersion(v1alpha1.Product(product), text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// data of versions written "chroma 1.5.9", the one that ran last at the end.
func data(t testing.TB, titles ...string) Data {
	t.Helper()
	d := Data{Versions: map[v1alpha1.Product]Version{}}
	for _, title := range titles {
		v := version(t, title)
		d.Versions[v.Product], d.Last = v, v.Product
	}
	return d
}

func TestJudge(t *testing.T) {
	consent := Annotation{Key: v1alpha1.AnnotationAllowProductChange, Value: "true"}
	downgrade := Annotation{Key: v1alpha1.AnnotationAllowDowngrade, Value: "true"}
	format := func(to string) Annotation {
		return Annotation{Key: v1alpha1.AnnotationAllowFormatDowngrade, Value: to}
	}
	all := func(to string) Overrides {
		return Overrides{AllowDowngrade: "true", AllowFormatDowngrade: to, AllowProductChange: "true"}
	}
	type want struct {
		Allowed  bool
		Reason   reason.Reason
		Needed   []Annotation
		Unneeded []Annotation
		Tried    bool
	}
	cases := map[string]struct {
		reason    string
		data      Data
		wanted    string
		overrides Overrides
		want      want
		says      []string
	}{
		"NewDataTakesAnyVersion": {
			reason: "On an empty volume there is nothing that a version could fail to read.",
			wanted: "vecturadb 1.0.0-preview.9",
			want:   want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"NewDataNeedsNoOverride": {
			reason:    "An override that lies about would allow the next downgrade, so it is listed for removal.",
			wanted:    "chroma 1.5.9",
			overrides: all("1.4.1"),
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true,
				Unneeded: []Annotation{consent, downgrade, format("1.4.1")}},
		},
		"UnknownDataTakesNothing": {
			reason:    "What cannot be compared is not opened, whatever the annotations say.",
			data:      Data{Unknown: true, Incident: "abcd2345-7", Last: chromaDB, Versions: data(t, "chroma 1.5.9").Versions},
			wanted:    "chroma 1.5.9",
			overrides: all("1.5.9"),
			want: want{Reason: reason.DataVersionUnknown, Tried: true,
				Needed: []Annotation{{Key: v1alpha1.AnnotationDeclaredDataVersion, Value: "<x.y.z>/abcd2345-7"}}},
			says: []string{"abcd2345-7", v1alpha1.AnnotationDeclaredDataVersion},
		},
		"UnknownDataOfVecturaDB": {
			reason: "After VecturaDB a plain x.y.z could be of either product, so the product has to be said.",
			data:   Data{Unknown: true, Incident: "abcd2345-7", Last: vecturaDB},
			wanted: "chroma 1.5.9",
			want: want{Reason: reason.DataVersionUnknown, Tried: true,
				Needed: []Annotation{{Key: v1alpha1.AnnotationDeclaredDataVersion, Value: "<product>:<x.y.z>/abcd2345-7"}}},
		},
		"SameVersion": {
			reason: "A server opens its own data.",
			data:   data(t, "chroma 1.2.1"), wanted: "chroma 1.2.1",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"NewerWithinFormat": {
			reason: "Every tried upgrade kept the data.",
			data:   data(t, "chroma 1.5.0"), wanted: "chroma 1.5.9",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"NewerThanTheTable": {
			reason: "An upgrade of Chroma is allowed even to a version that nobody has tried, and says so.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.6.0",
			want: want{Allowed: true, Reason: reason.VersionAllowed},
		},
		"NumbersAreComparedNotText": {
			reason: "1.0.10 is newer than 1.0.9.",
			data:   data(t, "chroma 1.0.9"), wanted: "chroma 1.0.10",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"OlderWithinFormat": {
			reason: "An older version of the same format is refused until a person allows it.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.5.8",
			want: want{Reason: reason.Downgrade, Needed: []Annotation{downgrade}, Tried: true},
			says: []string{"1.5.8", "1.5.9", "the data format C", v1alpha1.AnnotationAllowDowngrade},
		},
		"OlderWithinFormatAllowed": {
			reason: "Inside one format the first annotation is enough, and it stays needed while the older version is wanted.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.5.8", overrides: Overrides{AllowDowngrade: "true"},
			want: want{Allowed: true, Reason: reason.DowngradeAllowed, Tried: true},
		},
		"OnlyTheExactValueCounts": {
			reason: "True, yes and 1 are not true.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.5.8", overrides: Overrides{AllowDowngrade: "True"},
			want: want{Reason: reason.Downgrade, Needed: []Annotation{downgrade}, Tried: true},
			says: []string{`"True"`, `only "true"`},
		},
		"OlderAcrossABorder": {
			reason: "1.4.1 opens data of 1.5.9, but answers 400 for collections with arrays in metadata.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.4.1",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.4.1")}, Tried: true},
			says: []string{"the data format C", "the data format B", "error 400"},
		},
		"OneAnnotationIsNotEnoughAcrossABorder": {
			reason: "allow-downgrade is a word for versions that share a format.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.4.1", overrides: Overrides{AllowDowngrade: "true"},
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{format("1.4.1")}, Tried: true},
		},
		"TheSecondAnnotationNamesTheVersion": {
			reason: "Permission to go back to 1.4.0 is none for 1.4.1.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.4.1", overrides: all("1.4.0"),
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{format("1.4.1")}, Unneeded: []Annotation{consent}, Tried: true},
			says: []string{`"1.4.0"`, `only "1.4.1"`},
		},
		"BothAnnotationsAllowTheBorder": {
			reason: "A person who names the very version knows what will happen.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.4.1",
			overrides: Overrides{AllowDowngrade: "true", AllowFormatDowngrade: "1.4.1"},
			want:      want{Allowed: true, Reason: reason.DowngradeAllowed, Tried: true},
			says:      []string{"error 400"},
		},
		"FormatBToAPanics": {
			reason: "The message says that the server will not start.",
			data:   data(t, "chroma 1.3.1"), wanted: "chroma 1.1.1",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.1.1")}, Tried: true},
			says: []string{"panics"},
		},
		"TheDangerousOne": {
			reason: "1.2.2 opens newer data without a message and searches by another distance.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.2.2",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.2.2")}},
			says: []string{"cosine", "l2"},
		},
		"ItsNeighbourPanics": {
			reason: "1.2.1 still checks the migrations.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.2.1",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.2.1")}},
			says: []string{"panics"},
		},
		"A2ToA1": {
			reason: "The migrations are the same, the configurations of collections are not.",
			data:   data(t, "chroma 1.2.0"), wanted: "chroma 1.1.1",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.1.1")}},
			says: []string{"error 500"},
		},
		"BackFromAVersionNewerThanTheTable": {
			reason: "A version newer than the table is a format of its own.",
			data:   data(t, "chroma 1.5.10"), wanted: "chroma 1.5.9",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.5.9")}},
			says: []string{"a data format that is not known", "not tried"},
		},
		"TwoUnknownFormatsAreNotOne": {
			reason: "Not knowing two formats does not make them the same.",
			data:   data(t, "chroma 1.6.1"), wanted: "chroma 1.6.0", overrides: Overrides{AllowDowngrade: "true"},
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{format("1.6.0")}},
		},
		"OverrideThatIsNoLongerNeeded": {
			reason: "It has done its work, and would allow the next downgrade unasked.",
			data:   data(t, "chroma 1.5.9"), wanted: "chroma 1.5.9", overrides: Overrides{AllowDowngrade: "true"},
			want: want{Allowed: true, Reason: reason.VersionAllowed, Unneeded: []Annotation{downgrade}, Tried: true},
		},
		"FromChromaToVecturaDB": {
			reason: "A passage of the table.",
			data:   data(t, "chroma 1.5.9"), wanted: "vecturadb 1.0.0-preview.3",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"FromAnotherChromaToVecturaDB": {
			reason: "Nobody has tried it, and no annotation helps.",
			data:   data(t, "chroma 1.5.8"), wanted: "vecturadb 1.0.0-preview.3", overrides: all("1.0.0-preview.3"),
			want: want{Reason: reason.ProductChangeNotKnown},
			says: []string{"starts from Chroma 1.5.9"},
		},
		"ToAnUnknownVecturaDB": {
			reason: "Nobody has tried it.",
			data:   data(t, "chroma 1.5.9"), wanted: "vecturadb 1.0.0-preview.4",
			want: want{Reason: reason.ProductChangeNotKnown},
			says: []string{"VecturaDB 1.0.0-preview.2 and VecturaDB 1.0.0-preview.3"},
		},
		"UpgradeOfVecturaDB": {
			reason: "A passage of the table, on data born with VecturaDB.",
			data:   data(t, "vecturadb 1.0.0-preview.2"), wanted: "vecturadb 1.0.0-preview.3",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"UpgradeOfVecturaDBNotKnown": {
			reason: "Within VecturaDB a newer number says nothing.",
			data:   data(t, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), wanted: "vecturadb 1.0.0-preview.4", overrides: all("1.0.0-preview.4"),
			want: want{Reason: reason.UpgradeNotKnown},
		},
		"OlderVecturaDB": {
			reason: "Every preview is a format of its own on the way back.",
			data:   data(t, "vecturadb 1.0.0-preview.3"), wanted: "vecturadb 1.0.0-preview.2",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.0.0-preview.2")}},
		},
		"BackToChroma": {
			reason: "Needs consent, since Chroma does not read everything.",
			data:   data(t, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), wanted: "chroma 1.5.9",
			want: want{Reason: reason.ProductChange, Needed: []Annotation{consent}, Tried: true},
			says: []string{"sparse vectors", "BM25", v1alpha1.AnnotationAllowProductChange},
		},
		"BackToChromaAllowed": {
			reason: "The way back was tried from preview.2 as well.",
			data:   data(t, "vecturadb 1.0.0-preview.2"), wanted: "chroma 1.5.9", overrides: Overrides{AllowProductChange: "true"},
			want: want{Allowed: true, Reason: reason.ProductChangeAllowed, Tried: true},
			says: []string{"Do not write with Chroma"},
		},
		"WhileChromaRunsOnSuchData": {
			reason: "The explanation stays, the consent has done its work.",
			data:   data(t, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), wanted: "chroma 1.5.9", overrides: Overrides{AllowProductChange: "true"},
			want: want{Allowed: true, Reason: reason.ProductChangeAllowed, Unneeded: []Annotation{consent}, Tried: true},
			says: []string{"Do not write with Chroma"},
		},
		"BackToAnotherChroma": {
			reason: "Only 1.5.9 was tried, and permission for a downgrade is none for a passage.",
			data:   data(t, "chroma 1.5.9", "vecturadb 1.0.0-preview.3"), wanted: "chroma 1.5.8", overrides: all("1.5.8"),
			want: want{Reason: reason.ProductChangeNotKnown, Tried: false},
			says: []string{"Chroma 1.5.9"},
		},
		"OlderChromaAfterTheWayBack": {
			reason: "The detour over 1.5.9 does not open what is closed directly.",
			data:   data(t, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), wanted: "chroma 1.5.8", overrides: all("1.5.8"),
			want: want{Reason: reason.ProductChangeNotKnown},
		},
		"NewerChromaAfterTheWayBack": {
			reason: "Nobody has tried a newer Chroma on data of VecturaDB either.",
			data:   data(t, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), wanted: "chroma 1.5.10",
			want: want{Reason: reason.ProductChangeNotKnown},
		},
		"BackBelowItsOwnHighestVersion": {
			reason: "Who returns to Chroma below its highest version needs consent to both.",
			data:   data(t, "chroma 1.5.10", "vecturadb 1.0.0-preview.3"), wanted: "chroma 1.5.9",
			want: want{Reason: reason.ProductChange, Needed: []Annotation{consent, downgrade, format("1.5.9")}},
			says: []string{"1.5.10", "sparse vectors"},
		},
		"BackBelowItsOwnHighestVersionHalfAllowed": {
			reason: "With the consent to the product the rest is a downgrade.",
			data:   data(t, "chroma 1.5.10", "vecturadb 1.0.0-preview.3"), wanted: "chroma 1.5.9", overrides: Overrides{AllowProductChange: "true"},
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.5.9")}},
		},
		"BackBelowItsOwnHighestVersionAllowed": {
			reason: "All three together allow it.",
			data:   data(t, "chroma 1.5.10", "vecturadb 1.0.0-preview.3"), wanted: "chroma 1.5.9", overrides: all("1.5.9"),
			want: want{Allowed: true, Reason: reason.ProductChangeAllowed},
			says: []string{"sparse vectors", "1.5.10"},
		},
		"BelowItsOwnHighestVersionWhileChromaRuns": {
			reason: "Chroma runs on the data of VecturaDB already: only the downgrade is new.",
			data:   data(t, "vecturadb 1.0.0-preview.3", "chroma 1.5.10"), wanted: "chroma 1.5.9",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.5.9")}},
		},
		"AgainToVecturaDB": {
			reason: "Back to VecturaDB the data goes along the table.",
			data:   data(t, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), wanted: "vecturadb 1.0.0-preview.3",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"AgainToAnOlderVecturaDB": {
			reason: "The passage from Chroma exists, but VecturaDB's own highest version binds.",
			data:   data(t, "vecturadb 1.0.0-preview.3", "chroma 1.5.9"), wanted: "vecturadb 1.0.0-preview.2",
			want: want{Reason: reason.DowngradeChangesFormat, Needed: []Annotation{downgrade, format("1.0.0-preview.2")}},
		},
		"AgainToANewerVecturaDB": {
			reason: "Both passages exist: from Chroma 1.5.9 and from preview.2.",
			data:   data(t, "vecturadb 1.0.0-preview.2", "chroma 1.5.9"), wanted: "vecturadb 1.0.0-preview.3",
			want: want{Allowed: true, Reason: reason.VersionAllowed, Tried: true},
		},
		"TheVersionThatRanLastMayAlwaysRunAgain": {
			reason: "A declaration can say what no passage would have allowed; that version still opens its own data.",
			data:   data(t, "chroma 1.5.10", "vecturadb 1.0.0-preview.7"), wanted: "vecturadb 1.0.0-preview.7",
			want: want{Allowed: true, Reason: reason.VersionAllowed},
		},
		"NoVersion": {
			reason: "Nothing without a version is allowed, even on new data.",
			want:   want{Reason: reason.ImageWithoutVersion, Tried: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := Question{Data: tc.data, Overrides: tc.overrides}
			if tc.wanted != "" {
				q.Wanted = version(t, tc.wanted)
			}
			v := Judge(q)
			got := want{Allowed: v.Allowed, Reason: v.Reason, Needed: v.Needed, Unneeded: v.Unneeded, Tried: v.Tried()}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nJudge(...): -want, +got:\n%s", tc.reason, diff)
			}
			for _, text := range tc.says {
				if !strings.Contains(v.Message, text) {
					t.Errorf("\n%s\nJudge(...): message does not say %q:\n%s", tc.reason, text, v.Message)
				}
			}
		})
	}
}

// ruleOf says, formulated apart from the code under test, which annotations a pair takes: a string of d (downgrade),
// f (format), p (product), "" for allowed and "no" for never. It uses plain numbers instead of versions.
func ruleOf(from, to number) string {
	switch {
	case from == to:
		return ""
	case !from.vectura && !to.vectura:
		if to.value() > from.value() {
			return ""
		}
		if from.group() != "" && from.group() == to.group() {
			return "d"
		}
		return "df"
	case !from.vectura && to.vectura:
		if from.value() == 1_005_009 && (to.preview == 2 || to.preview == 3) {
			return ""
		}
		return "no"
	case from.vectura && to.vectura:
		if from.preview == 2 && to.preview == 3 {
			return ""
		}
		if to.preview > from.preview {
			return "no"
		}
		return "df"
	default:
		if to.value() == 1_005_009 && (from.preview == 2 || from.preview == 3) {
			return "p"
		}
		return "no"
	}
}

// A number of a version: of Chroma major.minor.patch, of VecturaDB 1.0.0-preview.N.
type number struct {
	vectura             bool
	major, minor, patch int
	preview             int
}

func (n number) value() int { return n.major*1_000_000 + n.minor*1_000 + n.patch }

// group by the highest patch that was released of each minor version.
func (n number) group() string {
	released := map[int]int{0: 21, 1: 1, 2: 2, 3: 7, 4: 1, 5: 9}
	highest, ok := released[n.minor]
	if n.major != 1 || !ok || n.patch > highest {
		return ""
	}
	return map[int]string{0: "A1", 1: "A1", 2: "A2", 3: "B", 4: "B", 5: "C"}[n.minor]
}

func (n number) version() Version {
	if n.vectura {
		return preview(uint64(n.preview))
	}
	return chroma(uint64(n.major), uint64(n.minor), uint64(n.patch))
}

// numbers are all versions of Chroma from 1.0.0 to 1.5.9, some that were never released or are newer, and VecturaDB.
func numbers() []number {
	var all []number
	for minor, patches := range []int{23, 3, 5, 9, 3, 12} {
		for patch := range patches {
			all = append(all, number{major: 1, minor: minor, patch: patch})
		}
	}
	all = append(all, number{major: 1, minor: 6}, number{major: 1, minor: 10, patch: 3}, number{major: 2}, number{major: 2, minor: 5, patch: 9})
	for n := range 6 {
		all = append(all, number{vectura: true, preview: n})
	}
	return all
}

func TestAVersionThatWasOnlyRecordedAheadOpensNoPassage(t *testing.T) {
	ahead := data(t, "chroma 1.5.9")
	ahead.Ahead = []v1alpha1.Product{v1alpha1.ProductChroma}
	got := Judge(Question{Data: ahead, Wanted: version(t, "vecturadb 1.0.0-preview.3")})
	if got.Allowed || got.Reason != reason.ProductChangeNotKnown {
		t.Errorf("the data may still be of an older Chroma, from which nobody has tried the passage: got %+v", got)
	}
	if got := Judge(Question{Data: ahead, Wanted: version(t, "chroma 1.5.10")}); !got.Allowed {
		t.Errorf("a newer Chroma opens data of every older one: got %+v", got)
	}
	if got := Judge(Question{Data: ahead, Wanted: version(t, "chroma 1.5.8")}); got.Allowed {
		t.Errorf("for the way back it counts, since its server may have migrated the data: got %+v", got)
	}
}

func TestEveryPairWithAndWithoutEachOverride(t *testing.T) {
	for _, from := range numbers() {
		for _, to := range numbers() {
			rule := ruleOf(from, to)
			d := Data{Versions: map[v1alpha1.Product]Version{from.version().Product: from.version()}, Last: from.version().Product}
			for mask := range 16 {
				o, has := Overrides{}, ""
				if mask&1 != 0 {
					o.AllowDowngrade, has = "true", has+"d"
				}
				if mask&2 != 0 {
					o.AllowFormatDowngrade, has = to.version().String(), has+"f"
				}
				if mask&4 != 0 {
					o.AllowProductChange, has = "true", has+"p"
				}
				if mask&8 != 0 { // Values that are near, and do not count.
					near := Overrides{AllowDowngrade: "TRUE", AllowFormatDowngrade: "v" + to.version().String(), AllowProductChange: "1"}
					if o.AllowDowngrade == "" {
						o.AllowDowngrade = near.AllowDowngrade
					}
					if o.AllowFormatDowngrade == "" {
						o.AllowFormatDowngrade = near.AllowFormatDowngrade
					}
					if o.AllowProductChange == "" {
						o.AllowProductChange = near.AllowProductChange
					}
				}
				allowed := rule != "no"
				for _, need := range rule {
					allowed = allowed && strings.ContainsRune(has, need)
				}
				v := Judge(Question{Data: d, Wanted: to.version(), Overrides: o})
				if v.Allowed != allowed {
					t.Fatalf("%s to %s with %+v: Judge says allowed=%v (%s), the rule %q says %v",
						from.version().Title(), to.version().Title(), o, v.Allowed, v.Reason, rule, allowed)
				}
			}
		}
	}
}

// anyData draws what the ledger can hold: up to one version of each product.
func anyData(t *rapid.T) Data {
	d := Data{Versions: map[v1alpha1.Product]Version{}}
	for _, n := range rapid.SliceOfN(rapid.SampledFrom(numbers()), 0, 2).Draw(t, "numbers") {
		v := n.version()
		d.Versions[v.Product], d.Last = v, v.Product
	}
	d.Unknown = rapid.IntRange(0, 9).Draw(t, "unknown") == 0
	if d.Unknown {
		d.Incident = "abcd2345-1"
	}
	return d
}

func anyOverrides(wanted Version) *rapid.Generator[Overrides] {
	return rapid.Custom(func(t *rapid.T) Overrides {
		flag := rapid.SampledFrom([]string{"", "true", "false"})
		return Overrides{
			AllowDowngrade:       flag.Draw(t, "downgrade"),
			AllowProductChange:   flag.Draw(t, "product"),
			AllowFormatDowngrade: rapid.SampledFrom([]string{"", "1.5.9", wanted.String()}).Draw(t, "format"),
		}
	})
}

func TestJudgeProperties(t *testing.T) {
	known := map[reason.Reason]bool{}
	for _, entry := range reason.Compatibility() {
		known[entry.Reason] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		q := Question{Data: anyData(t), Wanted: rapid.SampledFrom(numbers()).Draw(t, "wanted").version()}
		q.Overrides = anyOverrides(q.Wanted).Draw(t, "overrides")
		v := Judge(q)
		if diff := cmp.Diff(v, Judge(q)); diff != "" {
			t.Fatalf("the same question has two answers:\n%s", diff)
		}
		if !known[v.Reason] || v.Message == "" {
			t.Fatalf("a verdict needs a reason of the table and a message: %+v", v)
		}
		if q.Data.Unknown {
			if v.Allowed {
				t.Fatalf("unknown data was opened: %+v", v)
			}
			return
		}
		if last, ok := q.Data.Versions[q.Data.Last]; ok && last.Equal(q.Wanted) && !v.Allowed {
			t.Fatalf("the highest version of the last product was refused: %+v", v)
		}
		if v.Allowed && len(v.Needed) > 0 {
			t.Fatalf("allowed, and yet in need of annotations: %+v", v)
		}
		// Doing what the verdict says leads to where it says.
		next := q
		next.Overrides = apply(q.Overrides, v.Needed, v.Unneeded)
		after := Judge(next)
		if (v.Allowed || len(v.Needed) > 0) && (!after.Allowed || len(after.Unneeded) > 0) {
			t.Fatalf("the commands of\n%+v\nlead to\n%+v", v, after)
		}
		// A verdict without a remedy has none, and nothing to explain.
		if !v.Allowed && len(v.Needed) == 0 {
			if v.Explanation != "" {
				t.Fatalf("what never runs was explained: %+v", v)
			}
			next.Overrides = Overrides{AllowDowngrade: "true", AllowFormatDowngrade: q.Wanted.String(), AllowProductChange: "true"}
			if Judge(next).Allowed {
				t.Fatalf("refused for ever, and yet allowed with all overrides: %+v", v)
			}
		}
		// Annotations only ever open.
		bare := q
		bare.Overrides = Overrides{}
		if Judge(bare).Allowed && !v.Allowed {
			t.Fatalf("an annotation closed what is open without it: %+v", v)
		}
		// Every version on the data has its say.
		for product, highest := range q.Data.Versions {
			alone := q
			alone.Data = Data{Versions: map[v1alpha1.Product]Version{product: highest}, Last: q.Data.Last}
			last := q.Data.Versions[q.Data.Last]
			if v.Allowed && !Judge(alone).Allowed && !last.Equal(q.Wanted) {
				t.Fatalf("allowed, against the rules for %s alone", highest.Title())
			}
		}
	})
}

func apply(o Overrides, needed, unneeded []Annotation) Overrides {
	values := map[string]string{
		v1alpha1.AnnotationAllowDowngrade:       o.AllowDowngrade,
		v1alpha1.AnnotationAllowFormatDowngrade: o.AllowFormatDowngrade,
		v1alpha1.AnnotationAllowProductChange:   o.AllowProductChange,
	}
	for _, annotation := range unneeded {
		delete(values, annotation.Key)
	}
	for _, annotation := range needed {
		values[annotation.Key] = annotation.Value
	}
	return OverridesOf(values)
}

func BenchmarkJudge(b *testing.B) {
	q := Question{Data: data(b, "chroma 1.5.10", "vecturadb 1.0.0-preview.3"), Wanted: version(b, "chroma 1.5.9")}
	b.ReportAllocs()
	for b.Loop() {
		Judge(q)
	}
}

func TestAnUpgradeOverABorderSaysWhatTheWayBackWouldMean(t *testing.T) {
	cases := map[string]struct {
		reason   string
		from, to string
		says     string // empty: nothing to explain
	}{
		"WithinAFormat": {"The way back is an ordinary downgrade.", "chroma 1.5.0", "chroma 1.5.9", ""},
		"A1ToB":         {"The old server would not start again.", "chroma 1.1.1", "chroma 1.3.1", "panics"},
		"BToC":          {"The old server would open it, and not read everything.", "chroma 1.4.1", "chroma 1.5.9", "error 400"},
		"From122":       {"The old server would search wrongly.", "chroma 1.2.2", "chroma 1.5.9", "l2"},
		"ToNewer":       {"Nobody knows.", "chroma 1.5.9", "chroma 1.6.0", "not tried"},
		"Passage":       {"The way back has its own consent and its own words.", "chroma 1.5.9", "vecturadb 1.0.0-preview.3", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := Judge(Question{Data: data(t, tc.from), Wanted: version(t, tc.to)})
			if !v.Allowed || !strings.Contains(v.Explanation, tc.says) || (v.Explanation == "") != (tc.says == "") {
				t.Errorf("\n%s\nJudge(%s to %s): allowed %v, want an explanation with %q, got %q", tc.reason, tc.from, tc.to, v.Allowed, tc.says, v.Explanation)
			}
		})
	}
}
