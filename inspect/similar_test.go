package inspect

import "testing"

func TestMostSimilar(t *testing.T) {
	groups := []string{"audit-export", "billing", "billing-eu", "shipping"}
	cases := map[string]string{"biling": "billing", "BILLING": "billing", "ship": "shipping", "zzz": "", "": "", "export": "audit-export"}
	for name, want := range cases {
		if got := mostSimilar(name, groups); got != want {
			t.Errorf("most similar to %q: %q, want %q", name, got, want)
		}
	}
}
