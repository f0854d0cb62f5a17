package codec

import "math/bits"

// lengths counts run lengths, to price the ways of writing them without
// writing them. Short ones are counted one by one, long ones by bit length.
type lengths struct {
	short [64]uint32
	long  [windowBits + 2]struct{ n, sum uint64 }
	total uint64
}

func (h *lengths) add(v uint32) {
	h.total += uint64(v)
	if v < uint32(len(h.short)) {
		h.short[v]++
		return
	}
	l := &h.long[bits.Len32(v)]
	l.n++
	l.sum += uint64(v)
}

// price is the best Rice parameter, and the cost in bits, for the counted
// numbers, each lowered by less (0 or 1), and as many zeros as said. The price
// is an estimate where long numbers are concerned.
func (h *lengths) price(less int, zeros uint64) (k uint, cost uint64) {
	var sixteenths [riceParams]uint64
	h.priceShort(&sixteenths, less, zeros)
	for length, l := range h.long {
		if l.n > 0 {
			priceLong(&sixteenths, uint(length), l.n, l.sum/l.n)
		}
	}
	for i, c := range sixteenths {
		if c < sixteenths[k] {
			k = uint(i)
		}
	}
	return k, sixteenths[k] / 16
}

// priceShort adds the short numbers and the zeros. To count the numbers by
// v>>k for the next k is to add up neighbours.
func (h *lengths) priceShort(sixteenths *[riceParams]uint64, less int, zeros uint64) {
	var count [len(h.short) + 1]uint32
	n := copy(count[:], h.short[less:])
	for n > 0 && count[n-1] == 0 {
		n--
	}
	total := zeros
	for _, c := range count[:n] {
		total += uint64(c)
	}
	for k := range sixteenths {
		var more uint64 // bits than 1+k for each
		for q, c := range count[:min(n, riceEscape)] {
			more += uint64(c) * uint64(q)
		}
		for _, c := range count[min(n, riceEscape):n] {
			more += uint64(c) * uint64(riceEscape+16-1-k)
		}
		sixteenths[k] = 16 * (total*uint64(1+k) + more)
		half := (n + 1) / 2
		for i := range half {
			count[i] = count[2*i] + count[2*i+1]
		}
		clear(count[half:n])
		n = half
	}
}

// priceLong adds n numbers of one bit length and known mean.
func priceLong(sixteenths *[riceParams]uint64, length uint, n, mean uint64) {
	for i := range sixteenths {
		k := uint(i)
		switch {
		case length > k+4: // v>>k >= 16
			sixteenths[i] += n * 16 * (riceEscape + 16)
		case length <= k: // v>>k == 0
			sixteenths[i] += n * 16 * uint64(1+k)
		default: // the mean of v>>k is about half below that of v / 2^k
			sixteenths[i] += n * (16*uint64(1+k) + mean<<4>>k - 8 + 8>>k)
		}
	}
}

// plan is a way to write a set of spans.
type plan struct {
	container container
	gapK      uint // for outstanding runs, or for distances
	doneK     uint // for committed runs
	bits      uint64
}

// cheapest prices the containers that are made of Rice codes. gaps counts the
// outstanding runs, dones the committed runs between them.
func cheapest(gaps, dones *lengths, nGaps, nDones int) plan {
	few := plan{container: containerOffsets}
	if gaps.total <= dones.total {
		few.gapK, few.bits = dones.price(0, gaps.total-uint64(nGaps))
	} else {
		few.container = containerHoles
		few.gapK, few.bits = gaps.price(0, dones.total-uint64(nDones))
	}
	runs := plan{container: containerRuns}
	runs.gapK, runs.bits = gaps.price(1, 0)
	var more uint64
	runs.doneK, more = dones.price(1, 0)
	runs.bits += more
	if few.bits <= runs.bits {
		return few
	}
	return runs
}
