package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// explainArguments makes the commands below c say what they take when they are
// given something else, where cobra only counts.
func explainArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		explainArguments(sub)
	}
	accepts := c.Args
	if accepts == nil || !c.HasParent() {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := accepts(c, args)
		var explained *failure
		if err == nil || errors.As(err, &explained) {
			return err
		}
		name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
		return usage("gapctl help "+name+" shows more", "%s %s", name, mismatch(c, args))
	}
}

// mismatch is what c wants and what it got.
func mismatch(c *cobra.Command, args []string) string {
	_, wants, _ := strings.Cut(c.Use, " ")
	if wants == "" {
		wants = "no arguments"
	}
	if len(args) == 0 {
		return "needs " + wants
	}
	var got []string
	for _, arg := range args {
		got = append(got, fmt.Sprintf("%q", arg))
	}
	return "takes " + wants + ", not " + strings.Join(got, " ")
}
