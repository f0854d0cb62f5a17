package codec

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// base64Of is standard base64 of bytes given as hexadecimal, blanks allowed.
func base64Of(digits string) string {
	return base64.StdEncoding.EncodeToString(unhex(digits))
}

// foreignText is metadata that must be named, with what is said of it.
type foreignText struct{ metadata, format, says string }

func foreignTexts() []foreignText {
	return []foreignText{
		{base64Of("01 0000018bcfe56800"), "kafka-streams", "partition time 2023-11-14T22:13:20.000Z, metadata of 0 processors"},
		{base64Of("01 ffffffffffffffff"), "kafka-streams", "partition time unknown"},
		{base64Of("02 0000018bcfe56800"), "kafka-streams", "2023-11-14T22:13:20.000Z"},
		{base64Of("02 0000018bcfe56800 00000001 00000003 6b6579 0000000000000007"), "kafka-streams", "metadata of 1 processors"},
		{base64Of("02 0000018bcfe56800 00000000"), "kafka-streams", "metadata of 0 processors"},
		{"0102" + "0500" + "0600", "zilla", "2 packets of unfinished MQTT QoS 2 exchanges, subscribe side"},
		{"0100", "zilla", "0 packets"},
		{"020100" + "0500", "zilla", "1 packets of unfinished MQTT QoS 2 exchanges, subscribe side"},
		{"020001" + "0005", "zilla", "1 packets"},
		{"01" + "0700000000000000" + "0300" + "01" + "0500", "zilla", "1 packets of unfinished MQTT QoS 2 exchanges, publish side"},
		{`{"consumer_id":"c","hostname":"h"}`, "json", `JSON of pykafka with the fields "consumer_id", "hostname"`},
		{` {"b":1,"a":{"x":[1,2]}}`, "json", `JSON of another client with the fields "a", "b"`},
		{`{"\u001b[31m":1}`, "json", `"\x1b[31m"`},
		{`{}`, "json", "no fields"},
		{`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`, "json", "and 1 more"},
	}
}

func TestForeignTexts(t *testing.T) {
	for _, f := range foreignTexts() {
		d, err := Decode(f.metadata, 42)
		if err != nil {
			t.Errorf("%q: %v", f.metadata, err)
			continue
		}
		if d.Format != f.format || !d.Foreign || !d.State.Equal(Complete(42)) {
			t.Errorf("%q: %+v, want foreign %s at 42", f.metadata, d, f.format)
		}
		if kindsOf(d) != "foreign" || !strings.Contains(d.Anomalies[0].Message, f.says) || !strings.HasSuffix(d.Anomalies[0].Message, "not gap data") {
			t.Errorf("%q: %+v, want it to say %q", f.metadata, d.Anomalies, f.says)
		}
		if _, err := Encode(d.State, f.format, ""); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s can be written: %v", f.format, err)
		}
	}
}

// TestStrangersAreNotNamed: what only resembles a format is left unknown.
func TestStrangersAreNotNamed(t *testing.T) {
	for _, metadata := range []string{
		"hello world!", " ", "committed by me", "-", "#", "12", "a#b", "12#hello", "%", "%hello",
		"R1x", "RUNNING", "B", "B12", "Bx:01", "OK", "o", "r1-2",
		base64Of("01 0000018bcfe568"),                        // a byte short
		base64Of("01 0000018bcfe56800 00"),                   // a byte long
		base64Of("01 fffffffffffffffe"),                      // a time before all times
		base64Of("02 0000018bcfe56800 7fffffff"),             // claims entries that are not there
		base64Of("02 0000018bcfe56800 00000001 7fffffff 6b"), // claims a key that is not there
		base64Of("03 0000018bcfe56800"),
		"0102" + "0500", "0102050006000", "0102" + "0500" + "060G", "03", "01", "0102" + "AB00" + "0600",
		"{", "{not json}", "[1]", `"text"`, "\x00\xff\xfe", "é",
	} {
		if d, err := Decode(metadata, 42); !errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%q: %+v, %v; want it unknown", metadata, d, err)
		}
	}
}
