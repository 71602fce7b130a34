// release builds the plugin for every platform, with checksums and a Krew manifest. The same sources give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A platform of the plugin.
type platform struct{ system, machine string }

func platforms() []platform {
	var out []platform
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, machine := range []string{"amd64", "arm64"} {
			out = append(out, platform{system, machine})
		}
	}
	return out
}

func (p platform) binary() string {
	if p.system == "windows" {
		return "kubectl-chroma.exe"
	}
	return "kubectl-chroma"
}

func (p platform) archive() string {
	return fmt.Sprintf("kubectl-chroma_%s_%s.tar.gz", p.system, p.machine)
}

func main() {
	version := flag.String("version", "", "version of the release, like v0.1.0")
	output := flag.String("output", "dist", "folder to write to")
	download := flag.String("download", "https://github.com/function-chroma/function-chroma/releases/download", "where the archives will be")
	flag.Parse()
	if err := run(context.Background(), *version, *output, *download); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version, output, download string) error {
	if version == "" {
		return fmt.Errorf("cannot release: say which -version")
	}
	const folder, file = 0o750, 0o600
	if err := os.MkdirAll(output, folder); err != nil {
		return fmt.Errorf("cannot make the output folder: %w", err)
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return fmt.Errorf("cannot read the license, run it at the top of the repository: %w", err)
	}
	sums := map[platform]string{}
	var list strings.Builder
	for _, p := range platforms() {
		binary, err := build(ctx, p, version)
		if err != nil {
			return err
		}
		archive, err := pack([]entry{{"LICENSE", 0o644, license}, {p.binary(), 0o755, binary}})
		if err != nil {
			return fmt.Errorf("cannot pack %s: %w", p.archive(), err)
		}
		sums[p] = fmt.Sprintf("%x", sha256.Sum256(archive))
		fmt.Fprintf(&list, "%s  %s\n", sums[p], p.archive())
		if err := os.WriteFile(filepath.Join(output, p.archive()), archive, file); err != nil {
			return fmt.Errorf("cannot write %s: %w", p.archive(), err)
		}
	}
	for name, content := range map[string]string{"checksums.txt": list.String(), "chroma.yaml": krew(version, download, sums)} {
		if err := os.WriteFile(filepath.Join(output, name), []byte(content), file); err != nil {
			return fmt.Errorf("cannot write %s: %w", name, err)
		}
	}
	return nil
}

// build the plugin for a platform. Go itself records the version: that of the tag it is built from.
func build(ctx context.Context, p platform, version string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "kubectl-chroma")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, p.binary())
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w", "-o", path, "./plugin")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.machine)
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("cannot build for %s/%s: %w", p.system, p.machine, err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the version of what was built: %w", err)
	}
	if info.Main.Version != version {
		// Nothing that is released: a trial of the release.
		fmt.Fprintf(os.Stderr, "warning: %s/%s calls itself %s, not %s: check out the tag to release it\n", p.system, p.machine, info.Main.Version, version)
	}
	built, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read what was built: %w", err)
	}
	return built, nil
}

// entry of an archive.
type entry struct {
	name    string
	mode    int64
	content []byte
}

// pack entries without times and owners.
func pack(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, e := range entries {
		if err := archive.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.content)), Format: tar.FormatUSTAR}); err != nil {
			return nil, fmt.Errorf("cannot add %s: %w", e.name, err)
		}
		if _, err := archive.Write(e.content); err != nil {
			return nil, fmt.Errorf("cannot add %s: %w", e.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("cannot end the archive: %w", err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("cannot end the archive: %w", err)
	}
	return out.Bytes(), nil
}

// krew manifest of the release.
func krew(version, download string, sums map[platform]string) string {
	var out strings.Builder
	fmt.Fprintf(&out, `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: chroma
spec:
  version: %s
  homepage: https://github.com/function-chroma/function-chroma
  shortDescription: Operate Chroma and Vald on Crossplane
  description: |
    Shows what runs on which data, says whether an upgrade is allowed and why, plays it in a simulated cluster, and
    changes Chroma and Vald that function-chroma composes. An independent project, not affiliated with or endorsed by
    Chroma Inc. or Vald.
  platforms:
`, version)
	for _, p := range platforms() {
		fmt.Fprintf(&out, `  - selector:
      matchLabels:
        os: %s
        arch: %s
    uri: %s/%s/%s
    sha256: %s
    bin: %s
`, p.system, p.machine, download, version, p.archive(), sums[p], p.binary())
	}
	return out.String()
}
