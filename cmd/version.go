package cmd

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
)

func (a *app) versionCommand() *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Long: `version prints the version of gapctl, the commit that it was built from and
that commit's date, and with -o wide what it was built with.`,
		Example: `  gapctl version
  gapctl version -o json
  gapctl version -o csv`,
		Args:        cobra.NoArgs,
		Annotations: related("gapctl help"),
		RunE: a.running(func(context.Context, []string) error {
			print, err := a.printer(o)
			if err != nil {
				return err
			}
			return print(newVersionView())
		}),
	}
	o.bind(cmd)
	return cmd
}

// A release has these from its linker flags, since it may be built where there
// is no repository; they are never written to.
var version, commit, date string

// buildStamp says which source a binary was built from. What is not known is "".
type buildStamp struct {
	version string // of the module, such as v1.2.3, or "dev"
	commit  string // in the repository, in full; "-dirty" behind it says that files were changed
	date    string // of the commit, RFC 3339
}

// stamp is what the linker was told, or else what Go stamped into the binary.
func stamp() buildStamp {
	if version != "" {
		return buildStamp{version, commit, date}
	}
	s := buildStamp{version: "dev"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return s
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		s.version = v
	}
	dirty := ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			s.commit = setting.Value
		case "vcs.time":
			s.date = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				dirty = "-dirty"
			}
		}
	}
	s.commit += dirty
	return s
}

// buildVersion is the version that gapctl gives to others.
func buildVersion() string { return stamp().version }

type versionView struct {
	inspect.Head
	Version  string  `json:"version"`
	Commit   *string `json:"commit"`
	Date     *string `json:"date"`
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
}

func newVersionView() versionView {
	s := stamp()
	return versionView{
		Head:    inspect.Head{Kind: "version", SchemaVersion: inspect.SchemaVersion},
		Version: s.version, Commit: known(s.commit), Date: known(s.date),
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// known is nil for "".
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Tables is one line.
func (v versionView) Tables(layout inspect.Layout) []inspect.Table {
	commit, date := "unknown", "unknown"
	if v.Commit != nil {
		commit = *v.Commit
	}
	if v.Date != nil {
		date = *v.Date
	}
	if layout == inspect.Narrow {
		line := "gapctl " + v.Version
		if v.Commit != nil {
			line += " (commit " + commit + " of " + date + ")"
		}
		return []inspect.Table{{Heading: []inspect.Cell{{Text: line}}}}
	}
	return []inspect.Table{{
		Columns: []inspect.Column{{Name: "VERSION"}, {Name: "COMMIT"}, {Name: "DATE"}, {Name: "GO"}, {Name: "PLATFORM"}},
		Rows: func(yield func([]inspect.Cell) bool) {
			yield([]inspect.Cell{{Text: v.Version}, {Text: commit}, {Text: date}, {Text: v.Go}, {Text: v.Platform}})
		},
	}}
}
