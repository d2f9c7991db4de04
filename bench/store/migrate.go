package store

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the database to the newest schema. A migration is numbered by its
// place among the files, from 1; a file is never changed once it was released.
func (s *Store) migrate(ctx context.Context) error {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	return s.write(ctx, func(db session) error {
		if _, err := db.exec(ctx, `create table if not exists schema_version (version bigint not null primary key, applied_at bigint not null)`); err != nil {
			return fmt.Errorf("read the schema's version: %w", err)
		}
		var have int
		if err := db.row(ctx, `select coalesce(max(version), 0) from schema_version`).Scan(&have); err != nil {
			return fmt.Errorf("read the schema's version: %w", err)
		}
		if have > len(files) {
			return fmt.Errorf("its schema has version %d, this program knows %d: use the program that wrote it, or a newer one", have, len(files))
		}
		for i := have; i < len(files); i++ {
			if err := db.apply(ctx, files[i].Name()); err != nil {
				return fmt.Errorf("apply the migration %s: %w", files[i].Name(), err)
			}
			if _, err := db.exec(ctx, `insert into schema_version (version, applied_at) values (?, ?)`, i+1, time.Now().UnixMilli()); err != nil {
				return fmt.Errorf("note the schema's version: %w", err)
			}
		}
		return nil
	})
}

// apply runs the statements of a file; a statement ends with a semicolon at the end
// of a line.
func (s session) apply(ctx context.Context, name string) error {
	text, err := migrations.ReadFile("migrations/" + name)
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(string(text), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := s.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
