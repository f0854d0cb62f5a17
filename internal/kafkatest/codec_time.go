package kafkatest

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
	"time"
)

// PCWork is a state for the real Parallel Consumer to decode, when it has
// Metadata, or else to write.
type PCWork struct {
	Name      string `json:"name"` // works of one name are measured together
	Committed int64  `json:"committed"`
	Metadata  string `json:"metadata,omitempty"`

	Highest     int64      `json:"highest"`            // the highest offset seen, inclusive
	Incompletes [][2]int64 `json:"incompletes"`        // half-open ranges of offsets
	Encoding    string     `json:"encoding,omitempty"` // a name of OffsetEncoding; "": all, and the smallest is taken
}

// PCTime is what the works of one name take.
type PCTime struct {
	PerState time.Duration // the mean, of the CPU's time
	Size     int           // of what was written last, in characters
}

// PCTimes measures the real library, in the order of work: each name for that
// time, after a warm-up of all that is as long.
func PCTimes(t testing.TB, work []PCWork, each time.Duration) map[string]PCTime {
	t.Helper()
	Require(t)
	built, err := build("pc", DefaultVersion)
	if err != nil {
		unavailable(t, err)
	}
	var input, complaints bytes.Buffer
	for lines, i := json.NewEncoder(&input), 0; i < len(work); i++ {
		if err := lines.Encode(work[i]); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
		"-cp", built.classpath(), codecClass, "bench", millis(each))
	cmd.Stdin, cmd.Stderr = &input, &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kafkatest: PcCodec bench: %v\n%s", err, tail(complaints.String(), 40))
	}
	times := map[string]PCTime{}
	for line := range bytes.Lines(out) {
		var row struct {
			Name string
			NS   float64
			Size int
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("kafkatest: PcCodec bench printed %q: %v", line, err)
		}
		times[row.Name] = PCTime{time.Duration(row.NS), row.Size}
	}
	return times
}
