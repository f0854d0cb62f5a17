// Package cmd turns arguments into one call chain, and its result into bytes
// and an exit status.
//
// [Main] is the only way in. Each command has one constructor, which binds
// flags to a struct of options whose run method reads as the flow of data.
// Data goes to standard output and everything else to standard error;
// standard output is valid or empty. The exit codes stand in one table.
//
// Deliberately absent: anything that knows an offset, or a byte of a format.
package cmd
