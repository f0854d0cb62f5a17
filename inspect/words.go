package inspect

import (
	"fmt"
	"strings"

	"github.com/gapctl/gapctl/codec"
)

// Plural is a number of things: "1 gap", "2 gaps".
func Plural[N int | int64 | Count](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", int64(n), thing)
}

// shownRanges is how many ranges a message shows.
const shownRanges = 5

// shortRanges is the first few of ranges, and how many more there are.
func shortRanges(ranges codec.Ranges) string {
	var texts []string
	for r := range ranges.All() {
		if len(texts) == shownRanges {
			texts = append(texts, "and "+Plural(int64(ranges.Len()-shownRanges), "more range"))
			break
		}
		texts = append(texts, r.String())
	}
	return strings.Join(texts, ", ")
}

// shownText is how many characters of a text from outside a message quotes.
const shownText = 40

// quoted is the start of a text, safe to show.
func quoted(text string) string {
	n := 0
	for i := range text {
		if n++; n > shownText {
			return fmt.Sprintf("%+q…", text[:i])
		}
	}
	return fmt.Sprintf("%+q", text)
}
