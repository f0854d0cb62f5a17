package kafkatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Require skips the test, with a line on standard error that can't be missed,
// unless Java and Maven are there. With GAPCTL_REQUIRE_KAFKA=1 the test fails
// instead, so that a job can't be green because nothing ran. Short mode skips
// in any case.
func Require(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("short mode: no real broker")
	}
	var missing []error
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, fmt.Errorf("kafkatest: %w", err))
		}
	}
	if err := errors.Join(missing...); err != nil {
		unavailable(t, err)
	}
}

// unavailable skips or fails a test whose tools or jars can't be had.
func unavailable(t testing.TB, why error) {
	t.Helper()
	if os.Getenv("GAPCTL_REQUIRE_KAFKA") == "1" {
		t.Fatal(why)
	}
	fmt.Fprintf(os.Stderr, "!!! SKIPPED: %s needs Java 17 and Maven; set GAPCTL_REQUIRE_KAFKA=1 to make this a failure\n%v\n",
		t.Name(), why)
	t.Skip(why)
}
