// Command gapctl shows, explains and repairs gap commits on Apache Kafka.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/gapctl/gapctl/cmd"
)

// A run is short and keeps most of what it makes, so garbage is collected less
// often than usual, and not at all before the heap has some size: to describe
// 30,000 partitions that saves a fifth of the processors' time, and no more memory
// is in use at the end. Only a heap that is large already is collected sooner.
const (
	heapFirst  = 64 << 20 // bytes, about, at the first collection
	heapGrowth = 400      // percent, from then on
	heapLarge  = 1 << 30  // bytes

	runtimeHeapFirst = 4 << 20 // bytes at the first collection, where the growth is 100 percent
)

func main() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		collectSeldom()
	}
	os.Exit(cmd.Main(os.Args[1:], cmd.Process()))
}

func collectSeldom() {
	debug.SetMemoryLimit(heapLarge)
	debug.SetGCPercent(100 * heapFirst / runtimeHeapFirst)
	unused := new([16]byte) // gone with the first collection
	runtime.AddCleanup(unused, func(growth int) { debug.SetGCPercent(growth) }, heapGrowth)
}
