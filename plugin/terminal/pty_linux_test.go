package terminal

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pseudo is a terminal of 40 columns and 5 rows: what is written to it, and how a person sees it.
func pseudo(t *testing.T) (written, seen *os.File) {
	t.Helper()
	seen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { _ = seen.Close() })
	fd := int(seen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 5, Col: 40}); err != nil {
		t.Fatal(err)
	}
	written, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = written.Close() })
	return written, seen
}

func TestPaletteOnATerminal(t *testing.T) {
	cases := map[string]struct {
		reason      string
		when        string
		environment map[string]string
		want        string
	}{
		"Auto":          {reason: "A person sees colours.", when: Auto, want: "\x1b[32mx\x1b[0m"},
		"NoColor":       {reason: "NO_COLOR turns them off.", when: Auto, environment: map[string]string{"NO_COLOR": "1"}, want: "x"},
		"Dumb":          {reason: "A terminal that cannot show them gets none.", when: Auto, environment: map[string]string{"TERM": "dumb"}, want: "x"},
		"Never":         {reason: "The flag turns them off.", when: Never, want: "x"},
		"AlwaysNoColor": {reason: "The flag is a person's own word, and stands above the environment.", when: Always, environment: map[string]string{"NO_COLOR": "1"}, want: "\x1b[32mx\x1b[0m"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			written, _ := pseudo(t)
			palette, err := NewPalette(tc.when, written, func(name string) string { return tc.environment[name] })
			if err != nil {
				t.Fatal(err)
			}
			if got := palette.Good("x"); got != tc.want {
				t.Errorf("\n%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestScreenOnATerminal(t *testing.T) {
	written, seen := pseudo(t)
	screen := NewScreen(written)
	if !screen.Live() || Width(written) != 40 {
		t.Fatalf("a terminal of 40 columns is one: live %t, width %d", screen.Live(), Width(written))
	}
	screen.Draw("one\ntwo\n", "")
	screen.Draw("three\n", "")
	got := read(t, seen, "three")
	if !strings.Contains(got, home+"one"+clearLine) || !strings.Contains(got, home+"three"+clearLine) {
		t.Errorf("each frame begins at the top of the terminal:\n%q", got)
	}
}

func TestScreenElsewhere(t *testing.T) {
	if screen := NewScreen(&bytes.Buffer{}); screen.Live() {
		t.Error("a buffer is no terminal")
	}
}

// read what a person sees until a text is there.
func read(t *testing.T, seen *os.File, until string) string {
	t.Helper()
	var out strings.Builder
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		content := make([]byte, 1024)
		for !strings.Contains(out.String(), until+clearLine) {
			n, err := seen.Read(content)
			if err != nil {
				return
			}
			out.Write(content[:n])
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatalf("%q did not reach the terminal", until)
	}
	return out.String()
}
