package cmd

import (
	"context"
	"io"
)

// input reads r until ctx ends, and then no read waits any longer: whoever should
// write to r may never do so. Closing it ends the copying of r.
func input(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { out.CloseWithError(context.Cause(ctx)) })
	return out
}
