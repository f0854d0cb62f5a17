package cmd

import "testing"

// A command that is named is found, alone; without a name all are there.
func TestCommandsAreMadeByName(t *testing.T) {
	var a app
	makers := a.makers()
	if all := a.commands(); len(all) != len(makers) || len(all) < 20 {
		t.Errorf("%d commands, %d makers", len(all), len(makers))
	}
	for _, m := range makers {
		a.args = []string{m.name, "--help"}
		if got := a.commands(); len(got) != 1 || got[0].Name() != m.name {
			t.Errorf("%s: %v", m.name, got)
		}
	}
	a.args = []string{"--color", "never", "list"}
	if got := a.commands(); len(got) != len(makers) {
		t.Errorf("behind a flag: %d commands", len(got))
	}
}
