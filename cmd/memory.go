package cmd

import "runtime/debug"

// boundMemory says how far the heap may grow before garbage is collected at any
// cost, in bytes, unless the environment does. What it returns takes that back.
func (a *app) boundMemory(heap int64) (restore func()) {
	if a.getenv("GOMEMLIMIT") != "" || a.getenv("GOGC") != "" {
		return func() {}
	}
	limit := debug.SetMemoryLimit(heap)
	return func() { debug.SetMemoryLimit(limit) }
}
