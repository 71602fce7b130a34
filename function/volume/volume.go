// Package volume reads from the files of a Chroma volume, without a server, which format its data has.
//
// A server migrates the data when it starts and records each migration in a table of chroma.sqlite3. Releases of Chroma
// that know the same migrations share a data format; the borders between formats do not follow their version numbers.
package volume

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // The driver of the name sqlite, in Go alone.
)

// Database is the name of the file, in the folder of the data, that holds everything but the vector indexes.
const Database = "chroma.sqlite3"

var (
	// ErrUnfinished says that a write has not ended, or was cut off: what the file holds is not yet decided. A server
	// that opens the volume decides it.
	ErrUnfinished = errors.New("an unfinished write lies beside the database")
	// ErrGap says that the migrations of a folder do not count from 1 without a gap, which no release of Chroma does.
	ErrGap = errors.New("migrations are missing")
)

// Migrations are the numbers of the last migration of each of Chroma's folders of migrations.
type Migrations struct {
	// System is that of sysdb: collections, segments, tenants, databases.
	System int
	// Metadata is that of metadb: records' documents and metadata.
	Metadata int
	// Queue is that of embeddings_queue: the log of writes.
	Queue int
}

// Read returns the migrations of the volume in a folder. It changes nothing, not even a lock file, so the volume may be
// mounted read-only; no server may write to it meanwhile.
func Read(ctx context.Context, folder string) (Migrations, error) {
	file, err := filepath.Abs(filepath.Join(folder, Database))
	if err != nil {
		return Migrations{}, fmt.Errorf("cannot find the database: %w", err)
	}
	// SQLite would take a missing file for an empty database.
	if _, err := os.Stat(file); err != nil {
		return Migrations{}, fmt.Errorf("cannot find the database: %w", err)
	}
	// An immutable database is read without its journal, so one that is needed must be seen here.
	for _, journal := range []string{file + "-journal", file + "-wal"} {
		if info, err := os.Stat(journal); err == nil && info.Size() > 0 {
			return Migrations{}, fmt.Errorf("cannot read %s: %w", file, ErrUnfinished)
		}
	}
	address := url.URL{Scheme: "file", Path: file, RawQuery: "mode=ro&immutable=1"}
	database, err := sql.Open("sqlite", address.String())
	if err != nil {
		return Migrations{}, fmt.Errorf("cannot open %s: %w", file, err)
	}
	defer database.Close()
	return read(ctx, database)
}

func read(ctx context.Context, database *sql.DB) (Migrations, error) {
	rows, err := database.QueryContext(ctx, "SELECT dir, min(version), max(version), count(*) FROM migrations GROUP BY dir")
	if err != nil {
		return Migrations{}, fmt.Errorf("cannot read the migrations: %w", err)
	}
	defer rows.Close()
	migrations := Migrations{}
	for rows.Next() {
		var dir string
		var first, last, count int
		if err := rows.Scan(&dir, &first, &last, &count); err != nil {
			return Migrations{}, fmt.Errorf("cannot read a migration: %w", err)
		}
		if first != 1 || last != count {
			return Migrations{}, fmt.Errorf("cannot trust the migrations of %q, %d from %d to %d: %w", dir, count, first, last, ErrGap)
		}
		switch dir {
		case "sysdb":
			migrations.System = last
		case "metadb":
			migrations.Metadata = last
		case "embeddings_queue":
			migrations.Queue = last
		default:
			return Migrations{}, fmt.Errorf("cannot tell what the migrations of %q do: no known release of Chroma has them", dir)
		}
	}
	if err := rows.Err(); err != nil {
		return Migrations{}, fmt.Errorf("cannot read the migrations: %w", err)
	}
	return migrations, nil
}
