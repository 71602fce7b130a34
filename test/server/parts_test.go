package server

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestConfigure(t *testing.T) {
	cases := map[string]struct {
		reason  string
		config  string
		overlay string
		want    string
	}{
		"Empty": {
			reason: "A server needs a port and a folder of data, even without a configuration",
			want:   "port: 18000\npersist_path: \"/volume\"\n",
		},
		"Replaced": {
			reason: "The port and the folder of the Pod become those of the test, other keys stay where they are",
			config: "port: 8000\npersist_path: /data\nstdout_tracing: true\n",
			want:   "port: 18000\npersist_path: \"/volume\"\nstdout_tracing: true\n",
		},
		"TextKept": {
			reason: "A number that no float64 holds reaches the server as it was written",
			config: "max_payload_size_bytes: 9223372036854775807\n",
			want:   "max_payload_size_bytes: 9223372036854775807\nport: 18000\npersist_path: \"/volume\"\n",
		},
		"Overlay": {
			reason:  "A test can break the port itself",
			config:  "port: 8000\n",
			overlay: "port: \"8000\"\n",
			want:    "port: \"8000\"\npersist_path: \"/volume\"\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := configure([]byte(tc.config), tc.overlay, 18000, "/volume")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("\n%s\nconfigure(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCleanEnvironment(t *testing.T) {
	got := cleanEnvironment([]string{"PATH=/bin", "CHROMA_PORT=tcp://10.0.0.1:8000", "TMPDIR=/elsewhere", "CHROMADB=1"})
	if diff := cmp.Diff([]string{"PATH=/bin", "CHROMADB=1"}, got); diff != "" {
		t.Errorf("\nA server must not see what the test's own environment says of Chroma\ncleanEnvironment(...): -want, +got:\n%s", diff)
	}
}

func TestMirrorOf(t *testing.T) {
	const debian = "ID=debian\nVERSION_CODENAME=bookworm\n"
	cases := map[string]struct {
		reason    string
		sources   string
		osRelease string
		want      string
		err       error
	}{
		"Own": {
			reason:    "The main component of the machine's own release is on the mirror that has the next release too",
			sources:   "http://mirror.example.org/security/ bookworm-security main\nhttp://mirror.example.org/debian/ bookworm main\n",
			osRelease: debian,
			want:      "http://mirror.example.org/debian/",
		},
		"QuotedRelease": {
			reason:    "Values of os-release may be quoted",
			sources:   "http://mirror.example.org/debian/ bookworm main\n",
			osRelease: "ID='debian'\nVERSION_CODENAME=\"bookworm\"\n",
			want:      "http://mirror.example.org/debian/",
		},
		"NoSource": {
			reason:    "A machine without a source of Debian cannot have the newer glibc",
			sources:   "http://mirror.example.org/other/ stable main\n",
			osRelease: debian,
			err:       ErrUnavailable,
		},
		"NotDebian": {
			reason:    "The mirror of another distribution has no release of Debian",
			sources:   "http://mirror.example.org/ubuntu/ jammy main\n",
			osRelease: "ID=ubuntu\nVERSION_CODENAME=jammy\n",
			err:       ErrUnavailable,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := mirrorOf(tc.sources, tc.osRelease)
			if diff := cmp.Diff(tc.err, err, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("\n%s\nmirrorOf(...): -want error, +got error:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nmirrorOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBindingOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		chroma string
		want   string
		err    bool
	}{
		"Newest": {reason: "The newest release has a package", chroma: "1.5.9", want: "1.3.4"},
		"Shared": {reason: "One package can be that of several releases", chroma: "1.5.3", want: "1.3.1"},
		"None":   {reason: "No package was made for 1.2.2", chroma: "1.2.2", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := BindingOf(tc.chroma)
			if (err != nil) != tc.err {
				t.Errorf("\n%s\nBindingOf(%q): want an error: %t, got: %v", tc.reason, tc.chroma, tc.err, err)
			}
			if diff := cmp.Diff(tc.want, got.Package); diff != "" {
				t.Errorf("\n%s\nBindingOf(%q): -want, +got:\n%s", tc.reason, tc.chroma, diff)
			}
		})
	}
}

func TestOnce(t *testing.T) {
	cache := t.TempDir()
	failed := errors.New("cannot fill")
	if _, err := once(cache, "part", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("\nA failed attempt is reported\nonce(...): want %v, got %v", failed, err)
	}
	folder, err := once(cache, "part", func(folder string) error {
		return os.WriteFile(filepath.Join(folder, "file"), nil, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := once(cache, "part", func(string) error { return failed })
	if err != nil {
		t.Errorf("\nWhat is in the cache is not filled again\nonce(...): %v", err)
	}
	if diff := cmp.Diff(folder, again); diff != "" {
		t.Errorf("\nThe folder stays the same\nonce(...): -want, +got:\n%s", diff)
	}
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("\nA failed attempt leaves nothing behind\nonce(...): want one folder, got %v", entries)
	}
}

func TestInstallWithoutNode(t *testing.T) {
	t.Setenv(CacheVariable, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if _, err := Install(t.Context(), "1.5.9"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("\nA machine without Node is told from a broken package\nInstall(...): want %v, got %v", ErrUnavailable, err)
	}
}

func TestContainer(t *testing.T) {
	program := Container("podman", "docker.io/chromadb/chroma:1.5.9")
	port, folder := program.inside(18000, "/tmp/volume")
	run := invocation{
		name: "trial-1", port: 18000, volume: "/tmp/volume", config: "/tmp/config.yaml",
		arguments: []string{"run", "/config.yaml"},
	}
	user := strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid())
	want := []string{
		"podman", "run", "--rm", "--name", "trial-1", "--user", user, "--read-only", "--tmpfs", "/tmp",
		"--publish", "127.0.0.1:18000:8000", "--volume", "/tmp/volume:/data", "--volume", "/tmp/config.yaml:/config.yaml:ro",
		"docker.io/chromadb/chroma:1.5.9", "run", "/config.yaml",
	}
	if diff := cmp.Diff(want, program.command(run)); diff != "" {
		t.Errorf("\nAn image runs with the Pod's arguments and file system\ncommand(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]any{8000, "/data"}, []any{port, folder}); diff != "" {
		t.Errorf("\nThe server of an image listens and stores where the image says\ninside(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"podman", "kill", "trial-1"}, program.kill(run)); diff != "" {
		t.Errorf("\nThe runtime kills the container\nkill(...): -want, +got:\n%s", diff)
	}
}
