package repair

import (
	"errors"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A line for which the disk has no room takes nothing from those before it: the
// intent is what the repair is undone by.
func TestNoRoomForTheOutcome(t *testing.T) {
	p := samplePlan(t)
	j := Journal{Dir: t.TempDir()}
	r, err := j.begin(p, Approve(p, "me@here", "test"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer r.file.Close()
	info, err := r.file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	withRoom(t, info.Size()+10, func() { err = r.note(outcomeKind, time.Now(), nil, nil) })
	if !errors.Is(err, ErrJournal) {
		t.Errorf("there was room: %v", err)
	}
	if e, err := j.Entry(r.id); err != nil || e.Ended || e.Plan.Digest() != p.Digest() {
		t.Errorf("the journal has %+v, %v", e, err)
	}
}

// withRoom calls do while no file of this process can grow beyond size, in bytes.
func withRoom(t *testing.T, size int64, do func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ) // so that a write fails instead
	defer signal.Reset(syscall.SIGXFSZ)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(size), Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	do()
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
}
