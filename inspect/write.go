package inspect

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Output is a way to write a view.
type Output string

// The outputs.
const (
	OutputTable Output = "table"
	OutputWide  Output = "wide"
	OutputJSON  Output = "json"
	OutputYAML  Output = "yaml"
	OutputCSV   Output = "csv"
)

// Outputs are the ways to write a view, in the order of the help.
func Outputs() []string {
	return []string{string(OutputTable), string(OutputWide), string(OutputJSON), string(OutputYAML), string(OutputCSV)}
}

// ParseOutput is the output of that name, or one that is a program over the JSON
// document: "template=…" in the language of text/template, or "jq=…".
func ParseOutput(name string) (Output, error) {
	if slices.Contains(Outputs(), name) {
		return Output(name), nil
	}
	_, ok, err := Output(name).parseProgram()
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", fmt.Errorf("no output format %q: want %s, template=TEXT or jq=EXPR", name, strings.Join(Outputs(), ", "))
	}
	return Output(name), nil
}

// Style says how a view looks on a terminal.
type Style struct {
	Color bool
}

// Write writes v to w. It alone knows encodings, and whatever v holds, no
// control character of it reaches w as such.
func Write(w io.Writer, output Output, v View, style Style) error {
	switch output {
	case OutputJSON:
		return writeJSON(w, v)
	case OutputYAML:
		return writeYAML(w, v)
	case OutputCSV:
		return writeCSV(w, v.Tables(Flat))
	case OutputWide:
		return writeTables(w, v.Tables(Wide), style.Color)
	}
	run, ok, err := output.parseProgram()
	switch {
	case err != nil:
		return err
	case ok:
		return writeProgram(w, run, v)
	}
	return writeTables(w, v.Tables(Narrow), style.Color)
}

// flushAt is the size in bytes at which what is written so far goes out.
const flushAt = 64 << 10

// writeCSV writes the rows of the tables, which all have the same columns,
// under one header.
func writeCSV(w io.Writer, tables []Table) error {
	out := csv.NewWriter(w)
	for i, t := range tables {
		record := make([]string, len(t.Columns))
		for k, c := range t.Columns {
			record[k] = c.Name
		}
		if i == 0 {
			if err := out.Write(record); err != nil {
				return err
			}
		}
		for row := range t.Rows {
			for k, cell := range row {
				record[k] = cell.csv()
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// formulaSigns begin a formula in a spreadsheet; those of East Asia take the wide
// forms, too (OWASP, CSV injection).
const formulaSigns = "=+-@＝＋－＠"

// csv is the cell, with nothing for an unknown number. It keeps a spreadsheet
// from taking a name for a formula: a text that begins like one begins with a
// quote instead.
func (c Cell) csv() string {
	s := Clean(c.Text)
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case c.numeric && c.number < 0:
		return ""
	case c.numeric:
		return c.number.String()
	case strings.ContainsRune(formulaSigns, first):
		return "'" + s
	}
	return s
}
