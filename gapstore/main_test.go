package gapstore

import (
	"os"
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" {
		runWorker() // this process is a worker of a test, to be killed
	}
	if os.Getenv(retryWorkerEnv) != "" {
		runRetryWorker()
	}
	kafkatest.Main(m)
}
