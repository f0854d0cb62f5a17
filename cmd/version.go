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
		Long:  "version prints the version of gapctl, and what it was built with.",
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

// buildVersion is the module's version as Go stamped it into the binary.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}

type versionView struct {
	inspect.Head
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionView() versionView {
	return versionView{
		inspect.Head{Kind: "version", SchemaVersion: inspect.SchemaVersion},
		buildVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// Tables is one line.
func (v versionView) Tables(layout inspect.Layout) []inspect.Table {
	if layout == inspect.Narrow {
		return []inspect.Table{{Heading: []inspect.Cell{{Text: "gapctl " + v.Version}}}}
	}
	return []inspect.Table{{
		Columns: []inspect.Column{{Name: "VERSION"}, {Name: "GO"}, {Name: "PLATFORM"}},
		Rows: func(yield func([]inspect.Cell) bool) {
			yield([]inspect.Cell{{Text: v.Version}, {Text: v.Go}, {Text: v.Platform}})
		},
	}}
}
