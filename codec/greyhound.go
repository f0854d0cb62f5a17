package codec

import "strings"

const greyhoundName = "greyhound"

// greyhound is the commit metadata of Wix greyhound's parallel consumer.
//
//	metadata = base64( gzip( text ) )          text-gzip, since 2023-06
//	metadata = text                            text, 2023-05 to 2023-06
//	text     = offset "#" [ gap { "$" gap } ]
//	gap      = first "_" last                  both included, not handled
//
// Numbers are decimal and absolute. offset is the high mark: everything below
// it that is in no gap is handled, and the gaps lie behind it. It is the
// committed offset too, save right after an assignment, when greyhound commits
// the first gap's start with the text it found: so the text is what counts.
var greyhound = Format{
	Name:    greyhoundName,
	Carrier: CommitMetadata,
	Writer:  "Wix greyhound, parallel consumer",
	Encodings: []Encoding{
		{Name: "text-gzip", Magic: "H4sI", encode: encodeGreyhoundGzip},
		{Name: "text", Magic: "digits and #", encode: encodeGreyhoundText},
	},
	match:    matchGreyhound,
	decode:   decodeGreyhound,
	smallest: encodeGreyhoundGzip,
}

// matchGreyhound accepts text of greyhound's alphabet, and gzip that is broken
// or holds what may be such text: other clients put gzip into metadata too.
func matchGreyhound(metadata string) bool {
	if strings.HasPrefix(metadata, gzipBase64) {
		text, err := gunzip(metadata, 1)
		return err != nil || text != "" && strings.Contains("-0123456789", text)
	}
	text := strings.TrimPrefix(metadata, "-")
	digits := leadingDigits(text)
	gaps, ok := strings.CutPrefix(text[digits:], "#")
	return ok && digits > 0 && strings.Trim(gaps, "0123456789_$-") == ""
}

func decodeGreyhound(metadata string, committed int64) (Decoded, error) {
	d := Decoded{Encoding: "text"}
	text := metadata
	if strings.HasPrefix(metadata, gzipBase64) {
		d.Encoding = "text-gzip"
		var err *Error
		if text, err = gunzip(metadata, maxGunzipped); err != nil {
			return Decoded{}, err
		}
	}
	p := textParser{format: greyhoundName, encoding: d.Encoding, text: text}
	high := p.number()
	p.expect('#')
	var gaps []Range
	for p.more() {
		if len(gaps) > 0 {
			p.expect('$')
		}
		gaps = append(gaps, p.inclusiveRange('_'))
	}
	if p.err != nil {
		return Decoded{}, p.err
	}
	d.Anomalies = greyhoundAnomalies(gaps, high, committed)
	set := normalize(gaps).Clip(Range{0, high})
	d.State = State{Stable: high, Max: high, Gaps: set}
	if !set.Empty() {
		d.State.Stable = set.First().Start
	}
	return d, nil
}

func encodeGreyhoundGzip(s State) (Encoded, error) {
	out, err := encodeGreyhoundText(s)
	out.Encoding, out.Metadata = "text-gzip", gzipText(out.Metadata)
	return out, err
}

func encodeGreyhoundText(s State) (Encoded, error) {
	return Encoded{Encoding: "text", Committed: s.Max, Metadata: greyhoundText(s)}, nil
}
