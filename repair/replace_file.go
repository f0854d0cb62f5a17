package repair

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// ReplaceFile makes the file at path what write writes. Whoever reads it, also
// after a crash, sees all of the old content or all of the new. A new file has
// that mode, less what the umask takes away. What is no regular file, such as a
// device or a named pipe, is not replaced but written to. Errors name path.
func ReplaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is a directory")}
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(path, write)
	}
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%016x", filepath.Base(path), rand.Uint64()))
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return writing(path, err)
	}
	defer os.Remove(temporary) // fails once it is renamed
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return writing(path, err)
	}
	return syncDir(filepath.Dir(path))
}

func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writing is err of the file that is being replaced, which the caller knows by
// its own name only.
func writing(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// syncDir makes names in a directory survive a crash, where the system has
// directories that can be synced.
func syncDir(dir string) error {
	if slices.Contains([]string{"windows", "plan9"}, runtime.GOOS) {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
