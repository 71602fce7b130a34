package main

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"sigs.k8s.io/yaml"
)

// root of the module.
const root = "../.."

func release(t *testing.T, repository string) Release {
	t.Helper()

	parsed, err := name.NewRepository(repository, name.StrictValidation)
	if err != nil {
		t.Fatal(err)
	}

	return Release{Root: root, Version: "v1.2.3", Function: parsed}
}

func TestImage(t *testing.T) {
	binary := []byte("#!")

	img, err := image(binary, "arm64")
	if err != nil {
		t.Fatal(err)
	}

	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}

	want := v1.Config{
		Entrypoint:   []string{"/function"},
		User:         "65532:65532",
		ExposedPorts: map[string]struct{}{"9443/tcp": {}, "8080/tcp": {}},
	}
	if diff := cmp.Diff(want, config.Config); diff != "" {
		t.Errorf("image(...): -want config, +got config:\n%s", diff)
	}

	if diff := cmp.Diff("linux/arm64", config.OS+"/"+config.Architecture); diff != "" {
		t.Errorf("image(...): -want platform, +got platform:\n%s", diff)
	}

	files := map[string]string{}
	archive := tar.NewReader(mutate.Extract(img))

	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			t.Fatal(err)
		}

		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}

		files[header.FileInfo().Mode().String()+" "+header.Name] = string(content)
	}

	if diff := cmp.Diff(map[string]string{"-rwxr-xr-x function": "#!"}, files); diff != "" {
		t.Errorf("image(...): -want files, +got files:\n%s", diff)
	}

	again, err := image(binary, "arm64")
	if err != nil {
		t.Fatal(err)
	}

	if got, want := digest(t, again), digest(t, img); got != want {
		t.Errorf("image(...): the same program made %s, then %s", want, got)
	}
}

func digest(t *testing.T, img v1.Image) string {
	t.Helper()

	hash, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}

	return hash.String()
}

func TestFunctionName(t *testing.T) {
	cases := map[string]struct {
		reason     string
		repository string
		want       string
	}{
		"Organization": {
			reason:     "The registry is not part of the name, the path is.",
			repository: "ghcr.io/function-chroma/function-chroma",
			want:       "function-chroma-function-chroma",
		},
		"Port": {
			reason:     "A registry's port is not part of the name.",
			repository: "127.0.0.1:5000/function-chroma",
			want:       "function-chroma",
		},
		"Characters": {
			reason:     "What a DNS label cannot have is replaced or dropped.",
			repository: "registry.example.org/a.b/c_d/function-chroma",
			want:       "a-b-cd-function-chroma",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, release(t, tc.repository).FunctionName()); diff != "" {
				t.Errorf("\n%s\nFunctionName(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStageConfiguration(t *testing.T) {
	for _, c := range configurations() {
		t.Run(c.Name, func(t *testing.T) {
			folder := t.TempDir()
			if err := release(t, "registry.example.org/team/function-chroma").stageConfiguration(c, folder); err != nil {
				t.Fatal(err)
			}

			staged := yamlIn(t, folder)

			meta := &pkgmetav1.Configuration{}
			if err := yaml.UnmarshalStrict(staged[metaFile], meta); err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(c.Name, meta.Name); diff != "" {
				t.Errorf("stageConfiguration(...): -want name, +got name:\n%s", diff)
			}

			dependencies := map[string]string{}
			for _, d := range meta.Spec.DependsOn {
				dependencies[*d.Kind+" "+*d.Package] = d.Version
			}

			want := map[string]string{
				"Function registry.example.org/team/function-chroma":                 ">=v1.2.3",
				"Provider xpkg.crossplane.io/crossplane-contrib/provider-kubernetes": ">=v1.3.1",
			}
			if diff := cmp.Diff(want, dependencies); diff != "" {
				t.Errorf("stageConfiguration(...): -want dependencies, +got dependencies:\n%s", diff)
			}

			composed, defined := 0, 0

			for file, content := range staged {
				composition := &xpv1.Composition{}
				if err := yaml.Unmarshal(content, composition); err != nil {
					t.Fatal(err)
				}

				switch composition.Kind {
				case xpv1.CompositionKind:
					composed++

					if got, want := composition.Spec.Pipeline[0].FunctionRef.Name, "team-function-chroma"; got != want {
						t.Errorf("%s: the function is called by the name %q, want %q", file, got, want)
					}
				case xpv1.CompositeResourceDefinitionKind:
					defined++
				}
			}

			if composed != len(c.Folders) || defined != len(c.Folders) {
				t.Errorf("stageConfiguration(...): got %d Compositions and %d definitions of %v, want one of each per folder", composed, defined, c.Folders)
			}
		})
	}
}

func TestStageFunction(t *testing.T) {
	folder := t.TempDir()
	if err := release(t, "registry.example.org/team/function-chroma").stageFunction(folder); err != nil {
		t.Fatal(err)
	}

	got := slices.Sorted(maps.Keys(yamlIn(t, folder)))
	if diff := cmp.Diff([]string{"chroma.fn.crossplane.io_inputs.yaml", metaFile}, got); diff != "" {
		t.Errorf("stageFunction(...): -want files, +got files:\n%s", diff)
	}
}

// yamlIn a folder by file name.
func yamlIn(t *testing.T, folder string) map[string][]byte {
	t.Helper()

	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}

	out := map[string][]byte{}

	for _, entry := range entries {
		if out[entry.Name()], err = os.ReadFile(filepath.Join(folder, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}

	return out
}
