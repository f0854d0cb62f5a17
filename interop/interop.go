// Package interop carries the sources of the JVM programs that the tests run
// against a real broker: Apache Kafka itself, the real Parallel Consumer, the
// real share consumer, the plain consumer and MirrorMaker. Package kafkatest
// compiles and runs them; nothing that ships imports this package.
package interop

import "embed"

// Sources is the Maven project: a parent pom, and the modules kit, broker, pc,
// clients and mirror, each with a pom and most with Java sources.
//
//go:embed pom.xml */pom.xml */src
var Sources embed.FS
