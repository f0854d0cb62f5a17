package bench

import (
	"fmt"
	"os"
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// board is the one table of all that was compared, printed at the end.
var board []boardLine

type boardLine struct{ what, ours, other, theirs, ratio string }

func (l boardLine) note() { board = append(board, l) }

// timesOf is a ratio as people say it: "1/24", "1.32 ×" or "12 ×".
func timesOf(ratio float64) string {
	if ratio < 0.5 {
		return "1/" + twoDigits(1/ratio)
	}
	if ratio < 2 { // where goals lie
		return fmt.Sprintf("%.2f ×", ratio)
	}
	return twoDigits(ratio) + " ×"
}

// twoDigits is a number of which as much is said as a measurement is good for.
func twoDigits(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func TestMain(m *testing.M) {
	code := kafkatest.Wrap(m).Run()
	if len(board) > 0 {
		fmt.Fprint(os.Stderr, "\n", boardText())
	}
	for _, g := range grids {
		fmt.Fprint(os.Stderr, g)
	}
	os.Exit(code)
}

func boardText() string {
	lines := [][]string{{"what", "compared with", "gapctl", "takes", "ratio"}}
	for _, l := range board {
		lines = append(lines, []string{l.what, l.other, l.ours, l.theirs, l.ratio})
	}
	return tableOf(lines, 2)
}
