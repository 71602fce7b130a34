package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheDocumentIsWhatTheCodeSays(t *testing.T) {
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/compatibility.md is out of date, run go generate ./function/compatibility: -code, +file:\n%s", diff)
	}
}

func TestMatrix(t *testing.T) {
	table, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		name, cells, _ := strings.Cut(strings.TrimSpace(line), " ")
		rows[name] = strings.TrimSpace(cells)
	}
	all, err := versions()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason   string
		from, to string
		want     byte
	}{
		"Same":            {"A server opens its own data.", "1.5.9", "1.5.9", '='},
		"TriedUpgrade":    {"Both servers were run.", "1.0.9", "1.5.9", 'U'},
		"UntriedUpgrade":  {"No server of 1.2 could be had.", "1.2.0", "1.5.9", 'u'},
		"Downgrade":       {"Within format C.", "1.5.9", "1.5.0", 'D'},
		"FormatDowngrade": {"From C to B.", "1.5.9", "1.4.1", 'F'},
		"FromNewer":       {"Newer than the table.", "1.5.10", "1.5.9", 'f'},
		"Passage":         {"From Chroma 1.5.9.", "1.5.9", "pre.3", 'U'},
		"NoPassage":       {"From another Chroma.", "1.5.8", "pre.3", 'x'},
		"WayBack":         {"To Chroma 1.5.9.", "pre.3", "1.5.9", 'P'},
		"NoWayBack":       {"To another Chroma.", "pre.3", "1.5.8", 'x'},
		"NewerPreview":    {"Nobody has tried it.", "pre.3", "pre.4", 'x'},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for column, v := range all {
				if short(v) == tc.to && rows[tc.from][column] != tc.want {
					t.Errorf("\n%s\nmatrix from %s to %s: want %c, got %c", tc.reason, tc.from, tc.to, tc.want, rows[tc.from][column])
				}
			}
		})
	}
}
