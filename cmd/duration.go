package cmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads Go's durations ("1h30m") and those of ISO 8601 with
// days, hours, minutes and seconds ("P1DT2H", "PT30S"). It must be above 0.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = parseISODuration(text)
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a duration above 0, such as 30s, 1h30m or PT30S", text)
	}
	return d, nil
}

func parseISODuration(text string) (time.Duration, error) {
	days, clock, _ := strings.Cut(strings.TrimPrefix(text, "P"), "T")
	if !strings.HasPrefix(text, "P") || strings.HasSuffix(text, "T") || text == "P" {
		return 0, strconv.ErrSyntax
	}
	var d time.Duration
	if days != "" {
		n, err := strconv.ParseInt(strings.TrimSuffix(days, "D"), 10, 16)
		if err != nil || !strings.HasSuffix(days, "D") {
			return 0, strconv.ErrSyntax
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	if clock == "" {
		return d, nil
	}
	if clock != strings.ToUpper(clock) {
		return 0, strconv.ErrSyntax
	}
	rest, err := time.ParseDuration(strings.ToLower(clock))
	return d + rest, err
}
