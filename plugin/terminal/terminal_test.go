package terminal

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPalette(t *testing.T) {
	cases := map[string]struct {
		reason  string
		when    string
		want    string
		wantErr bool
	}{
		"Auto":    {reason: "A buffer is no terminal.", when: Auto, want: "x"},
		"Never":   {reason: "Never means never.", when: Never, want: "x"},
		"Always":  {reason: "Always paints, in a pipe too.", when: Always, want: "\x1b[32mx\x1b[0m"},
		"Unknown": {reason: "Another word is an error.", when: "sometimes", wantErr: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			palette, err := NewPalette(tc.when, &bytes.Buffer{}, func(string) string { return "" })
			if (err != nil) != tc.wantErr {
				t.Fatalf("\n%s\nNewPalette(%q): %v", tc.reason, tc.when, err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tc.want, palette.Good("x")); diff != "" {
				t.Errorf("\n%s\nGood(x): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"Short":     {reason: "What fits stays on a line.", text: "a b", want: []string{"a b"}},
		"Long":      {reason: "Lines end between words.", text: "one two three", want: []string{"one two", "three"}},
		"LongWord":  {reason: "A word that is too long stays whole, so that it can be copied.", text: "a kubectl-annotate b", want: []string{"a", "kubectl-annotate", "b"}},
		"Paragraph": {reason: "Line breaks stay.", text: "a\nb", want: []string{"a", "b"}},
		"Umlauts":   {reason: "Characters count, not bytes.", text: "üüü üüüü", want: []string{"üüü üüüü"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Wrap(tc.text, 8)); diff != "" {
				t.Errorf("\n%s\nWrap(%q, 8): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
		})
	}
}
