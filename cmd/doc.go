// Package cmd turns arguments into one call chain, and its result into bytes
// and an exit status.
//
// [Main] is the only way in. Each command has one constructor, which binds
// flags to a struct of options whose run method reads as the flow of data.
// Data goes to standard output and everything else to standard error;
// standard output is valid or empty. The exit codes stand in one table.
//
// A command is in the file of its name. What they share: app.go begins and ends a
// run, failure.go says what went wrong, flags.go has flags of several commands,
// settings.go and property.go gather how to connect, connect.go does it with
// tls*.go and sasl*.go, cluster.go reads, and repair*.go plans and writes.
//
// Deliberately absent: anything that knows an offset, or a byte of a format.
package cmd
