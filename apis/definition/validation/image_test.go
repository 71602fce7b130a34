package validation

import (
	"strings"
	"testing"
)

func TestImage(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0a", 32)
	exact := "exact version tag of three numbers"

	images := map[string]struct{ reason, image, want string }{
		"Empty":         {reason: "The function has a default image.", image: ""},
		"DockerHub":     {reason: "Chroma's own image.", image: "docker.io/chromadb/chroma:1.5.9"},
		"Short":         {reason: "Docker Hub is the default registry.", image: "chromadb/chroma:1.5.9"},
		"Index":         {reason: "Another name of Docker Hub.", image: "index.docker.io/chromadb/chroma:1.0.0"},
		"GitHub":        {reason: "Chroma's other repository.", image: "ghcr.io/chroma-core/chroma:1.5.10"},
		"Preview":       {reason: "An exact preview of VecturaDB.", image: "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3"},
		"Port":          {reason: "A registry inside the cluster.", image: "localhost:5000/chromadb/chroma:1.5.9"},
		"Deep":          {reason: "Mirrors put paths in front.", image: "mirror.example.com/a/b__c/d.e/chroma-x:1.5.9"},
		"Digest":        {reason: "The tag gives the version, the digest the content.", image: "docker.io/chromadb/chroma:1.5.9" + digest},
		"PreviewDigest": {reason: "A preview can be pinned too.", image: "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3" + digest},

		"Latest":            {reason: "Every release moves it.", image: "docker.io/chromadb/chroma:latest", want: exact},
		"NoTag":             {reason: "No tag means latest.", image: "docker.io/chromadb/chroma", want: exact},
		"PortNoTag":         {reason: "The colon of a port does not begin a tag.", image: "localhost:5000/chromadb/chroma", want: exact},
		"MovingPreview":     {reason: "It moves.", image: "ghcr.io/vecturadb/vecturadb:preview", want: exact},
		"TwoNumbers":        {reason: "No such tag is published.", image: "docker.io/chromadb/chroma:1.5", want: exact},
		"OneNumber":         {reason: "No such tag is published.", image: "docker.io/chromadb/chroma:1", want: exact},
		"V":                 {reason: "Tags of Chroma have no v.", image: "docker.io/chromadb/chroma:v1.5.9", want: "drop the v"},
		"LeadingZero":       {reason: "01.5.9 is no semantic version.", image: "docker.io/chromadb/chroma:01.5.9", want: exact},
		"LeadingZeroMinor":  {reason: "1.05.9 is no semantic version.", image: "docker.io/chromadb/chroma:1.05.9", want: exact},
		"Development":       {reason: "Unreleased code with the number of the next release.", image: "docker.io/chromadb/chroma:1.5.10.dev37", want: "development tags"},
		"AMD64":             {reason: "A semantic version would take it for older than 1.5.9.", image: "docker.io/chromadb/chroma:1.5.9-amd64", want: "drop the suffix"},
		"ARM64":             {reason: "The other half.", image: "docker.io/chromadb/chroma:1.5.9-arm64", want: "drop the suffix"},
		"DevelopmentAMD64":  {reason: "Both at once.", image: "docker.io/chromadb/chroma:1.5.10.dev37-amd64", want: "drop the suffix"},
		"Zero":              {reason: "The Python server has another configuration and format.", image: "docker.io/chromadb/chroma:0.6.3", want: "only Chroma 1.x"},
		"DigestOnly":        {reason: "The version is unknown.", image: "docker.io/chromadb/chroma" + digest, want: "a digest alone hides the version"},
		"LatestDigest":      {reason: "The version is unknown here too.", image: "docker.io/chromadb/chroma:latest" + digest, want: exact},
		"ShortDigest":       {reason: "A digest of SHA-256 has 64 digits.", image: "docker.io/chromadb/chroma:1.5.9@sha256:abc", want: exact},
		"OtherDigest":       {reason: "Registries use SHA-256.", image: "docker.io/chromadb/chroma:1.5.9@sha512:" + strings.Repeat("0a", 64), want: exact},
		"Candidate":         {reason: "Chroma publishes none.", image: "docker.io/chromadb/chroma:1.5.9-rc.1", want: exact},
		"PreviewAlone":      {reason: "Which preview?", image: "ghcr.io/vecturadb/vecturadb:1.0.0-preview", want: exact},
		"PreviewOfPreview":  {reason: "A preview has one number.", image: "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3.1", want: exact},
		"PreviewZero":       {reason: "preview.03 is no semantic version.", image: "ghcr.io/vecturadb/vecturadb:1.0.0-preview.03", want: exact},
		"PreviewAMD64":      {reason: "The half of a preview.", image: "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3-amd64", want: "drop the suffix"},
		"Build":             {reason: "A plus is not legal in a tag.", image: "docker.io/chromadb/chroma:1.5.9+1", want: exact},
		"Commit":            {reason: "Commits tag the images of distributed Chroma.", image: "docker.io/chromadb/chroma:52ce844", want: exact},
		"Digits":            {reason: "A legal tag without a version.", image: "docker.io/chromadb/chroma:1234567", want: exact},
		"Overflow":          {reason: "No version is that high, and it does not fit into a number.", image: "docker.io/chromadb/chroma:1.5.99999999999999999999", want: exact},
		"UppercasePath":     {reason: "Repositories are lowercase.", image: "docker.io/chromadb/Chroma:1.5.9", want: exact},
		"Space":             {reason: "A pasted space is no part of the name.", image: "docker.io/chromadb/chroma:1.5.9 ", want: exact},
		"Newline":           {reason: "A pasted newline is no part of the name.", image: "docker.io/chromadb/chroma:1.5.9\n", want: exact},
		"URL":               {reason: "An image has no scheme.", image: "https://docker.io/chromadb/chroma:1.5.9", want: exact},
		"VersionInRegistry": {reason: "The tag is what stands behind the last slash.", image: "registry:1.5.9/chroma", want: exact},
		"TooLong":           {reason: "No registry takes it.", image: "docker.io/" + strings.Repeat("a", 512) + ":1.5.9", want: "may not be more than 512"},
	}

	cases := map[string]ruleCase{}
	for name, tc := range images {
		quoted := strings.NewReplacer("\n", `\n`).Replace(tc.image)
		cases[name] = ruleCase{reason: tc.reason, spec: "storage: {size: 1Gi}\nimage: \"" + quoted + "\"", want: tc.want}
	}
	checkRules(t, cases)
}
