package trial

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/volume"
	"github.com/function-chroma/function-chroma/test/server/client"
)

// TestSilentDamage shows that a trial notices a server that answers everything, with other results. Chroma 1.2.2 does that
// on data of 1.3.0 and later, by its source: it no longer refuses data with more migrations than it knows, and does not
// read the settings of collections where they are now. There is no server of 1.2.2, so one of 1.1.1 takes its place, on
// data that no longer says what migrations it had.
func TestSilentDamage(t *testing.T) {
	data, err := Write(t.Context(), require(t, "1.5.9"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(data.folder)); err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("sqlite", filepath.Join(folder, volume.Database))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := database.ExecContext(t.Context(),
		"DELETE FROM migrations WHERE (dir, version) IN (VALUES ('sysdb', 10), ('metadb', 6))"); err != nil {
		t.Fatal(err)
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := observe(t.Context(), require(t, "1.1.1").Program, folder, data.snapshot, func(*client.Client) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := compatibility.ResultDiffers; got.Result != want {
		t.Errorf("observe(...): want %s, got %s", want, got.Result)
	}
	if details := fmt.Sprint(got.Details); !strings.Contains(details, "collection "+cosine) {
		t.Errorf("observe(...): want the collection with cosine distance among the differences, got: %s", details)
	}
}
