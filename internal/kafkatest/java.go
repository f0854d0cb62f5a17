package kafkatest

import (
	"bytes"
	"os/exec"
)

// Java is a command that runs a class of the broker's own jars, such as
// org.apache.kafka.tools.consumer.group.ConsumerGroupCommand, with the broker's
// version. It is killed when the test ends.
func (b *Broker) Java(class string, args ...string) *exec.Cmd {
	return exec.CommandContext(b.t.Context(), "java", javaArgs(b.module, class, args)...)
}

// Tool runs a class as Java does and returns what it prints on standard output.
// A status other than zero fails the test.
func (b *Broker) Tool(class string, args ...string) string {
	b.t.Helper()
	cmd := b.Java(class, args...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("kafkatest: %s %q: %v\n%s%s", class, args, err, out, tail(errors.String(), 40))
	}
	return string(out)
}

// javaArgs run a class quietly in a JVM that is to live for seconds.
func javaArgs(m module, class string, args []string) []string {
	return append([]string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", m.classpath(), class}, args...)
}
