package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/inspect"
)

// TestCompleteAbout: what is said of a value is as clean as the value.
func TestCompleteAbout(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.yaml")
	writeFile(t, config, `contexts: {prod: {bootstrap.servers: "127.0.0.1:1\e]0;owned\a\u009b2J\u202E"}}`)
	code, out, errs := runWith(t.Context(), map[string]string{"GAPCTL_CONFIG": config}, "__complete", "context", "use", "")
	if code != exitOK || !strings.Contains(out, "prod\t127.0.0.1:1") || inspect.Clean(strings.NewReplacer("\n", "", "\t", "").Replace(out)) != strings.NewReplacer("\n", "", "\t", "").Replace(out) {
		t.Errorf("exit code %d; standard output %q, standard error %q", code, out, errs)
	}
}

// TestCompleteHostile: no shell runs what a group's name says, neither when it
// lists the name nor when it completes it.
func TestCompleteHostile(t *testing.T) {
	scene := completionScene(t)
	code, out, errs := runWith(t.Context(), scene, "context", "show", "prod", "-o", "jq=.properties[0].value")
	if code != exitOK {
		t.Fatal(errs)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.TrimSpace(out)))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, group := range []string{
		"evil$(touch made)", "evil`touch made`", "evil;touch made;", "evil|touch made", "evil&touch made&", "evil>made", "evil'$(touch made)'", `evil"$(touch made)"`,
		"evil(touch made)", "evil${x:=$(touch made)}", "evil\\$(touch made)", "evil <(touch made)", "evil*(e:touch made:)",
		"$(touch made)only", "`touch made`sole",
	} {
		offsets := kadm.Offsets{}
		offsets.AddOffset("orders", 0, 1, -1)
		if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), group, offsets); err != nil {
			t.Fatal(err)
		}
	}
	env := shellEnvironment(t, scene)
	for _, shell := range shells() {
		t.Run(shell.name, func(t *testing.T) {
			for _, line := range []string{"gapctl describe evil", "gapctl describe \\$", "gapctl describe \\`", "gapctl describe "} {
				if out := shell.tab(t, line, env); strings.HasSuffix(line, "evil") && !strings.Contains(out, "evil") {
					t.Errorf("%s: completes nothing: %q", line, out)
				}
			}
		})
	}
}
