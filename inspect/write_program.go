package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
)

// The outputs that are programs over the JSON document: a name, an equals sign
// and the program's text.
const (
	programTemplate = "template" // of text/template
	programJQ       = "jq"       // of jq, as gojq reads it
)

// program writes the document that reading it with decode gives.
type program func(w io.Writer, document []byte) error

// parseProgram is the program that the output is; ok is false if it is none.
func (o Output) parseProgram() (run program, ok bool, err error) {
	name, text, ok := strings.Cut(string(o), "=")
	switch {
	case ok && name == programTemplate:
		run, err = parseTemplate(text)
	case ok && name == programJQ:
		run, err = parseJQ(text)
	default:
		return nil, false, nil
	}
	return run, true, err
}

func writeProgram(w io.Writer, run program, v View) error {
	var doc bytes.Buffer
	if err := writeJSON(&doc, v); err != nil {
		return err
	}
	return run(w, doc.Bytes())
}

// parseTemplate makes a program of a template. What it shows of the document is
// clean; a field that is not there is an error.
func parseTemplate(text string) (program, error) {
	functions := template.FuncMap{"json": templateJSON, "join": templateJoin}
	t, err := template.New("output").Option("missingkey=error").Funcs(functions).Parse(text)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, document []byte) error {
		doc, err := decodeDocument(document, int64OrText, Clean)
		if err != nil {
			return err
		}
		var b bytes.Buffer // a template that fails half-way writes nothing
		if err := t.Execute(&b, doc); err != nil {
			return err
		}
		_, err = w.Write(b.Bytes())
		return err
	}, nil
}

func templateJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func templateJoin(list []any, separator string) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, separator)
}

// parseJQ makes a program of a jq filter. Each result is a line: a text as it
// is, but clean, anything else as JSON.
func parseJQ(text string) (program, error) {
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	return func(w io.Writer, document []byte) error {
		doc, err := decodeDocument(document, intOrBig, func(s string) string { return s })
		if err != nil {
			return err
		}
		results := code.Run(doc)
		for {
			v, ok := results.Next()
			if !ok {
				return nil
			}
			if done, err := writeResult(w, v); done || err != nil {
				return err
			}
		}
	}, nil
}

// writeResult writes one result of a filter; done when the filter says so.
func writeResult(w io.Writer, v any) (done bool, err error) {
	var line []byte
	switch v := v.(type) {
	case error:
		var halt *gojq.HaltError
		if errors.As(v, &halt) && halt.Value() == nil {
			return true, nil
		}
		return true, v
	case string:
		line = []byte(Clean(v))
	default:
		if line, err = gojq.Marshal(v); err != nil {
			return true, err
		}
		line = EscapeJSON(line)
	}
	_, err = w.Write(append(line, '\n'))
	return false, err
}

// decodeDocument decodes JSON without loss: number makes what a number becomes,
// text what a text does.
func decodeDocument(document []byte, number func(json.Number) any, text func(string) string) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	return convert(doc, number, text), nil
}

func convert(v any, number func(json.Number) any, text func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = convert(value, number, text)
		}
	case []any:
		for i, value := range v {
			v[i] = convert(value, number, text)
		}
	case json.Number:
		return number(v)
	case string:
		return text(v)
	}
	return v
}

// int64OrText keeps what is no int64 as it is written.
func int64OrText(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	return n
}

// intOrBig is the number as gojq computes with it: whole ones exactly.
func intOrBig(n json.Number) any {
	if i, err := strconv.Atoi(n.String()); err == nil {
		return i
	}
	if i, ok := new(big.Int).SetString(n.String(), 10); ok {
		return i
	}
	f, _ := n.Float64() // beyond its range: infinite, as in jq
	return f
}
