package image

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

const digest = "sha256:7cc4b5aefd1d0cadf8d97d4350462ba51c694ebca145b08d7d41b41acc8db5aa"

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   Reference
		fails  bool
	}{
		"Familiar":          {reason: "Without a registry docker.io is meant.", text: "chromadb/chroma:1.5.9", want: Reference{Repository: "docker.io/chromadb/chroma", Tag: "1.5.9"}},
		"Whole":             {reason: "The whole name is the same repository.", text: "docker.io/chromadb/chroma:1.5.9", want: Reference{Repository: "docker.io/chromadb/chroma", Tag: "1.5.9"}},
		"Index":             {reason: "The old name of docker.io is the same repository.", text: "index.docker.io/chromadb/chroma:1.5.9", want: Reference{Repository: "docker.io/chromadb/chroma", Tag: "1.5.9"}},
		"TagAndDigest":      {reason: "The tag keeps the version known.", text: "chromadb/chroma:1.5.9@" + digest, want: Reference{Repository: "docker.io/chromadb/chroma", Tag: "1.5.9", Digest: digest}},
		"DigestOnly":        {reason: "A digest has no version.", text: "chromadb/chroma@" + digest, want: Reference{Repository: "docker.io/chromadb/chroma", Digest: digest}},
		"Port":              {reason: "The colon before the last slash is a port.", text: "localhost:5000/chromadb/chroma", want: Reference{Repository: "localhost:5000/chromadb/chroma"}},
		"PortAndTag":        {reason: "The colon behind the last slash is a tag.", text: "mirror.example:5000/chroma:1.5.9", want: Reference{Repository: "mirror.example:5000/chroma", Tag: "1.5.9"}},
		"OneWord":           {reason: "One word is an official image.", text: "chroma", want: Reference{Repository: "docker.io/library/chroma"}},
		"Empty":             {reason: "No image.", text: "", fails: true},
		"Uppercase":         {reason: "Repositories are lowercase.", text: "chromadb/Chroma:1.5.9", fails: true},
		"Space":             {reason: "No runtime trims.", text: "chromadb/chroma:1.5.9 ", fails: true},
		"ShortDigest":       {reason: "A digest has 64 digits.", text: "chromadb/chroma@sha256:7cc4", fails: true},
		"OtherDigest":       {reason: "Registries serve sha256.", text: "chromadb/chroma@sha512:" + strings.Repeat("a", 128), fails: true},
		"EmptyTag":          {reason: "A colon wants a tag.", text: "chromadb/chroma:", fails: true},
		"LongTag":           {reason: "A tag has 128 characters at most.", text: "chromadb/chroma:" + strings.Repeat("1", 129), fails: true},
		"Scheme":            {reason: "An image is no URL.", text: "https://docker.io/chromadb/chroma:1.5.9", fails: true},
		"HexadecimalDigits": {reason: "64 hexadecimal digits are the id of an image, not its name.", text: strings.Repeat("a", 64), fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tc.text)
			if (err != nil) != tc.fails {
				t.Fatalf("\n%s\nParse(%q): error %v", tc.reason, tc.text, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nParse(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
		})
	}
}

