package inspect

import "testing"

func TestQueryWants(t *testing.T) {
	for _, c := range []struct {
		query Query
		group string
		want  bool
	}{
		{Query{Groups: []string{"billing"}}, "billing", true},
		{Query{Groups: []string{"billing"}}, "billing-2", false},
		{Query{Groups: []string{"bill*"}}, "billing-2", true},
		{Query{Groups: []string{"billing-?"}}, "billing-2", true},
		{Query{Groups: []string{"billing-?"}}, "billing-22", false},
		{Query{Groups: []string{"what?"}}, "what?", true},
		{Query{Groups: []string{"a[b]"}}, "a[b]", true}, // no pattern without * or ?
		{Query{Groups: []string{"a[b]"}}, "ab", false},
		{Query{All: true}, "billing", true},
		{Query{}, "billing", false},
	} {
		if got := c.query.wants(c.group); got != c.want {
			t.Errorf("%+v wants %q: %t, want %t", c.query, c.group, got, c.want)
		}
	}
	if err := (&Query{Groups: []string{"[*"}}).check(); err == nil {
		t.Error("a malformed pattern was accepted")
	}
}
