package packaging

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// need skips the test, or fails it where the packages are required, when a
// tool is missing.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, err)
		}
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		missing(t, fmt.Errorf("only root can install into a root of its own"))
	}
}

func missing(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("GAPCTL_REQUIRE_PACKAGE") == "1" {
		t.Fatal(why)
	}
	fmt.Fprintf(os.Stderr, "!!! SKIPPED: %s: %v; set GAPCTL_REQUIRE_PACKAGE=1 to make this a failure\n", t.Name(), why)
	t.Skip(why)
}

func notInShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds gapctl for other platforms, or packages it")
	}
}

// succeed runs cmd, and is what it prints on standard output.
func succeed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	return exits(t, cmd, 0)
}

// exits runs cmd, which must exit with code, and is its standard output.
func exits(t *testing.T, cmd *exec.Cmd, code int) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s: %v, want exit code %d\n%s%s", cmd, err, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
