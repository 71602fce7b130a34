package compatibility

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

func TestParseVersion(t *testing.T) {
	cases := map[string]struct {
		reason  string
		product v1alpha1.Product
		text    string
		want    string // empty: an error
	}{
		"Release":             {"Three numbers are a version.", chromaDB, "1.5.9", "Chroma 1.5.9"},
		"Old":                 {"0.x is a version too; whether it is supported is another question.", chromaDB, "0.6.3", "Chroma 0.6.3"},
		"Preview":             {"The previews of VecturaDB are its releases.", vecturaDB, "1.0.0-preview.3", "VecturaDB 1.0.0-preview.3"},
		"ReleaseOfVecturaDB":  {"A release without a preview number will come.", vecturaDB, "1.0.0", "VecturaDB 1.0.0"},
		"PreviewOfChroma":     {"Chroma publishes no previews.", chromaDB, "1.0.0-preview.3", ""},
		"OtherPrerelease":     {"Only previews are published.", vecturaDB, "1.0.0-rc.1", ""},
		"PreviewWithoutN":     {"The tag preview moves.", vecturaDB, "1.0.0-preview", ""},
		"PreviewWithText":     {"N is a number.", vecturaDB, "1.0.0-preview.x", ""},
		"PreviewWithMore":     {"Nothing follows N.", vecturaDB, "1.0.0-preview.3.1", ""},
		"PreviewLeadingZero":  {"Two spellings of one version are one too many.", vecturaDB, "1.0.0-preview.03", ""},
		"PreviewOverflow":     {"semver would compare it as text.", vecturaDB, "1.0.0-preview.18446744073709551616", ""},
		"Architecture":        {"The half of a release is no version before it.", chromaDB, "1.5.9-amd64", ""},
		"Development":         {"A build of main after 1.5.9 is not 1.5.10.", chromaDB, "1.5.10.dev37", ""},
		"LeadingV":            {"Never published.", chromaDB, "v1.5.9", ""},
		"TwoNumbers":          {"Never published, and would move.", chromaDB, "1.5", ""},
		"LeadingZero":         {"Two spellings of one version are one too many.", chromaDB, "1.05.9", ""},
		"Overflow":            {"A number that wraps around would be older.", chromaDB, "1.5.18446744073709551616", ""},
		"LargestNumber":       {"64 bits are compared exactly.", chromaDB, "1.5.18446744073709551615", "Chroma 1.5.18446744073709551615"},
		"Metadata":            {"Not legal in a tag, not published.", chromaDB, "1.5.9+build", ""},
		"Latest":              {"It moves.", chromaDB, "latest", ""},
		"Commit":              {"It has no order.", chromaDB, "52ce844", ""},
		"Empty":               {"No tag.", chromaDB, "", ""},
		"Space":               {"Nothing is trimmed.", chromaDB, " 1.5.9", ""},
		"OtherDigits":         {"Only the ASCII digits count.", chromaDB, "1.5.٩", ""},
		"WithoutProduct":      {"A version is always one of a product.", "", "1.5.9", ""},
		"OfAnUnknownProduct":  {"A version is one of a known product.", "qdrant", "1.5.9", ""},
		"VeryLong":            {"A tag has at most 128 characters, an annotation more.", chromaDB, "1.5." + strings.Repeat("9", 400), ""},
		"NegativeLookingPart": {"A sign is no digit.", chromaDB, "1.-5.9", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseVersion(tc.product, tc.text)
			if (err != nil) != (tc.want == "") {
				t.Fatalf("\n%s\nParseVersion(%q, %q): error %v", tc.reason, tc.product, tc.text, err)
			}
			if err == nil && got.Title() != tc.want {
				t.Errorf("\n%s\nParseVersion(%q, %q): want %q, got %q", tc.reason, tc.product, tc.text, tc.want, got.Title())
			}
		})
	}
}

func TestVersionsOfTwoProductsAreNeverCompared(t *testing.T) {
	c, v := version(t, "chroma 1.5.9"), version(t, "vecturadb 1.0.0-preview.3")
	for _, pair := range [][2]Version{{c, v}, {v, c}} {
		if pair[0].NewerThan(pair[1]) || pair[0].OlderThan(pair[1]) || pair[0].Equal(pair[1]) {
			t.Errorf("%s was compared with %s", pair[0].Title(), pair[1].Title())
		}
	}
}

func TestFormatOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		titles string
		want   string
	}{
		"A1":      {"1.0 and 1.1 share a format.", "chroma 1.0.0,chroma 1.0.8,chroma 1.0.14,chroma 1.0.21,chroma 1.1.0,chroma 1.1.1", "A1"},
		"A2":      {"1.2 parses other configurations.", "chroma 1.2.0,chroma 1.2.2", "A2"},
		"B":       {"1.3 and 1.4 share a format.", "chroma 1.3.0,chroma 1.3.4,chroma 1.3.7,chroma 1.4.0,chroma 1.4.1", "B"},
		"C":       {"1.5 so far.", "chroma 1.5.0,chroma 1.5.9", "C"},
		"Gaps":    {"What was never released has no known format.", "chroma 1.0.22,chroma 1.1.2,chroma 1.1.7,chroma 1.2.3,chroma 1.2.9,chroma 1.3.8,chroma 1.4.2,chroma 1.4.4", FormatUnknown},
		"Newer":   {"What is newer than the table has no known format.", "chroma 1.5.10,chroma 1.6.0,chroma 2.0.0,chroma 2.5.0", FormatUnknown},
		"Older":   {"0.x is another server.", "chroma 0.6.3,chroma 0.5.9", FormatUnknown},
		"Vectura": {"Chroma's numbers say nothing of VecturaDB.", "vecturadb 1.0.0-preview.3,vecturadb 1.0.0,vecturadb 1.5.9", FormatUnknown},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for title := range strings.SplitSeq(tc.titles, ",") {
				if got := FormatOf(version(t, title)); got != tc.want {
					t.Errorf("\n%s\nFormatOf(%s): want %s, got %s", tc.reason, title, tc.want, got)
				}
			}
		})
	}
}

func TestEveryPairOfFormatsHasAStepWithItsTrial(t *testing.T) {
	for _, from := range Formats() {
		for _, to := range Formats() {
			for _, span := range to.Spans {
				for _, target := range span.Versions() {
					step, ok := StepBetween(from.Spans[0].Versions()[0], target)
					if !ok || step.Effect == "" || step.Result == "" || step.Trial.Date == "" || step.Trial.Compared == "" || step.Trial.Outcome == "" {
						t.Errorf("no step with a trial from %s to %s", from.Name, target)
					}
				}
			}
		}
	}
}

func TestOnlyVersionsWhoseServersWereRunCountAsTried(t *testing.T) {
	cases := map[string]struct {
		reason   string
		from, to string
		want     bool
	}{
		"Run":               {"Both servers were run.", "chroma 1.0.9", "chroma 1.5.9", true},
		"FromIsOlder":       {"No binary of 1.0.8 could be had.", "chroma 1.0.8", "chroma 1.5.9", false},
		"FromA2":            {"No binary of 1.2 could be had.", "chroma 1.2.2", "chroma 1.5.9", false},
		"ToA2":              {"No binary of 1.2 could be had.", "chroma 1.1.1", "chroma 1.2.0", false},
		"NoBindingOfItsOwn": {"1.3.4 names no binding that was run.", "chroma 1.3.4", "chroma 1.5.9", false},
		"Newer":             {"Newer than the table.", "chroma 1.5.9", "chroma 1.6.0", false},
		"Same":              {"The same version takes no step.", "chroma 1.2.2", "chroma 1.2.2", true},
		"ByOthers":          {"A trial made by others is one.", "chroma 1.5.9", "vecturadb 1.0.0-preview.2", true},
		"NoPassage":         {"Nobody has tried it.", "chroma 1.5.8", "vecturadb 1.0.0-preview.2", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Judge(Question{Data: data(t, tc.from), Wanted: version(t, tc.to)}).Tried()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nTried(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, seed := range []string{"1.5.9", "1.0.0-preview.3", "1.5.10.dev37", "v1", "1.05.9", "99999999999999999999.0.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, product := range []v1alpha1.Product{chromaDB, vecturaDB} {
			v, err := ParseVersion(product, text)
			if err != nil {
				continue
			}
			if v.String() != text {
				t.Errorf("ParseVersion(%q) writes itself as %q", text, v)
			}
			same, err := ParseVersion(product, text)
			if err != nil || v.NewerThan(same) || v.OlderThan(same) || !v.Equal(same) {
				t.Errorf("%s is not itself: %v", v.Title(), err)
			}
		}
	})
}
