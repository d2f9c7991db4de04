package checkcmd

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// tenThousand are files of realistic size, each with a name of its own.
func tenThousand(b *testing.B) []string {
	b.Helper()
	source, err := os.ReadFile("../../scenario/testdata/corpus/good/engine-under-latency.toml")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	paths := make([]string, 10000)
	for i := range paths {
		text := strings.Replace(string(source), "engine-under-latency", fmt.Sprintf("engine-under-latency-%d", i), 1)
		paths[i] = write(b, dir, fmt.Sprintf("%d.toml", i), text)
	}
	return paths
}

// BenchmarkTenThousand checks 10,000 files in one process; the aim is
// 2 s on two processors. Its peer, unmarshal, reads the same files as TOML into maps, as
// many at once, and asks nothing of them.
func BenchmarkTenThousand(b *testing.B) {
	paths := tenThousand(b)
	for _, format := range []string{"text", "sarif"} {
		b.Run("check "+format, func(b *testing.B) {
			for b.Loop() {
				var out bytes.Buffer
				if code := Run(b.Context(), paths, nil, &out, &out, Options{Format: format}); code != ExitOK {
					b.Fatal(out.String())
				}
			}
		})
	}
	b.Run("unmarshal", func(b *testing.B) {
		for b.Loop() {
			unmarshalAll(b, paths)
		}
	})
}

func unmarshalAll(b *testing.B, paths []string) {
	next := make(chan string)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for path := range next {
				source, err := os.ReadFile(path)
				if err != nil {
					b.Error(err)
					continue
				}
				var into map[string]any
				if err := toml.Unmarshal(source, &into); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for _, path := range paths {
		next <- path
	}
	close(next)
	workers.Wait()
}
