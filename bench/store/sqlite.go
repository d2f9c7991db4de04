package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// busyTimeout is how long SQLite waits for another process's lock, in milliseconds.
const busyTimeout = "10000"

// readers is how many statements may read a file at once; SQLite in WAL mode lets
// them read beside the writer.
const readers = 4

// OpenSQLite opens the database in a file, made where it is missing, and brings it to
// the newest schema. A file has one owner: a second process is refused.
func OpenSQLite(ctx context.Context, file string) (*Store, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("find the database %s: %w", file, err)
	}
	lock, err := lockSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", file, err)
	}
	// A write is on the disk when it is answered: synchronous is full.
	settings := "_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	writer, err := openSQLite(path, settings, 1)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", file, err), lock.Close())
	}
	s := &Store{dialect: sqliteDialect, writer: writer}
	s.close = func() error { return errors.Join(writer.Close(), lock.Close()) }
	// The schema comes first: readers open a file that is there.
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", file, err), s.Close())
	}
	if s.reader, err = openSQLite(path, "_pragma=query_only(1)", readers); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", file, err), s.Close())
	}
	s.close = func() error { return errors.Join(s.reader.Close(), writer.Close(), lock.Close()) }
	return s, nil
}

// OpenMemory opens a database that lives as long as the store.
func OpenMemory(ctx context.Context) (*Store, error) {
	db, err := sql.Open("sqlite", ":memory:?_pragma=foreign_keys(1)")
	if err != nil {
		return nil, fmt.Errorf("open a database in memory: %w", err)
	}
	// Every connection would be a database of its own.
	db.SetMaxOpenConns(1)
	db.SetConnMaxIdleTime(0)
	db.SetConnMaxLifetime(0)
	s := &Store{dialect: sqliteDialect, writer: db, reader: db, close: db.Close}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

var sqliteDialect = dialect{rebind: func(statement string) string { return statement }}

func openSQLite(path, settings string, connections int) (*sql.DB, error) {
	name := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	db, err := sql.Open("sqlite", name+"?_pragma=busy_timeout("+busyTimeout+")&"+settings)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// lockSQLite takes the lock that makes this process the owner of a database. It is a
// transaction that is never committed, in a file beside it: the system drops it when
// the process ends, however it ends.
func lockSQLite(ctx context.Context, path string) (*sql.DB, error) {
	name := "file:" + (&url.URL{Path: filepath.ToSlash(path) + ".lock"}).EscapedPath()
	db, err := sql.Open("sqlite", name+"?_pragma=busy_timeout(0)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "begin exclusive"); err != nil {
		var reported *sqlite.Error
		if errors.As(err, &reported) && reported.Code()&0xff == sqlite3.SQLITE_BUSY {
			err = errors.New("another bench has it open: stop that one, or name another file")
		} else if strings.Contains(err.Error(), "unable to open") {
			err = errors.New("its folder does not exist or cannot be written")
		}
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
