// Command gapctl shows, explains and repairs gap commits on Apache Kafka.
package main

import (
	"os"

	"github.com/gapctl/gapctl/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], cmd.Process()))
}
