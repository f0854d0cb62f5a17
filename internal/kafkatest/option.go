package kafkatest

import (
	"os"
	"runtime"
	"strconv"
)

// DefaultVersion is the Apache Kafka that runs unless Version or the environment
// variable GAPCTL_KAFKA_VERSION says otherwise.
const DefaultVersion = "4.4.0"

type settings struct {
	version    string
	properties map[string]string // beside the ones that server.go sets, and over them
	jvm        []string
	listeners  []listener // beside the ones that server.go sets
	data       string     // the log directory; one of its own where empty
	shared     bool
}

// Option changes how a broker is started.
type Option func(*settings)

// Version picks the Apache Kafka release, such as "4.1.2".
func Version(version string) Option {
	return func(s *settings) { s.version = version }
}

// Property sets one line of server.properties.
func Property(key, value string) Option {
	return func(s *settings) { s.properties[key] = value }
}

// Heap bounds the broker's Java heap; 512 MB unless set.
func Heap(megabytes int) Option {
	return JVM("-Xmx" + strconv.Itoa(megabytes) + "m")
}

// JVM adds options for the broker's JVM; they win over the kit's own. The kit
// asks for a quick start (serial collector, first compiler only); a benchmark
// of throughput wants "-XX:TieredStopAtLevel=4".
func JVM(options ...string) Option {
	return func(s *settings) { s.jvm = append(s.jvm, options...) }
}

// Clock makes the broker's clock wrong by as many seconds as the file says at
// any time.
func Clock(file string) Option { return JVM("-Dwrong.clock=" + file) }

// Data is where the broker keeps its log, such as a file system that can be
// filled; a directory that goes with the broker unless set.
func Data(dir string) Option {
	return func(s *settings) { s.data = dir }
}

// merge sets properties that no option has set.
func (s *settings) merge(properties map[string]string) {
	for key, value := range properties {
		if _, set := s.properties[key]; !set {
			s.properties[key] = value
		}
	}
}

func newSettings(opts []Option) settings {
	s := settings{version: DefaultVersion, properties: map[string]string{}}
	if version := os.Getenv("GAPCTL_KAFKA_VERSION"); version != "" {
		s.version = version
	}
	for _, opt := range opts {
		opt(&s)
	}
	return s
}

// busyBinaries is how many test binaries may run brokers at the same time; more
// would only make each other time out.
func busyBinaries() int {
	if n, err := strconv.Atoi(os.Getenv("GAPCTL_TEST_BROKERS")); err == nil && n > 0 {
		return n
	}
	return max(2, runtime.NumCPU()/2)
}
