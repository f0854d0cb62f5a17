package codec

import "testing"

// TestMurmur2 holds the values of Kafka's own UtilsTest.testMurmur2.
func TestMurmur2(t *testing.T) {
	for text, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		if got := Murmur2([]byte(text)); got != want {
			t.Errorf("Murmur2(%q) = %d, want %d", text, got, want)
		}
	}
	if got := NativePartition("21", 50); got != (-973932308&0x7fffffff)%50 {
		t.Errorf("partition %d", got)
	}
}
