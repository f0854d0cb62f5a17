package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// board is the one table of all that was compared, printed at the end.
var board []boardLine

type boardLine struct{ what, ours, other, theirs, ratio string }

// note adds a line, or puts it in the place of one of an earlier, shorter run.
func (l boardLine) note() {
	for i := range board {
		if board[i].what == l.what && board[i].other == l.other {
			board[i] = l
			return
		}
	}
	board = append(board, l)
}

// timesOf is a ratio as people say it: "1/24", or "1.50 ×".
func timesOf(ratio float64) string {
	if ratio < 0.5 {
		return fmt.Sprintf("1/%.1f", 1/ratio)
	}
	return fmt.Sprintf("%.2f ×", ratio)
}

func TestMain(m *testing.M) {
	code := kafkatest.Wrap(m).Run()
	if len(board) > 0 {
		fmt.Fprint(os.Stderr, "\n", boardText())
	}
	os.Exit(code)
}

func boardText() string {
	var b strings.Builder
	row := func(l boardLine) {
		fmt.Fprintf(&b, "| %-44s | %14s | %-24s | %14s | %8s |\n", l.what, l.ours, l.other, l.theirs, l.ratio)
	}
	row(boardLine{"what", "gapctl", "compared with", "takes", "ratio"})
	row(boardLine{strings.Repeat("-", 44), strings.Repeat("-", 14), strings.Repeat("-", 24), strings.Repeat("-", 14), strings.Repeat("-", 8)})
	for _, l := range board {
		row(l)
	}
	return b.String()
}
