package codec

import (
	"cmp"
	"slices"
)

// OverlayNative is what stands of a slot whose records are there once changed,
// which [EncodeNative] has made, is written over them: in its order, chunks by
// window and then the head. The error is an [*Error].
func OverlayNative(there, changed []Record) ([]Record, error) {
	type placed struct {
		Record
		nativeKey
	}
	at := map[nativeKey]Record{}
	for _, r := range slices.Concat(there, changed) {
		k, err := parseNativeKey(r.Key)
		switch {
		case err != nil:
			return nil, err
		case r.Value == nil:
			delete(at, k)
		default:
			at[k] = r
		}
	}
	all := make([]placed, 0, len(at))
	for k, r := range at {
		all = append(all, placed{r, k})
	}
	slices.SortFunc(all, func(a, b placed) int {
		if a.kind != b.kind {
			return cmp.Compare(b.kind, a.kind)
		}
		return cmp.Compare(a.window, b.window)
	})
	records := make([]Record, len(all))
	for i := range all {
		records[i] = all[i].Record
	}
	return records, nil
}
