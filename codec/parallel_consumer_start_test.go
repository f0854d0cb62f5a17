package codec

import (
	"fmt"
	"strings"
	"testing"
)

// The outcomes at offset 77, in the order of Takes, as Parallel Consumer 0.5.3.3
// itself showed them where it is the one that is asked.
func TestPCStart(t *testing.T) {
	for _, c := range []struct {
		name, metadata string
		committed      int64
		logEnd, first  int64
		want           string // outcome[+again][-skips] of each
	}{
		{"no map", "", 77, 100, 77, "loads loads loads"},
		{"nothing above", "bgAA", 77, 100, 77, "loads loads loads"},
		{"nothing above, at 0", "bgAA", 0, 100, 0, "misreads-0 loads loads"},
		{"healthy", "bgABAAQ=", 77, 100, 77, "loads loads loads"},
		{"no padding", "bgABAAQ", 77, 100, 77, "loads loads loads"},
		{"free text", "hello world!", 77, 100, 77, "drops? drops? drops?"},
		{"base64 by chance", "test", 77, 100, 77, "stops? stops? drops?"},
		{"URL alphabet", "bgAB_-Q=", 77, 100, 77, "drops? drops? drops?"},
		{"Kafka Streams", "AQAAAYvP5WgA", 77, 100, 77, "stops? stops? drops?"},
		{"byte array", "TAABAQ==", 77, 100, 77, "stops stops drops+78-79"},
		{"no runs", "bg==", 77, 100, 77, "loads loads drops"},
		{"odd tail", "bgABAAQH", 77, 100, 77, "loads loads drops+78-81"},
		{"negative run", "bgAF//A=", 77, 100, 77, "misreads? misreads? drops?"},
		{"no bits", "bH//", 77, 1 << 20, 77, "loads loads drops"},
		{"negative length", "bP//", 77, 100, 77, "drops? drops? drops?"},
		{"length cut off", "bwAA", 77, 100, 77, "stops? stops? drops?"},
		{"zstd cut off", "YQAAAQ==", 77, 100, 77, "stops? stops? drops?"},
		{"beyond the log", "bgABAAQ=", 77, 80, 77, "loads loads drops+78-81"},
		{"log end not known", "bgABAAQ=", 77, -1, 77, "loads loads loads"},
		{"starts complete", "bgAAAAQAAgAD", 630, 655, 630, "loads drops+630-633,636-638 drops+630-633,636-638"},
		{"starts complete, records gone", "bgAAAAQAAgAD", 630, 655, 634, "loads loads loads"},
		{"starts complete, first not known", "bgAAAAQAAgAD", 630, 655, -1, "loads drops+630-633,636-638 drops+630-633,636-638"},
		{"delta list", "ZAAAAA0EAAMBBQ==", 1000, 2000, 1000, "stops stops drops+1001-1002,1005-1008,1010-1012"},
		{"Z85", "%wb(PfgxvE", 100, 200, 100, "drops+101-150 drops+101-150 drops+101-150"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, take := range (PCStart{c.metadata, c.committed, c.logEnd, c.first}).Takes() {
				text := string(take.Outcome)
				if !take.Again.Empty() {
					text += "+" + take.Again.String()
				}
				if !take.Skips.Empty() {
					text += "-" + take.Skips.String()
				}
				if !take.Known {
					text += "?"
				}
				if (take.Outcome == PCLoads) != (take.Why == "") {
					text += fmt.Sprintf("(%s)", take.Why)
				}
				got = append(got, text)
			}
			if all := strings.Join(got, " "); all != c.want {
				t.Errorf("%s\nwant %s", all, c.want)
			}
		})
	}
}
