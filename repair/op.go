package repair

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// Op is what a repair does: [Compact], [Reset], [Replay], [Convert] or [Undo],
// each a plain struct of options. [NewPlan] turns some of them into those that
// share groups know: [ShareReset], [ShareSkip], [ShareReplay] and [ShareUndo].
type Op interface {
	// Name is the op's name in plans, such as "compact".
	Name() string
	// Targets are the partitions that the op names by itself.
	Targets() []Target
	// propose is what the commit of p, a partition of g, should become. The
	// error is why the op leaves p alone although it was asked to change it.
	propose(g *inspect.Group, p *inspect.Partition) (proposal, error)
}

// proposal is a commit that an op wants, and why.
type proposal struct {
	after Commit
	why   string
}

// keep proposes what stands.
func keep(p *inspect.Partition) proposal { return proposal{after: commitOf(p)} }

// marshalOp is the op's options as a JSON object, after its name.
func marshalOp(op Op) ([]byte, error) {
	options, err := json.Marshal(op)
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(op.Name())
	if err != nil {
		return nil, err
	}
	object := append([]byte(`{"name":`), name...)
	if rest := options[1:]; !bytes.Equal(rest, []byte("}")) {
		return append(append(object, ','), rest...), nil
	}
	return append(object, '}'), nil
}

// unmarshalOp reads what marshalOp writes, and nothing else.
func unmarshalOp(data []byte) (Op, error) {
	var options map[string]json.RawMessage
	if err := json.Unmarshal(data, &options); err != nil {
		return nil, err
	}
	var name string
	if err := json.Unmarshal(options["name"], &name); err != nil {
		return nil, fmt.Errorf("name of the operation: %w", err)
	}
	delete(options, "name")
	bare, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	switch name {
	case Compact{}.Name():
		return readOp[Compact](bare)
	case Reset{}.Name():
		return readOp[Reset](bare)
	case Convert{}.Name():
		return readOp[Convert](bare)
	case Replay{}.Name():
		return readOp[Replay](bare)
	case ShareReset{}.Name():
		return readOp[ShareReset](bare)
	case ShareSkip{}.Name():
		return readOp[ShareSkip](bare)
	case ShareReplay{}.Name():
		return readOp[ShareReplay](bare)
	case ShareUndo{}.Name():
		return readOp[ShareUndo](bare)
	case Undo{}.Name():
		return readOp[Undo](bare)
	}
	return nil, fmt.Errorf("no operation %q", name)
}

func readOp[T Op](options []byte) (Op, error) {
	var op T
	if err := strictly(options, &op); err != nil {
		return nil, err
	}
	return op, nil
}

// strictly reads one JSON value whose fields are all known.
func strictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if dec.More() {
		return fmt.Errorf("more follows at byte %d", dec.InputOffset())
	}
	return nil
}

// strictRanges are ranges that are read strictly.
type strictRanges struct{ codec.Ranges }

// UnmarshalJSON reads half-open ranges that have no other fields.
func (r *strictRanges) UnmarshalJSON(data []byte) error {
	if err := strictly(data, new([]codec.Range)); err != nil {
		return err
	}
	return r.Ranges.UnmarshalJSON(data)
}
