package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// The bindings of Chroma 1.0.21 and later are linked against this version of glibc.
const wantedLibc = "2.39"

// libcSuite is the release of Debian with a new enough glibc.
const libcSuite = "trixie"

// libcLoader returns the words that go before a program so that it runs with a new enough glibc: none when the machine's
// own is, else the dynamic loader of one taken from Debian's packages, which touches nothing outside the cache.
func libcLoader(ctx context.Context, cache string) ([]string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("cannot run Chroma's npm package on %s/%s: %w", runtime.GOOS, runtime.GOARCH, ErrUnavailable)
	}
	output, err := exec.CommandContext(ctx, "getconf", "GNU_LIBC_VERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot read the version of glibc: %w: %w", ErrUnavailable, err)
	}
	machine, err := semver.NewVersion(strings.TrimSpace(strings.TrimPrefix(string(output), "glibc")))
	if err != nil {
		return nil, fmt.Errorf("cannot read the version of glibc in %q: %w", output, err)
	}
	if !machine.LessThan(semver.MustParse(wantedLibc)) {
		return nil, nil
	}
	libraries, err := libcLibraries(ctx, cache)
	if err != nil {
		return nil, err
	}
	return []string{filepath.Join(libraries, "ld-linux-x86-64.so.2"), "--library-path", libraries}, nil
}

// libcLibraries returns a folder with glibc of Debian's release trixie, its loader and the libraries of GCC.
func libcLibraries(ctx context.Context, cache string) (string, error) {
	folder, err := once(cache, "glibc-"+libcSuite, func(folder string) error { return fetchLibc(ctx, folder) })
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "root", "usr", "lib", "x86_64-linux-gnu"), nil
}

// fetchLibc downloads glibc and the two libraries of GCC that Node needs, and unpacks them below root.
func fetchLibc(ctx context.Context, folder string) error {
	mirror, err := debianMirror(ctx)
	if err != nil {
		return err
	}
	configuration, err := writeAptConfiguration(folder, mirror)
	if err != nil {
		return err
	}
	environment := []string{"APT_CONFIG=" + configuration}
	if err := command(ctx, folder, environment, "apt-get", "update"); err != nil {
		return err
	}
	if err := command(ctx, folder, environment, "apt-get", "download", "libc6", "libstdc++6", "libgcc-s1"); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.deb"))
	if err != nil {
		return fmt.Errorf("cannot list the packages of glibc: %w", err)
	}
	for _, archive := range archives {
		if err := command(ctx, folder, nil, "dpkg-deb", "--extract", archive, "root"); err != nil {
			return err
		}
	}
	for _, used := range append(archives, filepath.Join(folder, "apt")) {
		if err := os.RemoveAll(used); err != nil {
			return fmt.Errorf("cannot remove what glibc came in: %w", err)
		}
	}
	return nil
}

// debianMirror returns the address that the machine takes the packages of its own release from. apt itself reads its
// sources, whichever of their two formats they are in.
func debianMirror(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "apt-get", "indextargets",
		"--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages").Output()
	if err != nil {
		return "", fmt.Errorf("cannot read the sources of apt: %w: %w", ErrUnavailable, err)
	}
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", fmt.Errorf("cannot read the release of this machine: %w: %w", ErrUnavailable, err)
	}
	return mirrorOf(string(output), string(release))
}

// mirrorOf picks the source of Debian's own release out of apt's list: lines of address, suite and component.
func mirrorOf(sources, osRelease string) (string, error) {
	identity := map[string]string{}
	for line := range strings.Lines(osRelease) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			identity[key] = strings.Trim(value, `"'`)
		}
	}
	if identity["ID"] != "debian" {
		return "", fmt.Errorf("cannot get glibc %s for %q, only for Debian: %w", wantedLibc, identity["ID"], ErrUnavailable)
	}
	for line := range strings.Lines(sources) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[1] == identity["VERSION_CODENAME"] && fields[2] == "main" {
			return fields[0], nil
		}
	}
	return "", fmt.Errorf("cannot find the source of %s/main in apt's list: %w", identity["VERSION_CODENAME"], ErrUnavailable)
}

// writeAptConfiguration makes apt work below a folder alone, with one source, and returns the configuration's file.
func writeAptConfiguration(folder, mirror string) (string, error) {
	state := filepath.Join(folder, "apt")
	for _, sub := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(state, sub), 0o750); err != nil {
			return "", fmt.Errorf("cannot make the folders of apt: %w", err)
		}
	}
	const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
	options := ""
	if _, err := os.Stat(keyring); err == nil {
		options = "[signed-by=" + keyring + "] "
	}
	files := map[string]string{
		"sources.list": "deb " + options + mirror + " " + libcSuite + " main\n",
		"apt.conf": fmt.Sprintf(`Dir::Etc::SourceList "%[1]s/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "%[1]s/lists";
Dir::State::Status "/dev/null";
Dir::Cache "%[1]s/cache";
APT::Sandbox::User "root";
Acquire::Retries "3";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
`, state),
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(state, name), []byte(content), 0o600); err != nil {
			return "", fmt.Errorf("cannot write the configuration of apt: %w", err)
		}
	}
	return filepath.Join(state, "apt.conf"), nil
}
