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
	// These tests wait for brokers, sessions and time limits, and hardly compute.
	// The command line still has the last word.
	_ = flag.Set("test.parallel", "8")
	kafkatest.Main(m)
}

// await polls until ok, ever less often, as a look may cost a lot. It fails the
// test after a time that is shorter than the transaction timeout: what waits for
// that has not been ended.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(transactionTimeout * 2 / 3)
	for pause := 5 * time.Millisecond; !ok(); pause = min(pause*5/4, 100*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting for %s", what)
		}
		time.Sleep(pause)
	}
}