func TestAllowList(t *testing.T) {
	cases := map[string]struct {
		reason  string
		entries []string
		image   string
		want    bool
	}{
		"Zero":                {"Nothing is allowed without an entry.", nil, "chromadb/chroma", false},
		"Repository":          {"An entry allows its repository.", []string{"chromadb/chroma"}, "index.docker.io/chromadb/chroma:1.5.9", true},
		"LongerName":          {"An entry is no prefix.", []string{"chromadb/chroma"}, "chromadb/chroma-evil:1.5.9", false},
		"Below":               {"An entry allows nothing below it.", []string{"ghcr.io/a"}, "ghcr.io/a/b:1", false},
		"Path":                {"Every repository under a path.", []string{"mirror.example/hub/*"}, "mirror.example/hub/chromadb/chroma:1.5.9", true},
		"PathItself":          {"The path itself is not under it.", []string{"mirror.example/hub/*"}, "mirror.example/hub:1.5.9", false},
		"PathIsNoPrefix":      {"A path ends at its slash.", []string{"mirror.example/hub/*"}, "mirror.example/hub-evil/chroma:1.5.9", false},
		"FamiliarPath":        {"Paths are normalised too.", []string{"chromadb/*"}, "docker.io/chromadb/query-service:52ce844", true},
		"Registry":            {"A registry is a path.", []string{"ghcr.io/*"}, "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3", true},
		"RegistryWithPort":    {"A registry can have a port.", []string{"localhost:5000/*"}, "localhost:5000/chroma:1.5.9", true},
		"RegistryOtherPort":   {"Another port is another registry.", []string{"localhost:5000/*"}, "localhost:5001/chroma:1.5.9", false},
		"DockerHub":           {"docker.io/* is all of it, not only the official images.", []string{"docker.io/*"}, "chromadb/chroma:1.5.9", true},
		"OldNameOfDockerHub":  {"The old name of docker.io is the same registry.", []string{"index.docker.io/*"}, "chromadb/chroma:1.5.9", true},
		"OfficialImages":      {"library/* is only the official images.", []string{"library/*"}, "chromadb/chroma:1.5.9", false},
		"OfficialImagesWhole": {"docker.io/library/* are the official images.", []string{"docker.io/library/*"}, "chroma:1.5.9", true},
		"Any":                 {"* allows everything.", []string{" * "}, "evil.example/x:1", true},
		"Second":              {"Every entry counts.", []string{"ghcr.io/a", "ghcr.io/b"}, "ghcr.io/b:1", true},
		"Default":             {"The image of Chroma is allowed by default.", DefaultRepositories(), "chromadb/chroma:1.5.9", true},
		"DefaultDistributed":  {"The images of distributed Chroma are allowed by default.", DefaultRepositories(), "chromadb/rust-frontend-service-oss:52ce844", true},
		"NotDefault":          {"Nothing else is.", DefaultRepositories(), "chromadb/other:1", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			list, err := ParseAllowList(tc.entries)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := Parse(tc.image)
			if err != nil {
				t.Fatal(err)
			}
			refusal := list.Admit(parsed)
			if got := refusal == nil; got != tc.want {
				t.Errorf("\n%s\nAdmit(%s) with %q: want %v, got %v", tc.reason, tc.image, tc.entries, tc.want, got)
			}
			if refusal != nil && (refusal.Reason != reason.ImageNotAllowed || !strings.Contains(refusal.Message, parsed.Repository)) {
				t.Errorf("\nAdmit(%s): a refusal names the repository: %+v", tc.image, refusal)
			}
		})
	}
}

