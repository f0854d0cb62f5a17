package cmd

import (
	"strings"

	"github.com/spf13/pflag"
)

// texts are the values of a flag that may be given often. Those of pflag write
// their default as CSV, each with a writer of its own; and every start makes the
// flags of all commands.
type texts []string

// bindTexts adds a flag that may be given often.
func bindTexts(flags *pflag.FlagSet, into *[]string, name, short, usage string) {
	flags.VarP((*texts)(into), name, short, usage)
}

func (t *texts) Set(value string) error {
	*t = append(*t, value)
	return nil
}

func (t *texts) String() string { return strings.Join(*t, ",") }

// Type is that of pflag's own, by which cobra completes such a flag once more.
func (*texts) Type() string { return "stringArray" }
