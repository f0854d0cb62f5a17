package cmd

import (
	"fmt"
	"io"
)

func writeOutputHelp(w io.Writer) {
	fmt.Fprintln(w, "-o FORMAT, or GAPCTL_OUTPUT, says how a result is written:")
	fmt.Fprintln(w)
	table(w, func(row func(...string)) {
		row("  table", "what matters, for people; gaps have both ends included: 3-5 is 3, 4 and 5")
		row("  wide", "a table of everything")
		row("  json", `a document on one line; ranges are half-open: {"start":3,"end":6}, offsets are exact`)
		row("  yaml", "the same document")
		row("  csv", "the rows of the wide table")
		row("  template=TEXT", "what a Go template makes of the document")
		row("  jq=EXPR", "what a jq filter makes of the document, a line for each result")
	})
	fmt.Fprint(w, `
A template has the functions of text/template, json (a value as JSON) and join
(a list, with a separator). It is an error to name a field that is not there. A
null is shown as <no value>: ask {{if .oldest_gap_at}} first.

A filter's texts are written without quotes, anything else as JSON; jq need not
be installed. Numbers are exact, however large. Fields and their meaning do not
change within one schema_version; new ones may come.

With json, standard error has an object too, when there is something to say:
{"error":{"class":…,"message":…,"hint":…},"notices":[…]}, without either of them
where there is none. What takes long tells its progress in such lines before.

  gapctl list -o jq='.groups[] | select(.level != "ok") | .group'
  gapctl list -o template='{{range .groups}}{{.group}} {{.outstanding}}{{"\n"}}{{end}}'
`)
}
