// Docgen writes the reference of the scenario file and its JSON Schema.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/scenario/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	pages, err := pages()
	if err != nil {
		return err
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
			return fmt.Errorf("writing a page: %w", err)
		}
	}
	return nil
}

// pages are the generated files, by name.
func pages() (map[string][]byte, error) {
	schema, err := scenario.Schema()
	if err != nil {
		return nil, fmt.Errorf("making the schema: %w", err)
	}
	return map[string][]byte{
		"scenario.md":          scenario.Reference(slices.Concat(bench.Rules(), report.Rules())...),
		"scenario.schema.json": schema,
	}, nil
}
