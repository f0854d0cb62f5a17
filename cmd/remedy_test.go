package cmd

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// someOperand stands for what a remedy names: a group, a partition, an offset.
const someOperand = "orders/2@17"

// TestRemedies: every command that a finding names exists, with its flags, and
// takes as many arguments.
func TestRemedies(t *testing.T) {
	lines := remedies(t)
	if len(lines) < 10 {
		t.Fatalf("only %d remedies found: %q", len(lines), lines)
	}
	for _, line := range lines {
		words := strings.Fields(line)
		if strings.HasSuffix(words[0], ".sh") {
			continue // a tool of Kafka's own
		}
		c, rest, err := testRoot().Find(words[1:])
		if err != nil || !c.HasParent() || words[0] != "gapctl" {
			t.Errorf("%q: there is no such command (%v)", line, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil {
			t.Errorf("%q: %v", line, err)
		} else if err := c.ValidateArgs(c.Flags().Args()); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// remedies are the commands that package inspect puts into findings, as its
// source has them.
func remedies(t *testing.T) (lines []string) {
	files, err := filepath.Glob(filepath.Join("..", "inspect", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Remedy" {
					lines = append(lines, remedy(n.Value))
				}
			case *ast.AssignStmt:
				if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == "Remedy" {
					lines = append(lines, remedy(n.Rhs[0]))
				}
			}
			return true
		})
	}
	return lines
}

var verb = regexp.MustCompile(`%[a-z]`)

// remedy is the text that an expression makes, with someOperand in place of
// what is not known before it runs.
func remedy(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return remedy(e.X) + remedy(e.Y)
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && name.Name == "Command" {
			return suggested(e.Args)
		}
		called, ok := e.Fun.(*ast.SelectorExpr)
		switch {
		case ok && called.Sel.Name == "Sprintf":
			return verb.ReplaceAllLiteralString(remedy(e.Args[0]), someOperand)
		case ok && called.Sel.Name == "Command":
			onPartition := []ast.Expr{e.Args[0], ast.NewIdent("group"), &ast.BasicLit{Value: `"--topic"`}, ast.NewIdent("place")}
			return suggested(append(onPartition, e.Args[1:]...))
		}
	}
	return someOperand
}

// suggested is the command line of these words.
func suggested(words []ast.Expr) string {
	line := []string{"gapctl"}
	for _, word := range words {
		line = append(line, remedy(word))
	}
	return strings.Join(line, " ")
}
