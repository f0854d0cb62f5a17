package inspect

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// Where the client's own partitioners put a key is where it is looked for.
func TestKeyFilterFindsThePartition(t *testing.T) {
	partitioners := map[string]kgo.Partitioner{
		"murmur2": kgo.StickyKeyPartitioner(nil),
		"fnv1a":   kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv32a)),
	}
	for name, partitioner := range partitioners {
		for _, n := range []int32{1, 3, 7, 50} {
			for _, key := range []string{"", "a", "customer-17", "\x00\xff", "Kundin Nr. 4711 mit langem Schlüssel"} {
				want := partitioner.ForTopic("t").Partition(&kgo.Record{Key: []byte(key)}, int(n))
				f := KeyFilter{Keys: [][]byte{[]byte(key)}, Partitioner: name}
				for p := range n {
					if f.canHold(p, n) != (int(p) == want) {
						t.Errorf("%s: key %q, partition %d of %d: the producer sends it to %d", name, key, p, n, want)
					}
				}
			}
		}
	}
}

func fnv32a(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// The shards of any number hold every key exactly once, and no key is in a
// filter for another.
func TestShardsPartTheKeys(t *testing.T) {
	for _, texts := range [][]string{{"1/1"}, {"1/3", "2/3", "3/3"}, {"1/7", "2/7", "3/7", "4/7", "5/7", "6/7", "7/7"}} {
		var filters []KeyFilter
		var all codec.Ranges
		for _, text := range texts {
			hashes, err := ParseShard(text)
			if err != nil {
				t.Fatal(err)
			}
			all = all.Union(hashes)
			filters = append(filters, KeyFilter{Hashes: hashes})
		}
		if all.Count() != hashes || all.Len() != 1 {
			t.Errorf("%q cover %v", texts, all)
		}
		for i := range 1000 {
			in := 0
			for k := range filters {
				if filters[k].Match(&kgo.Record{Key: []byte{byte(i), byte(i >> 8)}}) {
					in++
				}
			}
			if in != 1 {
				t.Errorf("key %d is in %d of %q", i, in, texts)
			}
		}
	}
	for _, bad := range []string{"", "1", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/99999999999"} {
		if _, err := ParseShard(bad); err == nil {
			t.Errorf("shard %q is accepted", bad)
		}
	}
}

func TestKeyFilterMatches(t *testing.T) {
	none, empty, a, b := &kgo.Record{}, &kgo.Record{Key: []byte{}}, &kgo.Record{Key: []byte("a")}, &kgo.Record{Key: []byte("b")}
	cases := []struct {
		filter KeyFilter
		want   []*kgo.Record
	}{
		{KeyFilter{}, []*kgo.Record{none, empty, a, b}},
		{KeyFilter{NoKey: true}, []*kgo.Record{none}},
		{KeyFilter{Keys: [][]byte{{}}}, []*kgo.Record{empty}},
		{KeyFilter{Keys: [][]byte{[]byte("a")}, NoKey: true}, []*kgo.Record{none, a}},
		{KeyFilter{Hashes: span(keyHash([]byte("b")), keyHash([]byte("b"))+1)}, []*kgo.Record{b}},
	}
	for _, c := range cases {
		var got []*kgo.Record
		for _, r := range []*kgo.Record{none, empty, a, b} {
			if c.filter.Match(r) {
				got = append(got, r)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: %d records, want %d", c.filter, len(got), len(c.want))
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%+v: %q, want %q", c.filter, got[i].Key, c.want[i].Key)
			}
		}
	}
}
