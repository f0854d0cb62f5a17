package cmd

import "runtime/debug"

// boundMemory says how far the heap may grow before garbage is collected, in
// bytes, unless the environment does. What it returns takes that back.
func (a *app) boundMemory(heap int64) (restore func()) {
	if a.getenv("GOMEMLIMIT") != "" || a.getenv("GOGC") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(400), debug.SetMemoryLimit(heap)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
