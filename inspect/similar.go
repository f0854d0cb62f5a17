package inspect

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/gapstore"
)

// SimilarGroup is the name of the group whose name is most like that one; ""
// when none is close, or the groups can not be listed.
func SimilarGroup(ctx context.Context, store *gapstore.Store, name string) string {
	listed, _, err := listGroups(ctx, store)
	if err != nil {
		return ""
	}
	return mostSimilar(name, slices.Sorted(maps.Keys(listed)))
}

// mostSimilar is the candidate with the fewest edits, up to a third of the
// name, or else the first that name is a part of.
func mostSimilar(name string, candidates []string) string {
	best, fewest := "", len(name)/3+1
	for _, c := range candidates {
		if n := edits(strings.ToLower(name), strings.ToLower(c)); n < fewest {
			best, fewest = c, n
		}
	}
	if best != "" || name == "" {
		return best
	}
	if i := slices.IndexFunc(candidates, func(c string) bool { return strings.Contains(c, name) }); i >= 0 {
		return candidates[i]
	}
	return ""
}

// edits is the Levenshtein distance of a and b, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
