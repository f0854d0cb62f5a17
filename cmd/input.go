package cmd

import (
	"context"
	"io"
)

// input is r until ctx ends, which a read does not wait beyond: whoever is to
// write may never do so. Close it, also so that nothing is read ahead.
func input(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { out.CloseWithError(context.Cause(ctx)) })
	return out
}
