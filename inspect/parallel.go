package inspect

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls do for each of [0,n), on all processors and in no order.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	each := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var work sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		work.Go(each)
	}
	each()
	work.Wait()
}