func TestAllowListNamesTheBadEntry(t *testing.T) {
	for name, entry := range map[string]string{
		"Empty":         "",
		"Tag":           "chromadb/chroma:1.5.9",
		"Digest":        "chromadb/chroma@" + digest,
		"StarInside":    "ghcr.io/*/chroma",
		"StarAsPart":    "ghcr.io/chroma*",
		"TwoStars":      "ghcr.io/*/*",
		"OnlySlash":     "/*",
		"Uppercase":     "ghcr.io/Chroma",
		"RegistryAlone": "registry.example",
		"DoubleSlash":   "ghcr.io//*",
		"Comma":         "ghcr.io/a,ghcr.io/b",
		"Scheme":        "https://ghcr.io/a",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseAllowList([]string{"chromadb/chroma", entry})
			if err == nil || !strings.Contains(err.Error(), `"`+entry+`"`) {
				t.Errorf("ParseAllowList(%q): want an error with the entry, got %v", entry, err)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	list, err := ParseAllowList(append(DefaultRepositories(), "mirror.example/*"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		image   string
		product v1alpha1.Product
		want    string // title of the version, or the reason of the refusal
		says    string
	}{
		"Chroma":               {"The repository says the product.", "chromadb/chroma:1.5.9", "", "Chroma 1.5.9", ""},
		"ChromaOnGitHub":       {"The repository says the product.", "ghcr.io/chroma-core/chroma:1.5.9@" + digest, "", "Chroma 1.5.9", ""},
		"VecturaDB":            {"The repository says the product.", "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3", "", "VecturaDB 1.0.0-preview.3", ""},
		"SameProduct":          {"Saying what is known does no harm.", "chromadb/chroma:1.5.9", v1alpha1.ProductChroma, "Chroma 1.5.9", ""},
		"Mirror":               {"For a mirror spec.product says it.", "mirror.example/c:1.5.9", v1alpha1.ProductChroma, "Chroma 1.5.9", ""},
		"MirrorOfVecturaDB":    {"For a mirror spec.product says it.", "mirror.example/v:1.0.0-preview.2", v1alpha1.ProductVecturaDB, "VecturaDB 1.0.0-preview.2", ""},
		"UnknownProduct":       {"A name that looks like Chroma says nothing.", "mirror.example/chromadb/chroma:1.5.9", "", "UnknownProduct", "spec.product"},
		"NoSuchProduct":        {"The product is one of two.", "mirror.example/c:1.5.9", "qdrant", "UnknownProduct", "qdrant"},
		"ProductMismatch":      {"spec.product cannot turn one product into the other.", "chromadb/chroma:1.5.9", v1alpha1.ProductVecturaDB, "ProductMismatch", "Remove spec.product"},
		"NotAllowed":           {"The allow-list is asked before the product.", "evil.example/chroma:1.5.9", "", "ImageNotAllowed", "evil.example/chroma"},
		"Invalid":              {"What cannot be parsed cannot run.", "chromadb/chroma:", "", "ImageInvalid", ""},
		"Latest":               {"latest moves.", "chromadb/chroma:latest", "", "ImageWithoutVersion", "1.5.9"},
		"NoTag":                {"No tag means latest.", "chromadb/chroma", "", "ImageWithoutVersion", "no tag"},
		"DigestOnly":           {"A digest has no version.", "chromadb/chroma@" + digest, "", "ImageWithoutVersion", "no tag"},
		"Architecture":         {"The hint says what to leave out.", "chromadb/chroma:1.5.9-arm64", "", "ImageWithoutVersion", "suffix"},
		"Development":          {"The hint says what it is.", "chromadb/chroma:1.5.10.dev37", "", "ImageWithoutVersion", "unreleased"},
		"LeadingV":             {"The hint says what is wrong.", "chromadb/chroma:v1.5.9", "", "ImageWithoutVersion", "begins with a v"},
		"PythonServer":         {"0.x is another server.", "chromadb/chroma:0.6.3", "", "VersionNotSupported", "1.0.0 and later"},
		"PreviewOfChroma":      {"Chroma publishes no previews.", "chromadb/chroma:1.0.0-preview.3", "", "ImageWithoutVersion", ""},
		"MovingPreview":        {"preview moves; the hint is one of VecturaDB.", "ghcr.io/vecturadb/vecturadb:preview", "", "ImageWithoutVersion", "1.0.0-preview.3"},
		"DistributedComponent": {"Allowed, but no single-node server.", "chromadb/query-service:52ce844", "", "UnknownProduct", ""},
		"CommitOfAMirror":      {"Seven digits are a legal tag and no version.", "mirror.example/c:1234567", v1alpha1.ProductChroma, "ImageWithoutVersion", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			release, refusal := Resolve(tc.image, tc.product, list)
			got := release.Version.Title()
			if refusal != nil {
				got = string(refusal.Reason)
				if !strings.Contains(refusal.Message, tc.says) {
					t.Errorf("\n%s\nResolve(%s): message does not say %q: %s", tc.reason, tc.image, tc.says, refusal.Message)
				}
			}
			if got != tc.want {
				t.Errorf("\n%s\nResolve(%s): want %s, got %s", tc.reason, tc.image, tc.want, got)
			}
			if refusal == nil && release.Product != release.Version.Product {
				t.Errorf("Resolve(%s): product %s, version of %s", tc.image, release.Product, release.Version.Product)
			}
		})
	}
}

func TestEveryReasonOfARefusalIsInTheTable(t *testing.T) {
	known := map[reason.Reason]bool{}
	for _, entry := range reason.Compatibility() {
		known[entry.Reason] = true
	}
	list, err := ParseAllowList([]string{"chromadb/*", "mirror.example/*"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		image := rapid.SampledFrom([]string{"chromadb/chroma", "mirror.example/c", "other.example/c", "C"}).Draw(t, "repository") +
			rapid.SampledFrom([]string{"", ":1.5.9", ":0.5.0", ":latest", "@" + digest}).Draw(t, "tag")
		product := rapid.SampledFrom([]v1alpha1.Product{"", v1alpha1.ProductChroma, v1alpha1.ProductVecturaDB, "x"}).Draw(t, "product")
		if _, refusal := Resolve(image, product, list); refusal != nil && (!known[refusal.Reason] || refusal.Message == "") {
			t.Fatalf("Resolve(%s): %+v", image, refusal)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"chromadb/chroma:1.5.9", "localhost:5000/c", "a@" + digest, "index.docker.io/x", "[::1]:5000/x:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(parsed.String())
		if err != nil {
			t.Fatalf("Parse(%q) writes itself as %q, which does not parse: %v", text, parsed, err)
		}
		if diff := cmp.Diff(parsed, again); diff != "" {
			t.Errorf("Parse(%q) does not survive a round trip: -first, +second:\n%s", text, diff)
		}
	})
}

func FuzzParseAllowList(f *testing.F) {
	for _, seed := range []string{"*", "ghcr.io/*", "chromadb/chroma", "docker.io/library/*", "/*", "a:1/*"} {
		f.Add(seed, "chromadb/chroma:1.5.9")
	}
	f.Fuzz(func(t *testing.T, entry, image string) {
		list, err := ParseAllowList([]string{entry})
		if err != nil {
			if !strings.Contains(err.Error(), "entry") {
				t.Errorf("the error of %q does not speak of the entry: %v", entry, err)
			}
			return
		}
		parsed, err := Parse(image)
		if err != nil || strings.TrimSpace(entry) == "*" {
			return
		}
		// The last segment of an entry survives normalisation, so what it allows has it.
		named := path.Base(strings.TrimSuffix(strings.TrimSpace(entry), "/*"))
		if list.Allows(parsed) && !strings.Contains(parsed.Repository, strings.TrimPrefix(named, "index.")) {
			t.Errorf("the entry %q allows %s", entry, parsed)
		}
	})
}
