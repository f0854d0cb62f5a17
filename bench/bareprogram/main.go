// Command bareprogram is what starting any Go program costs: it prints a line.
package main

import "os"

func main() { os.Stdout.WriteString("bareprogram\n") }
