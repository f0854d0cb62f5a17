// Package kafkatest runs a real Apache Kafka and the real JVM clients for tests
// and benchmarks. Everything comes from Maven: a machine needs Java 17 and mvn,
// nothing else, and the jars are kept in the user's cache directory.
//
// A test that only reads and writes topics of its own takes the broker that its
// whole test binary shares:
//
//	func TestMain(m *testing.M) { kafkatest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		broker := kafkatest.Shared(t)
//		broker.CreateTopic("orders", 3, nil)
//		...
//	}
//
// A test that stops, kills or reconfigures its broker starts its own with Start.
package kafkatest
