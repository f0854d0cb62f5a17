package cmd

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestReadLine: a line beyond the limit is told, and the next one is read.
func TestReadLine(t *testing.T) {
	const limit = 40
	long := strings.Repeat("x", limit+1)
	text := "a\r\n" + long + "\n\n" + strings.Repeat("y", limit-1) + "\nlast"
	want := []string{"a", "too long", "", strings.Repeat("y", limit-1), "last"}
	in := bufio.NewReaderSize(strings.NewReader(text), 16)
	var got []string
	for {
		line, err := readLine(in, limit)
		if err == io.EOF {
			break
		}
		if errors.Is(err, errLongLine) {
			line = []byte("too long")
		} else if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
