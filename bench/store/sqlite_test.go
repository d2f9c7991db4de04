package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/bench/store"
)

func TestSQLiteFileIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.db")
	s, err := store.OpenSQLite(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s, begin(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = must(store.OpenSQLite(t.Context(), file))(t)
	if r := get(t, s, "run0001"); r.Place != 1 {
		t.Errorf("%+v", r)
	}
}

func TestSQLiteFileHasOneOwner(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.db")
	must(store.OpenSQLite(t.Context(), file))(t)
	_, err := store.OpenSQLite(t.Context(), file)
	if err == nil || !strings.Contains(err.Error(), "bench.db: another bench has it open") {
		t.Errorf("a second owner: %v", err)
	}
}

func TestSQLiteFileThatIsNone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text.db"), []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"text.db":          "text.db",
		"absent/bench.db":  "its folder does not exist",
		".":                "open the database",
		"text.db/bench.db": "its folder does not exist",
	} {
		_, err := store.OpenSQLite(t.Context(), filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
