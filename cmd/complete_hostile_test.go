package cmd

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

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
