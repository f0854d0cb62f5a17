package cmd

import (
	"io"

	"github.com/gapctl/gapctl/repair"
)

// writeResult writes to the file of that name, or, where it is empty, to
// standard output. Readers of the file see the old content or the new, and
// never a part.
func (a *app) writeResult(name string, write func(io.Writer) error) error {
	if name == "" {
		return unlessUnread(write(a.out))
	}
	return repair.ReplaceFile(name, 0o666, write) // less the umask
}
