//go:build !unix

package cmd

import (
	"os"
	"syscall"
)

// deadlyWrites are the signals by which a write ends the process.
func deadlyWrites() []os.Signal { return []os.Signal{syscall.SIGPIPE} }
