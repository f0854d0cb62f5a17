package cmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writeResult writes to the file of that name, or, where it is empty, to
// standard output. Readers of the file see the old content or the new, and
// never a part.
func (a *app) writeResult(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(a.out)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone once it has been renamed
	err = errors.Join(write(f), f.Chmod(0o644), f.Sync())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
