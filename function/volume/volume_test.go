package volume

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/function/compatibility"
)

// schema is the table as Chroma makes it.
const schema = `CREATE TABLE migrations (dir TEXT NOT NULL, version INTEGER NOT NULL, filename TEXT NOT NULL, sql TEXT NOT NULL,
	hash TEXT NOT NULL, PRIMARY KEY (dir, version))`

// makeVolume writes a volume whose folders of migrations go from 1 to the given numbers.
func makeVolume(t *testing.T, last map[string]int, statements ...string) string {
	t.Helper()
	folder := t.TempDir()
	database, err := sql.Open("sqlite", filepath.Join(folder, Database))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	execute := func(statement string, arguments ...any) {
		if _, err := database.ExecContext(t.Context(), statement, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	execute(schema)
	for dir, number := range last {
		for version := 1; version <= number; version++ {
			execute("INSERT INTO migrations VALUES (?, ?, 'file', 'sql', 'hash')", dir, version)
		}
	}
	for _, statement := range statements {
		execute(statement)
	}
	return folder
}

func TestRead(t *testing.T) {
	type want struct {
		migrations Migrations
		formats    []string
	}
	cases := map[string]struct {
		reason string
		last   map[string]int
		want   want
	}{
		"A": {
			reason: "Chroma 1.0.0 to 1.2.2 know nine migrations of sysdb",
			last:   map[string]int{"sysdb": 9, "metadb": 5, "embeddings_queue": 2},
			want:   want{Migrations{9, 5, 2}, []string{"A1", "A2"}},
		},
		"B": {
			reason: "Chroma 1.3.0 adds the schema of collections",
			last:   map[string]int{"sysdb": 10, "metadb": 5, "embeddings_queue": 2},
			want:   want{Migrations{10, 5, 2}, []string{"B"}},
		},
		"C": {
			reason: "Chroma 1.5.0 adds arrays in metadata",
			last:   map[string]int{"sysdb": 10, "metadb": 6, "embeddings_queue": 2},
			want:   want{Migrations{10, 6, 2}, []string{"C"}},
		},
		"Newer": {
			reason: "A migration that no known release has makes the format unknown, not that of the newest",
			last:   map[string]int{"sysdb": 11, "metadb": 6, "embeddings_queue": 2},
			want:   want{Migrations{11, 6, 2}, nil},
		},
		"Empty": {
			reason: "A server that was killed before its first migration leaves an empty table",
			want:   want{Migrations{}, nil},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Read(t.Context(), makeVolume(t, tc.last))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, want{got, got.Formats()}, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFormatsAreThoseOfTheTable(t *testing.T) {
	want := []string{}
	for _, format := range compatibility.Formats() {
		want = append(want, format.Name)
	}
	got := []string{}
	for system := range 20 {
		for metadata := range 20 {
			for queue := range 20 {
				got = append(got, Migrations{System: system, Metadata: metadata, Queue: queue}.Formats()...)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nEach format of the table can be read from a volume, and no other\nFormats(): -want, +got:\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	c := map[string]int{"sysdb": 10, "metadb": 6, "embeddings_queue": 2}
	write := func(t *testing.T, folder, name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	cases := map[string]struct {
		reason string
		folder func(t *testing.T) string
		want   error
	}{
		"NoFile": {
			reason: "A folder without a database is not an empty one",
			folder: (*testing.T).TempDir,
			want:   fs.ErrNotExist,
		},
		"Garbage": {
			reason: "A file that is no database is said to be none",
			folder: func(t *testing.T) string {
				t.Helper()
				return write(t, t.TempDir(), Database, "not a database, but long enough")
			},
			want: cmpopts.AnyError,
		},
		"EmptyFile": {
			reason: "An empty file is a database without the table",
			folder: func(t *testing.T) string {
				t.Helper()
				return write(t, t.TempDir(), Database, "")
			},
			want: cmpopts.AnyError,
		},
		"Folder": {
			reason: "A folder in the place of the file cannot be read",
			folder: func(t *testing.T) string {
				t.Helper()
				folder := t.TempDir()
				if err := os.Mkdir(filepath.Join(folder, Database), 0o700); err != nil {
					t.Fatal(err)
				}
				return folder
			},
			want: cmpopts.AnyError,
		},
		"Journal": {
			reason: "What a cut-off write left must be undone before the file can be believed",
			folder: func(t *testing.T) string {
				t.Helper()
				return write(t, makeVolume(t, c), Database+"-journal", "journal")
			},
			want: ErrUnfinished,
		},
		"Gap": {
			reason: "A missing migration is no format of Chroma",
			folder: func(t *testing.T) string {
				t.Helper()
				return makeVolume(t, c, "DELETE FROM migrations WHERE dir = 'sysdb' AND version = 4")
			},
			want: ErrGap,
		},
		"AnotherFolder": {
			reason: "Migrations of an unknown folder change the data in an unknown way",
			folder: func(t *testing.T) string {
				t.Helper()
				return makeVolume(t, map[string]int{"sysdb": 10, "vectordb": 1})
			},
			want: cmpopts.AnyError,
		},
		"NotANumber": {
			reason: "SQLite keeps text in a column of numbers",
			folder: func(t *testing.T) string {
				t.Helper()
				return makeVolume(t, c, "UPDATE migrations SET version = 'ten' WHERE version = 10")
			},
			want: cmpopts.AnyError,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), tc.folder(t))
			if diff := cmp.Diff(tc.want, err, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("\n%s\nRead(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadChangesNothing(t *testing.T) {
	folder := makeVolume(t, map[string]int{"sysdb": 10, "metadb": 6, "embeddings_queue": 2})
	before := listing(t, folder)
	if _, err := Read(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, listing(t, folder)); diff != "" {
		t.Errorf("\nReading a volume leaves its files as they were\nRead(...): -before, +after:\n%s", diff)
	}
}

// listing returns the content of each file of a folder.
func listing(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

// TestReadDamaged reads databases that differ from a good one, which must give an error or a format, and end. It is no fuzz
// target: with the coverage counters of all of SQLite a fuzzer tries less than one file a second.
func TestReadDamaged(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(
		makeVolume(t, map[string]int{"sysdb": 10, "metadb": 6, "embeddings_queue": 2}), Database))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		content := slices.Clone(good[:rapid.IntRange(0, len(good)).Draw(t, "length")])
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			if len(content) > 0 {
				content[rapid.IntRange(0, len(content)-1).Draw(t, "offset")] = rapid.Byte().Draw(t, "byte")
			}
		}
		if err := os.WriteFile(filepath.Join(folder, Database), content, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		migrations, err := Read(ctx, folder)
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Read(...): did not end in time: %v", err)
		}
		if err != nil && migrations != (Migrations{}) {
			t.Fatalf("Read(...): gives migrations %v beside the error %v", migrations, err)
		}
	})
}
