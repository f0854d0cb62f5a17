package repair

import (
	"errors"
	"sync/atomic"
)

// Approval is somebody's consent to one very plan. It is used once.
type Approval struct {
	digest  string
	by, via string
	used    *atomic.Bool
}

// Approve records that by, a person or an account, has approved p through via,
// such as "prompt" or "--yes".
func Approve(p Plan, by, via string) Approval {
	return Approval{digest: p.Digest(), by: by, via: via, used: new(atomic.Bool)}
}

// use is nil if a is an approval of the plan with that digest, and was not
// used before.
func (a Approval) use(digest string) error {
	switch {
	case a.used == nil || a.digest == "" || a.digest != digest:
		return errors.New("this plan was not approved")
	case a.used.Swap(true):
		return errors.New("this approval was used already")
	}
	return nil
}
