package gapstore

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" {
		runWorker() // this process is a worker of a test, to be killed
	}
	if os.Getenv(retryWorkerEnv) != "" {
		runRetryWorker()
	}
	flag.Parse()
	// The long tests wait for brokers, sessions and time limits, and hardly compute.
	if parallel := flag.Lookup("test.parallel"); !testing.Short() && parallel.Value.String() == parallel.DefValue {
		_ = flag.Set("test.parallel", "8")
	}
	kafkatest.Main(m)
}

// await polls until ok, ever less often, as a look may cost a lot.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	awaitFor(t, 3*time.Minute, what, ok)
}

// awaitEnd is await for the end of transactions. It fails the test after a time
// that is shorter than the transaction timeout: what waits for that has not been
// ended.
func awaitEnd(t testing.TB, what string, ok func() bool) {
	t.Helper()
	awaitFor(t, transactionTimeout*2/3, what, ok)
}

func awaitFor(t testing.TB, patience time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for pause := 5 * time.Millisecond; !ok(); pause = min(pause*5/4, 100*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting for %s", what)
		}
		time.Sleep(pause)
	}
}
