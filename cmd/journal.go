package cmd

import (
	"os"
	"os/user"
	"path/filepath"

	"github.com/gapctl/gapctl/repair"
)

// journal is where repairs are recorded, by the rules of XDG.
func (a *app) journal() (repair.Journal, error) {
	state := a.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := a.getenv("HOME")
		if home == "" {
			var err error
			if home, err = os.UserHomeDir(); err != nil {
				return repair.Journal{}, fail(exitFailure, "set XDG_STATE_HOME", "no place for the journal: %w", err)
			}
		}
		state = filepath.Join(home, ".local", "state")
	}
	return repair.Journal{Dir: filepath.Join(state, "gapctl", "journal")}, nil
}

// whoAmI is the user and the host, for the journal.
func whoAmI() string {
	name, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + "@" + host
}
