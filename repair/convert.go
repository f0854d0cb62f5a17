package repair

import (
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// Convert writes the same state in another format.
type Convert struct {
	// To is the name of the format.
	To string `json:"to"`
}

// Name is "convert".
func (Convert) Name() string { return "convert" }

// Targets are none: all partitions of the snapshot are meant.
func (Convert) Targets() []Target { return nil }

// check is nil when the format can be written into a commit.
func (c Convert) check() error {
	format, ok := codec.Lookup(c.To)
	switch {
	case !ok:
		return fmt.Errorf("no format %q", c.To)
	case !format.Writable() && format.Carrier == codec.CommitMetadata:
		return fmt.Errorf("the format %s is read-only", c.To)
	case format.Carrier != codec.CommitMetadata && c.To != nativeFormat:
		return fmt.Errorf("the format %s lives in records of a topic; conversion into it is not supported", c.To)
	}
	return nil
}

func (c Convert) propose(_ *inspect.Group, p *inspect.Partition) (proposal, error) {
	if err := legible(p); err != nil {
		return proposal{}, err
	}
	state := current(p)
	if p.Format == c.To {
		return keep(p), nil
	}
	after, err := encode(p, c.To, state)
	var bad *codec.Error
	switch {
	case errors.As(err, &bad) && bad.Need > 0:
		return proposal{}, fmt.Errorf("%s can not hold this state: it needs %d characters, the limit is %d", c.To, bad.Need, bad.Limit)
	case err != nil:
		return proposal{}, err
	}
	why := fmt.Sprintf("the same state in %s instead of %s", c.To, orPlain(p.Format))
	if c.To == greyhound && state.Gaps.Len() > 1 {
		why += fmt.Sprintf("; greyhound itself reads back no more than one gap, and here are %d", state.Gaps.Len())
	}
	return proposal{after, why}, nil
}

// orPlain is the format's name, or what a commit without metadata is called.
func orPlain(format string) string {
	if format == "" {
		return "a plain commit"
	}
	return format
}
