package codec

import (
	"errors"
	"testing"
)

// parallelConsumerTexts were written by Parallel Consumer 0.5.3.3; the last
// lines are of unreleased versions of the fork.
func parallelConsumerTexts() []string {
	return []string{
		"bAAFEgA=", "bgABAAEAAgAB", "bwAAAAUSAA==", "ZQAAAAEAAAABAAAAAgAAAAE=",
		"bgABADI=", "bAAz/v//////BwA=", "bwAAADP+//////8HAA==", "ZQAAAAEAAAAy",
		"bAAN5h0A", "bgABAAIAAgAEAAEAAw==", "bwAAAA3mHQA=", "ZQAAAAEAAAACAAAAAgAAAAQAAAABAAAAAw==",
		"YSi1L/0AWCkAAAAN5h0A", "Sii1L/0AWGEAAAABAAIAAgAEAAEAAw==", "cyi1L/0AWDkAAAAAAA3mHQA=",
		"cCi1L/0AWMEAAAAAAAEAAAACAAAAAgAAAAQAAAABAAAAAw==",
		"bgAA", "bAAAAA==", "bwAAAAAA", "ZQAAAAA=", "bAABAQA=", "bgAAAAE=", "bwAAAAEBAA==", "ZQAAAAAAAAAB",
		"ZQAAAAEAAJxA", "bAAQ/v4A", "bgABAAcAAQAH", "Sii1L/0AWE0AABAAAQEAO1/vsA==", "YSi1L/0AWF0AACAPoKoAAQDwKhgC",
		"TAABAQ==", "7gABAQ==",
		"ZAAAAA0EAAMBBQ==", "ZAAAADMBAA==", "ZAAAA+gFAAXDAawC8gM=", "%wb(Pf4fMUk0r&", "%wb(PfgxvE", "WAACaGluAAEAMg==", "WAAA",
	}
}

// TestEachFormatIsRecognisedAsItsOwn: every vector of every format is claimed
// by its own format first, whatever the others think of it.
func TestEachFormatIsRecognisedAsItsOwn(t *testing.T) {
	want := map[string]string{}
	for _, text := range parallelConsumerTexts() {
		want[text] = "parallel-consumer"
	}
	for _, v := range append(greyhoundVectors(), pyrallelVectors()...) {
		want[v.metadata] = v.format
	}
	for _, f := range foreignTexts() {
		want[f.metadata] = f.format
	}
	for metadata, format := range want {
		var claims []string
		for _, f := range Formats() {
			if f.match != nil && f.match(metadata) {
				claims = append(claims, f.Name)
			}
		}
		if len(claims) == 0 || claims[0] != format {
			t.Errorf("%q is claimed by %v, want %s first", metadata, claims, format)
		}
		if len(claims) > 1 && format != "pyrallel" {
			t.Errorf("%q is claimed by %v: only R and digits may also be another's", metadata, claims)
		}
	}
}

// TestFormatsTable: names are unique, and what can be read can be found.
func TestFormatsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats() {
		if f.Name == "" || seen[f.Name] || f.Writer == "" {
			t.Errorf("format %q: no name, a second one of that name, or no writer", f.Name)
		}
		seen[f.Name] = true
		if got, ok := Lookup(f.Name); !ok || got.Name != f.Name {
			t.Errorf("Lookup(%q) = %q, %t", f.Name, got.Name, ok)
		}
		if (f.Carrier == CommitMetadata) != (f.match != nil && f.decode != nil) {
			t.Errorf("%s: carried by %s, but match and decode say otherwise", f.Name, f.Carrier)
		}
		if f.Foreign && f.Writable() {
			t.Errorf("%s is foreign and writable", f.Name)
		}
		names := map[string]bool{}
		for _, e := range f.Encodings {
			if e.Name == "" || names[e.Name] {
				t.Errorf("%s: encoding %q has no name or a second one has it", f.Name, e.Name)
			}
			names[e.Name] = true
		}
	}
}

func TestDecodeEmpty(t *testing.T) {
	d, err := Decode("", 42)
	if err != nil || d.Format != "" || !d.State.Equal(Complete(42)) || d.Size != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDecodeRefusesNegativeOffset(t *testing.T) {
	for _, metadata := range []string{"R5", "10#", "bgABADI=", "0100"} {
		if d, err := Decode(metadata, -1); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q at -1: %+v, %v", metadata, d, err)
		}
	}
}

func TestDecodeAs(t *testing.T) {
	for _, c := range []struct {
		format, encoding, metadata string
		class                      error
	}{
		{"pyrallel", "", "R5", nil},
		{"pyrallel", "ranges", "R5", nil},
		{"pyrallel", "bits", "B5:01", nil},
		{"pyrallel", "bitset", "B5:01", nil},
		{"greyhound", "text", "10#", nil},
		{"greyhound", "text-gzip", "10#", ErrUnsupported},
		{"pyrallel", "ranges", "B5:16", ErrUnsupported},
		{"pyrallel", "runs", "R5", ErrUnsupported},
		{"share-group", "", "R5", ErrUnsupported},
		{"no-such", "", "R5", ErrUnsupported},
		{"greyhound", "", "R5", ErrCorrupt},
	} {
		d, err := DecodeAs(c.format, c.encoding, c.metadata, 5)
		if !errors.Is(err, c.class) || (c.class == nil) != (err == nil) {
			t.Errorf("DecodeAs(%q, %q, %q): %v, want %v", c.format, c.encoding, c.metadata, err, c.class)
		}
		if err == nil && (d.Format != c.format || c.encoding != "" && d.Encoding != c.encoding || d.Size != len(c.metadata)) {
			t.Errorf("DecodeAs(%q, %q, %q): %+v", c.format, c.encoding, c.metadata, d)
		}
	}
}

// TestMetadataSize counts as Java's String.length does.
func TestMetadataSize(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "漢字": 2, "a😀": 3, "\xff\xfe": 2} {
		if got := MetadataSize(text); got != want {
			t.Errorf("MetadataSize(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{Class: ErrUnknownFormat, Position: -1}, "unknown format"},
		{Error{Class: ErrCorrupt, Format: "pyrallel", Encoding: "bitset", Position: 6, Reason: "half a byte"}, "pyrallel bitset: corrupt at position 6: half a byte"},
		{Error{Class: ErrUnsupported, Format: "json", Position: -1, Reason: "read-only"}, "json: unsupported: read-only"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestSmallestLimit: the limit is in characters, and the error tells the need.
func TestSmallestLimit(t *testing.T) {
	s := greyhoundOf(3)
	out, err := Smallest("pyrallel", s, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Smallest("pyrallel", s, out.Size); err != nil {
		t.Errorf("a limit of exactly the size: %v", err)
	}
	_, err = Smallest("pyrallel", s, out.Size-1)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrTooLarge) || e.Need != out.Size || e.Limit != out.Size-1 {
		t.Errorf("one character too few: %v", err)
	}
	for _, c := range []struct {
		format, encoding string
		class            error
	}{{"no-such", "", ErrUnknownFormat}, {"no-such", "x", ErrUnknownFormat}, {"json", "", ErrUnsupported}, {"pyrallel", "runs", ErrUnsupported}} {
		if _, err := Encode(s, c.format, c.encoding); !errors.Is(err, c.class) {
			t.Errorf("Encode as %q %q: %v, want %v", c.format, c.encoding, err, c.class)
		}
	}
}
