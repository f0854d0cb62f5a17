package codec

import "fmt"

// foreignDecoded is the answer for metadata that holds no gaps: the committed
// offset alone, and a word on whose the metadata is.
func foreignDecoded(committed int64, message string, args ...any) Decoded {
	return Decoded{
		State:     Complete(committed),
		Anomalies: []Anomaly{{"foreign", fmt.Sprintf(message, args...) + "; not gap data"}},
	}
}
