package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// migrate writes the revision table as the migration tool does, with the one revision that the image is made with.
func migrate(ctx context.Context, arguments []string) error {
	if len(arguments) != 4 || !slices.Equal(arguments[:3], []string{"migrate", "apply", "--url"}) {
		return fmt.Errorf("cannot understand %q", arguments[:min(3, len(arguments))])
	}
	return execute(ctx, arguments[3], fmt.Sprintf(`
CREATE SCHEMA IF NOT EXISTS atlas_schema_revisions;
CREATE TABLE IF NOT EXISTS atlas_schema_revisions.atlas_schema_revisions (version text PRIMARY KEY);
INSERT INTO atlas_schema_revisions.atlas_schema_revisions VALUES ('%s') ON CONFLICT DO NOTHING;
`, os.Getenv("REVISION")))
}

// execute statements on the database at a URL.
func execute(ctx context.Context, url, statements string) error {
	connection, err := pgconn.Connect(ctx, url)
	if err != nil {
		return errors.New("cannot connect to Postgres with the URL that the arguments give") // Which has the password.
	}
	_, err = connection.Exec(ctx, statements).ReadAll()
	if err := errors.Join(err, connection.Close(ctx)); err != nil {
		return fmt.Errorf("cannot use Postgres: %w", err)
	}
	return nil
}
