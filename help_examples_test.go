package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestHelpExamples runs the examples that each command's help gives, in a shell
// against a fresh lab.
func TestHelpExamples(t *testing.T) {
	for _, tool := range []string{"sh", "jq", "timeout"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("GAPCTL_REQUIRE_PACKAGE") != "" {
				t.Fatalf("the examples need %s: %v", tool, err)
			}
			t.Skipf("THE EXAMPLES ARE NOT RUN: they need %s: %v", tool, err)
		}
	}
	pages, err := filepath.Glob("man/gapctl-*.1")
	if err != nil || len(pages) < 25 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		command := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(page), "gapctl-"), ".1")
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			examples := examplesOf(t, s, strings.ReplaceAll(command, "-", " "))
			for _, line := range setting {
				s.must(line)
			}
			createTopic(t, s, "orders-retry", 3)
			for _, line := range own[command] {
				s.must(line)
			}
			for _, example := range examples {
				s.must(runnable(example))
			}
		})
	}
}

// examplesOf are the examples as the help shows them.
func examplesOf(t *testing.T, s *shell, command string) []string {
	t.Helper()
	var examples []string
	help := s.run("gapctl help " + command)
	for _, line := range help[slices.Index(help, "Examples:")+1:] {
		if line == "" {
			break
		}
		examples = append(examples, strings.TrimSpace(line))
	}
	if len(examples) != 3 {
		t.Fatalf("the help of %s has %d examples:\n%s", command, len(examples), strings.Join(help, "\n"))
	}
	return examples
}

// setting makes what examples take for granted: files, a mailer, directories.
var setting = []string{
	"gapctl describe billing -o json > before.json && cp before.json after.json",
	"gapctl compact ledger --topic transfers/0 --plan ledger.json",
	`echo '{"metadata":"bgAIAH4=","committed":100}' > commits.jsonl`,
	`echo '{"stable":3,"max":20,"gaps":[{"start":3,"end":6}]}' > states.jsonl`,
	"echo security.protocol=PLAINTEXT > client.properties",
	`printf '#!/bin/sh\ncat > /dev/null\n' > fix.sh && chmod +x fix.sh`,
	`mkdir -p root/etc/bash_completion.d root/var/lib/node_exporter "$HOME/.config/fish/completions"`,
}

// own is what the examples of one command take for granted besides.
var own = map[string][]string{
	"undo":           {"gapctl skip billing orders/2@833 --execute --yes"},
	"context-add":    {`echo "bootstrap.servers=$GAPCTL_BOOTSTRAP_SERVER" > "$HOME/.config/kcat.conf"`},
	"context-list":   contexts,
	"context-use":    contexts,
	"context-show":   contexts,
	"context-test":   contexts,
	"context-remove": contexts,
}

var contexts = []string{
	`for name in prod staging old; do gapctl context add $name -b "$GAPCTL_BOOTSTRAP_SERVER"; done; gapctl context use prod`,
}

// runnable is an example as it can be run here: places on the machine become
// ones below the shell's, nobody is asked, and waiting is cut short.
func runnable(example string) string {
	line := strings.NewReplacer(
		"/etc/", "root/etc/", "/var/", "root/var/", "/tmp/lab", "root/lab", `"${fpath[1]}/`, `"root/`,
		"sleep 60", "sleep 0", "--interval 30s", "--interval 50ms", "| mail -s stuck ops@example.com", "| grep -q '<html'",
		"--port 9092", "--port 0",
	).Replace(example)
	switch {
	case strings.HasPrefix(line, "gapctl watch"):
		return "timeout --preserve-status --signal=INT 2 " + line + "; [ $? = 130 ]"
	case line == "gapctl lab", strings.HasPrefix(line, "gapctl lab --data-dir"):
		return "timeout --preserve-status --signal=INT 5 " + line
	case strings.HasPrefix(line, "gapctl history"):
		// The lab is not Apache Kafka, which alone has what history reads.
		return "{ " + line + "; } > history.txt 2>&1; grep -q 'only Apache Kafka itself has' history.txt"
	case strings.HasPrefix(line, "gapctl context add prod"):
		return `rm -f "$HOME/.config/gapctl/config.yaml"; ` + line
	}
	if strings.HasSuffix(line, "--execute") || strings.HasPrefix(line, "gapctl apply") && !strings.Contains(line, "--yes") {
		return line + " --yes"
	}
	return line
}

// must runs a command that succeeds, or finds something.
func (s *shell) must(command string) {
	s.t.Helper()
	out := s.run(command)
	if s.status != 0 && s.status != 3 {
		s.t.Errorf("$ %s ended with %d:\n%s", command, s.status, strings.Join(out, "\n"))
	}
	s.status = 0
}

// createTopic makes a topic in the shell's lab.
func createTopic(t *testing.T, s *shell, name string, partitions int32) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(s.addr))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), partitions, 1, nil, name); err != nil {
		t.Fatal(err)
	}
}
