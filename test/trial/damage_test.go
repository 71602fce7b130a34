package trial

import (
	"database/sql"
	"errors"
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

// TestRefusedWritesHappenLater shows that a write that an older server refuses on data of a newer one is not undone: it is
// in the log, and the newer server applies it.
func TestRefusedWritesHappenLater(t *testing.T) {
	newer, older := require(t, "1.5.9"), require(t, "1.4.1")
	data, err := Write(t.Context(), newer, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	collection := client.Collection{}
	deleted := client.Selection{IDs: []string{id(3)}}
	if err := with(t.Context(), older.Program, data.folder, func(chroma *client.Client) (err error) {
		if collection, err = chroma.Collection(t.Context(), arrays); err != nil {
			return err
		}
		refusal := (*client.Error)(nil)
		if err := chroma.Delete(t.Context(), collection.ID, deleted); !errors.As(err, &refusal) {
			t.Errorf("Delete(...): want the older server to refuse to delete from a collection with arrays, got: %v", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := with(t.Context(), newer.Program, data.folder, func(chroma *client.Client) error {
		found, err := chroma.Get(t.Context(), collection.ID, deleted)
		if len(found.IDs) != 0 {
			t.Errorf("Get(...): want the refused delete to have happened, got: %v", found.IDs)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
