package inspect

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	now := time.Date(2026, 3, 14, 3, 12, 0, 0, time.UTC)
	cases := map[time.Duration]string{
		3*time.Hour + 12*time.Minute + 5*time.Second: "3h12m",
		49 * time.Hour:   "2d1h",
		48 * time.Hour:   "2d",
		90 * time.Second: "1m30s",
		59 * time.Second: "59s",
		-time.Minute:     "0s",
	}
	for ago, want := range cases {
		if got := string(Time{now.Add(-ago)}.appendAge(nil, Time{now})); got != want {
			t.Errorf("age of %s = %q, want %q", ago, got, want)
		}
	}
}
