package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
)

// keys is the flags that choose records by their keys.
type keys struct {
	keys, ranges, shards []string
	null, all            bool
	partitioner          string
}

func (k *keys) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&k.keys, "key", nil, "only records with this `KEY`; may be given often")
	f.StringArrayVar(&k.ranges, "key-range", nil, "only records whose key has a murmur2 hash in `LO-HI`, of 0-2147483647")
	f.StringArrayVar(&k.shards, "shard", nil, "only records in the shard `I/N` of the keys' hashes, such as 1/4")
	f.BoolVar(&k.null, "null-key", false, "only records without a key")
	f.BoolVar(&k.all, "all-partitions", false, "look for a --key in all partitions, not only where the partitioner puts it")
	f.StringVar(&k.partitioner, "partitioner", "", "how producers choose the partition of a key: `NAME` is "+strings.Join(inspect.Partitioners(), ", ")+" (default murmur2)")
	_ = cmd.RegisterFlagCompletionFunc("partitioner", cobra.FixedCompletions(inspect.Partitioners(), cobra.ShellCompDirectiveNoFileComp))
}

// filter is what the flags choose.
func (k *keys) filter() (inspect.KeyFilter, error) {
	f := inspect.KeyFilter{NoKey: k.null, Partitioner: k.partitioner}
	if k.partitioner != "" && !slices.Contains(inspect.Partitioners(), k.partitioner) {
		return f, usage("", "--partitioner %q: want one of %s", k.partitioner, strings.Join(inspect.Partitioners(), ", "))
	}
	for _, key := range k.keys {
		f.Keys = append(f.Keys, []byte(key))
	}
	for _, text := range k.ranges {
		hashes, err := inspect.ParseHashes(text)
		if err != nil {
			return f, usage("", "--key-range %w", err)
		}
		f.Hashes = f.Hashes.Union(hashes)
	}
	for _, text := range k.shards {
		hashes, err := inspect.ParseShard(text)
		if err != nil {
			return f, usage("", "--shard %w", err)
		}
		f.Hashes = f.Hashes.Union(hashes)
	}
	return f, nil
}
