package bench

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// kcatCopy copies everything with kcat; nil where that is not there.
func kcatCopy(b *testing.B, scene replayScene, target func() string) *contender {
	b.Helper()
	if _, err := exec.LookPath("kcat"); err != nil {
		fmt.Fprintf(os.Stderr, "!!! LEFT OUT of %s: kcat is not installed\n", b.Name())
		return nil
	}
	const pipe = `set -o pipefail
kcat -C -q -e -b "$1" -t "$2" -o beginning | kcat -P -q -b "$1" -t "$3" -z snappy -X linger.ms=5`
	return &contender{name: "kcat", command: func() *exec.Cmd {
		return exec.Command("bash", "-c", pipe, "kcat", scene.broker.Addr(), scene.topic, target())
	}}
}

// mirrorCopy copies everything with MirrorMaker, which then waits for more. It is
// timed from its first copy on: it runs for ever, so that its start does not
// count.
func mirrorCopy(b *testing.B, scene replayScene, records int64) *contender {
	admin := kadm.NewClient(scene.broker.Client())
	var to string
	runs := 0
	return &contender{
		name: "mirror-maker-once-up",
		command: func() *exec.Cmd {
			runs++
			alias := fmt.Sprint("mirror-", runs)
			to = alias + "." + scene.topic
			return scene.broker.MirrorMaker(scene.topic, alias)
		},
		watch: func() time.Duration {
			var first time.Time
			for begun := time.Now(); time.Since(begun) < 3*time.Minute; time.Sleep(5 * time.Millisecond) {
				switch copied := endOf(b, admin, to); {
				case copied >= records:
					return time.Since(first)
				case copied == 0:
					first = time.Now()
				}
			}
			b.Fatal("MirrorMaker has not copied everything in 3 minutes")
			return 0
		},
	}
}

// endOf is how many offsets of the topic are taken; 0 where there is none.
func endOf(b *testing.B, admin *kadm.Client, topic string) (sum int64) {
	b.Helper()
	ends, err := admin.ListEndOffsets(b.Context(), topic)
	if err != nil {
		b.Fatal(err)
	}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Err == nil {
			sum += o.Offset
		}
	})
	return sum
}
