package inspect

import (
	"strings"
	"testing"
)

// hugeView has an offset that no float64 holds.
func hugeView() View {
	const huge = 1<<62 + 1
	return NewDecodeView([]Decoding{Decode("bgABADI=", huge, "", "")})
}

func TestWritePrograms(t *testing.T) {
	cases := []struct{ output, want string }{
		{`template={{range .results}}{{.stable}} {{.format}} {{json .gaps}} {{len .gaps}}{{end}}`, `4611686018427387905 parallel-consumer [{"end":4611686018427387906,"start":4611686018427387905}] 1`},
		{`template={{range .results}}{{if gt .max 4611686018427387905}}beyond{{end}}{{end}}`, "beyond"},
		{`jq=.results[] | .stable, .stable + 1, .format, .gaps, .error`, "4611686018427387905\n4611686018427387906\nparallel-consumer\n" + `[{"end":4611686018427387906,"start":4611686018427387905}]` + "\nnull\n"},
		{`jq=.results[0].stable * 2`, "9223372036854775810\n"},
		{`jq=1, halt, 2`, "1\n"},
		{`jq=empty`, ""},
	}
	for _, c := range cases {
		output, err := ParseOutput(c.output)
		if err != nil {
			t.Errorf("%s: %v", c.output, err)
			continue
		}
		var b strings.Builder
		err = Write(&b, output, hugeView(), Style{})
		if err != nil || b.String() != c.want {
			t.Errorf("%s:\n got %q, %v\nwant %q", c.output, b.String(), err, c.want)
		}
	}
}

func TestWriteProgramsFail(t *testing.T) {
	for _, name := range []string{"template", "jq", "jq=.a |", "jq=nosuch", "jq=input", "jq=$x", "template={{.a", "template={{nosuch .}}", "awk=1", "=", "table=x"} {
		if output, err := ParseOutput(name); err == nil {
			t.Errorf("%q is taken for the output %q", name, output)
		}
	}
	for _, output := range []Output{`jq=.results[0].format + 1`, `template={{.kind}}{{.nothing}}`} {
		var b strings.Builder
		if err := Write(&b, output, hugeView(), Style{}); err == nil || b.Len() > 0 {
			t.Errorf("%s fails with %v, and %q is written", output, err, b.String())
		}
	}
}

// TestWriteProgramsClean: what a program shows of hostile names is as clean as
// any other output.
func TestWriteProgramsClean(t *testing.T) {
	for name, v := range hostileViews() {
		for _, output := range []Output{`jq=.. | scalars`, `jq=.`, `jq=@json`, `template={{json .}}`, `template={{.}}`, `template={{range $k, $v := .}}{{printf "%s" $v}}{{end}}`} {
			out := written(t, output, v, Style{})
			for _, r := range out {
				if r != '\n' && isControl(r) {
					t.Errorf("%s as %s: %U is in the output %q", name, output, r, out)
					break
				}
			}
		}
	}
}
