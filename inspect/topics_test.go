package inspect

import (
	"reflect"
	"testing"
)

func TestParseTopics(t *testing.T) {
	for _, c := range []struct {
		arg  string
		want TopicFilter
	}{
		{"orders", TopicFilter{Topic: "orders"}},
		{"orders/0,2", TopicFilter{"orders", []int32{0, 2}}},
		{"orders:0,2", TopicFilter{"orders", []int32{0, 2}}},
		{"or.d_e-rs/2147483647", TopicFilter{"or.d_e-rs", []int32{2147483647}}},
	} {
		got, err := ParseTopics([]string{c.arg})
		if err != nil || !reflect.DeepEqual(got, Topics{c.want}) {
			t.Errorf("%q is %v, %v; want %v", c.arg, got, err, c.want)
		}
	}
	for _, arg := range []string{"", "/1", "orders/", "orders:", "orders/x", "orders/-1", "orders/1,", "orders/2147483648", "orders/1/2"} {
		if got, err := ParseTopics([]string{arg}); err == nil {
			t.Errorf("%q was read as %v", arg, got)
		}
	}
}

func TestTopicsMatch(t *testing.T) {
	topics, err := ParseTopics([]string{"orders/0,2", "emails"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		topic     string
		partition int32
		want      bool
	}{{"orders", 0, true}, {"orders", 1, false}, {"orders", 2, true}, {"emails", 7, true}, {"payments", 0, false}} {
		if got := topics.Match(c.topic, c.partition); got != c.want {
			t.Errorf("%s/%d matches: %t, want %t", c.topic, c.partition, got, c.want)
		}
	}
	if !(Topics{}).Match("any", 3) {
		t.Error("no filter keeps nothing")
	}
}
