package kafkatest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// slot is this binary's leave to run brokers. One slot covers all brokers of a
// binary: a test that waits for a second slot while it holds a first could wait
// for another binary that does the same.
type slot struct {
	mu    sync.Mutex
	file  *os.File // locked while users > 0
	users int
}

// take waits until this binary may run a broker.
func (s *slot) take() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		file, err := awaitSlot()
		if err != nil {
			return err
		}
		s.file = file
	}
	s.users++
	return nil
}

// give returns what one take took.
func (s *slot) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	if s.users == 0 {
		_ = s.file.Close()
		s.file = nil
	}
}

func awaitSlot() (*os.File, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	for {
		for i := range busyBinaries() {
			file, err := lockNow(filepath.Join(dir, fmt.Sprintf("slot-%d.lock", i)))
			if file != nil || err != nil {
				return file, err
			}
		}
		time.Sleep(lockPoll)
	}
}

const lockPoll = 100 * time.Millisecond

// lockNow locks the file at path, made if need be, until the result is closed.
// It returns nil when somebody else has the lock.
func lockNow(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("kafkatest: %w", err)
	}
	locked, err := tryLock(file)
	if locked {
		return file, nil
	}
	_ = file.Close()
	if err != nil {
		return nil, fmt.Errorf("kafkatest: lock %s: %w", path, err)
	}
	return nil, nil
}

// lock is lockNow that waits.
func lock(path string) (*os.File, error) {
	for {
		file, err := lockNow(path)
		if file != nil || err != nil {
			return file, err
		}
		time.Sleep(lockPoll)
	}
}
