package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unit is a systemd unit: what each key of it is set to, in order.
type unit map[string][]string

func readUnit(t *testing.T, name string) unit {
	t.Helper()
	text, err := os.ReadFile(example(name))
	check(t, err)
	u := unit{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			u[key] = append(u[key], value)
		}
	}
	return u
}

// TestUnits has systemd judge the units, with gapctl and the script where the
// package puts them.
func TestUnits(t *testing.T) {
	need(t, "systemd-analyze")
	folder := t.TempDir()
	program := filepath.Join(folder, "gapctl")
	check(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755))
	units, err := filepath.Glob(example("gapctl-*.*r*"))
	check(t, err)
	args := []string{"verify", "--man=no"}
	for _, path := range units {
		if !strings.HasSuffix(path, ".service") && !strings.HasSuffix(path, ".timer") {
			continue
		}
		text, err := os.ReadFile(path)
		check(t, err)
		copied := filepath.Join(folder, filepath.Base(path))
		check(t, os.WriteFile(copied, []byte(strings.ReplaceAll(string(text), "/usr/bin/gapctl", program)), 0o644))
		args = append(args, copied)
	}
	if len(args) != 6 {
		t.Fatalf("judges %q", args)
	}
	out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
	// It also complains of units that the machine itself has.
	if err != nil || strings.Contains(string(out), "gapctl") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestServices runs what the services start, with what systemd gives them.
func TestServices(t *testing.T) {
	j := newJob(t)
	script, err := filepath.Abs(example("gapctl-compact.sh"))
	check(t, err)
	paths := strings.NewReplacer(
		"/usr/bin/gapctl", j.program,
		"/usr/share/doc/gapctl/examples/gapctl-compact.sh", script,
		"/var/lib/prometheus/node-exporter", j.folder,
		"%d", j.folder, // the folder of credentials, where client.properties is
		"%S", filepath.Join(j.folder, "var"),
	)
	run := func(u unit, code int) {
		t.Helper()
		words := strings.Fields(paths.Replace(u["ExecStart"][0]))
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = slices.Clone(j.env)
		for _, v := range u["Environment"] {
			cmd.Env = append(cmd.Env, paths.Replace(v))
		}
		exits(t, cmd, code)
	}
	checks := readUnit(t, "gapctl-check.service")
	run(checks, 3)
	checkFigures(t, filepath.Join(j.folder, "gapctl.prom"))
	if good := strings.Fields(checks["SuccessExitStatus"][0]); !slices.Equal(good, []string{"3", "6"}) {
		t.Errorf("findings are a failure of the unit: only %q are none", good)
	}
	if never := strings.Fields(checks["RestartPreventExitStatus"][0]); slices.Contains(never, "8") || !slices.Contains(never, "9") {
		t.Errorf("it is not started again after %q", never)
	}
	run(readUnit(t, "gapctl-compact.service"), 0)
	if found := j.findings(t, "ledger"); strings.Contains(found, "phantom") {
		t.Errorf("ledger still has %q", found)
	}
	if journal, err := os.ReadDir(filepath.Join(j.folder, "var", "gapctl-compact", "gapctl", "journal")); err != nil || len(journal) == 0 {
		t.Errorf("the state directory's journal has %d entries, %v", len(journal), err)
	}
}
