// Command gapctl shows, explains and repairs gap commits on Apache Kafka.
package main

import (
	"os"
	"runtime/debug"

	"github.com/gapctl/gapctl/cmd"
)

// A run is short and keeps most of what it makes, so garbage is collected less
// often than usual: to describe 30,000 partitions that saves a fifth of the
// time, and no more memory is in use at the end. Only a heap that is large
// already is collected sooner.
const (
	heapGrowth = 400 // percent
	heapLarge  = 1 << 30
)

func main() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(heapGrowth)
		debug.SetMemoryLimit(heapLarge)
	}
	os.Exit(cmd.Main(os.Args[1:], cmd.Process()))
}
