package cmd

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// lies are what a hostile broker makes of an answer, which is its size, the
// number of the request, and the rest.
func lies() map[string]func([]byte) []byte {
	return map[string]func([]byte) []byte{
		"announces 2 GB": func(answer []byte) []byte {
			return append([]byte{0x7f, 0xff, 0xff, 0xff}, answer[4:]...)
		},
		"announces less than nothing": func(answer []byte) []byte {
			return append([]byte{0xff, 0xff, 0xff, 0xff}, answer[4:]...)
		},
		"announces 90 MB, sends none": func(answer []byte) []byte {
			return append(binary.BigEndian.AppendUint32(nil, 90<<20), answer[4:8]...)
		},
		"answers something else": func(answer []byte) []byte {
			other := bytes.Clone(answer)
			other[4] ^= 0x40
			return other
		},
		"counts to 2^31": func(answer []byte) []byte {
			return append(bytes.Clone(answer[:8]), bytes.Repeat([]byte{0x7f, 0xff, 0xff, 0xff}, (len(answer)-8)/4+1)[:len(answer)-8]...)
		},
		"counts to 2^31 in short": func(answer []byte) []byte {
			return append(bytes.Clone(answer[:8]), bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xff, 0x07}, (len(answer)-8)/5+1)[:len(answer)-8]...)
		},
		"noise": func(answer []byte) []byte {
			return append(bytes.Clone(answer[:8]), bytes.Repeat([]byte{0x55, 0x1b, 0xaa, 0x00, 0x9b}, len(answer))[:len(answer)-8]...)
		},
		"stops half way": func(answer []byte) []byte { return answer[:len(answer)/2+4] },
	}
}

// TestHostileBroker: whatever a broker makes of any of its answers, gapctl ends
// within its timeout, with an error that can be read, nothing on standard
// output, and no more memory than a large answer takes.
func TestHostileBroker(t *testing.T) {
	const limit = "700ms"
	for _, key := range []kmsg.Key{kmsg.ApiVersions, kmsg.Metadata, kmsg.FindCoordinator, kmsg.OffsetFetch, kmsg.DescribeGroups, kmsg.ListOffsets} {
		t.Run(key.Name(), func(t *testing.T) {
			group := "billing"
			if key == kmsg.FindCoordinator || key == kmsg.DescribeGroups {
				group = "unlisted" // of another, the list tells all that these are asked for
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var all sync.WaitGroup
			for name, lie := range lies() {
				w, on := new(wire), new(atomic.Bool)
				w.mangle = func(k kmsg.Key, answer []byte) []byte {
					if on.Load() && k == key && len(answer) > 8 {
						return lie(answer)
					}
					return answer
				}
				s := newMangledScene(t, w)
				on.Store(true)
				all.Go(func() {
					began := time.Now()
					code, out, errs := runWith(t.Context(), s.env(), "describe", group, "-o", "json", "-b", s.addr, "--timeout", limit)
					if code == exitOK || time.Since(began) > time.Minute {
						t.Errorf("%s: exit code %d after %v\n%s", name, code, time.Since(began), out)
					}
					if !wholeOrNothing("-o json", out) || !wholeOrNothing("-o json", errs[strings.Index(errs, "{"):]) {
						t.Errorf("%s: standard output %q, standard error %q", name, out, errs)
					}
				})
			}
			all.Wait()
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<31 {
				t.Errorf("%d MB were taken", used>>20)
			}
		})
	}
}

// TestEndlessThrottle: a broker that asks for a pause of 24 days with each answer
// does not get it.
func TestEndlessThrottle(t *testing.T) {
	w, on := new(wire), new(atomic.Bool)
	w.mangle = func(key kmsg.Key, answer []byte) []byte {
		if !on.Load() || key != kmsg.Metadata {
			return answer
		}
		throttled := bytes.Clone(answer) // a flexible header: an empty tag section precedes the throttle
		copy(throttled[9:], []byte{0x7f, 0xff, 0xff, 0xff})
		return throttled
	}
	s := newMangledScene(t, w)
	on.Store(true)
	began := time.Now()
	code, out, errs := runWith(t.Context(), s.env(), "describe", "billing", "-b", s.addr, "--timeout", "1s")
	if code != exitUnavailable || out != "" || !strings.Contains(errs, "no answer within 1s") || time.Since(began) > time.Minute {
		t.Errorf("exit code %d after %v, standard output %q, standard error %q", code, time.Since(began), out, errs)
	}
}
