package main

import (
	"os"
	"syscall"
)

// mostMemory is the most memory that a process had, in MB.
func mostMemory(s *os.ProcessState) float64 {
	if r, ok := s.SysUsage().(*syscall.Rusage); ok {
		return float64(r.Maxrss) / 1024
	}
	return 0
}
