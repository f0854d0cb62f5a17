package codec

import (
	"container/heap"
	"slices"
)

// combine merges batches as the share coordinator does
// (PersisterStateBatchCombiner): where batches overlap the higher delivery
// count wins, then the higher state; neighbours with equal state and count are
// joined. The result is sorted and disjoint; batches is left as it is. The
// time is that of sorting, however many offsets the batches cover.
func combine(batches []Delivery) []Delivery {
	sorted := slices.DeleteFunc(slices.Clone(batches), func(d Delivery) bool { return d.Empty() })
	slices.SortFunc(sorted, func(a, b Delivery) int { return compareStart(a.Range, b.Range) })
	var out []Delivery
	var open deliveryHeap // the batches that start at or before at
	var at int64
	for len(sorted) > 0 || len(open) > 0 {
		if len(open) == 0 {
			at = max(at, sorted[0].Start)
		}
		for len(sorted) > 0 && sorted[0].Start <= at {
			heap.Push(&open, sorted[0])
			sorted = sorted[1:]
		}
		best := open[0]
		if best.End <= at {
			heap.Pop(&open)
			continue
		}
		end := best.End
		if len(sorted) > 0 {
			end = min(end, sorted[0].Start)
		}
		out = appendDelivery(out, Delivery{Range{at, end}, best.State, best.Count})
		at = end
	}
	return out
}

// appendDelivery appends d, which starts at or after the end of the last one,
// and joins the two when they touch and are equal.
func appendDelivery(out []Delivery, d Delivery) []Delivery {
	if n := len(out); n > 0 && out[n-1].End == d.Start && out[n-1].State == d.State && out[n-1].Count == d.Count {
		out[n-1].End = d.End
		return out
	}
	return append(out, d)
}

// cutBelow is the part of sorted, disjoint batches at or above start. It may
// change batches.
func cutBelow(batches []Delivery, start int64) []Delivery {
	i := 0
	for i < len(batches) && batches[i].End <= start {
		i++
	}
	batches = batches[i:]
	if len(batches) > 0 {
		batches[0].Start = max(batches[0].Start, start)
	}
	return batches
}

// deliveryHeap has the batch that wins an overlap on top.
type deliveryHeap []Delivery

func (h deliveryHeap) Len() int      { return len(h) }
func (h deliveryHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h deliveryHeap) Less(i, j int) bool {
	if h[i].Count != h[j].Count {
		return h[i].Count > h[j].Count
	}
	return h[i].State > h[j].State
}
func (h *deliveryHeap) Push(x any) { *h = append(*h, x.(Delivery)) }
func (h *deliveryHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
