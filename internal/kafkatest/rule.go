package kafkatest

import (
	"fmt"
	"strings"
)

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// Rule says which records a JVM program treats specially: none (the zero Rule),
// or what the functions below make. The program refuses any other text, so that
// none can be given.
type Rule struct{ text string }

// Every matches the offsets divisible by n, 0 included.
func Every(n int64) Rule { return EveryPlus(n, 0) }

// EveryPlus matches the offsets that leave rest when divided by n.
func EveryPlus(n, rest int64) Rule { return Rule{fmt.Sprintf("mod:%d:%d", n, rest)} }

// Listed matches the given offsets.
func Listed(offsets map[TopicPartition][]int64) Rule {
	var parts []string
	for at, of := range offsets {
		for _, offset := range of {
			parts = append(parts, fmt.Sprintf("%s:%d:%d", at.Topic, at.Partition, offset))
		}
	}
	if len(parts) == 0 {
		return Rule{}
	}
	return Rule{"list:" + strings.Join(parts, ",")}
}
