//go:build !linux

package main

import "os"

// mostMemory is not measured here: systems count it in different ways.
func mostMemory(*os.ProcessState) float64 { return 0 }
