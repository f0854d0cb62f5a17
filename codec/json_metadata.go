package codec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const jsonName = "json"

// jsonMetadata is a JSON object of some other client: pykafka writes its
// consumer's ID and host name, stream loaders their progress. It holds no gaps.
var jsonMetadata = Format{
	Name:    jsonName,
	Carrier: CommitMetadata,
	Foreign: true,
	Writer:  "other clients, pykafka among them",
	match: func(metadata string) bool {
		return strings.HasPrefix(strings.TrimLeft(metadata, " \t\r\n"), "{") && json.Valid([]byte(metadata))
	},
	decode: decodeJSON,
}

func decodeJSON(metadata string, committed int64) (Decoded, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(metadata), &object); err != nil {
		return Decoded{}, &Error{Class: ErrCorrupt, Format: jsonName, Position: -1, Reason: "not a JSON object"}
	}
	writer := "another client"
	if object["consumer_id"] != nil && object["hostname"] != nil {
		writer = "pykafka"
	}
	return foreignDecoded(committed, "JSON of %s with %s", writer, someFields(object)), nil
}

// someFields names a few fields, quoted, each in part.
func someFields(object map[string]json.RawMessage) string {
	const most, longest = 5, 32
	names := slices.Sorted(maps.Keys(object))
	if len(names) == 0 {
		return "no fields"
	}
	var quoted []string
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%.*q", longest, name))
	}
	if more := len(names) - most; more > 0 {
		quoted = append(quoted, fmt.Sprintf("and %d more", more))
	}
	return "the fields " + strings.Join(quoted, ", ")
}
