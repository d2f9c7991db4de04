package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed pages are those that the format and its rules give.
func TestPagesAreCurrent(t *testing.T) {
	pages, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		have, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("docs/%s is not current: run go generate ./scenario", name)
		}
	}
}

func TestRunWrites(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
	if err := run(filepath.Join(dir, "missing")); err == nil {
		t.Error("no error for a directory that is not there")
	}
}
