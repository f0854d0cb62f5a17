//go:build unix

package repair

import (
	"io/fs"
	"syscall"
)

// ownerOf is the user that a file belongs to.
func ownerOf(info fs.FileInfo) (user int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(stat.Uid), true
}
