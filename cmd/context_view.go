package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/inspect"
)

// contextListView is every context.
type contextListView struct {
	inspect.Head
	File     string        `json:"file"`
	Contexts []contextView `json:"contexts"`
}

type contextView struct {
	Name      string       `json:"name"`
	Current   bool         `json:"current"`
	Bootstrap inspect.Name `json:"bootstrap_servers"`
	Protocol  inspect.Name `json:"security_protocol"`
	Mechanism inspect.Name `json:"sasl_mechanism"`
	Username  inspect.Name `json:"username"`
}

func newContextView(name string, current bool, s settings) contextView {
	user := s[propUsername]
	for _, other := range []string{propOAuthClient, propKerberosPrincipal} {
		if user == "" {
			user = s[other]
		}
	}
	return contextView{
		name, current, inspect.Name(s[propBootstrap]), inspect.Name(s[propProtocol]), inspect.Name(s.mechanism()), inspect.Name(user),
	}
}

// Tables is one row per context.
func (v contextListView) Tables(inspect.Layout) []inspect.Table {
	columns := []inspect.Column{
		{Name: "CURRENT"}, {Name: "NAME"}, {Name: "BOOTSTRAP-SERVERS"}, {Name: "PROTOCOL"}, {Name: "MECHANISM"}, {Name: "USER"},
	}
	return []inspect.Table{{Columns: columns, Rows: func(yield func([]inspect.Cell) bool) {
		for _, c := range v.Contexts {
			mark := ""
			if c.Current {
				mark = "*"
			}
			if !yield(cells(mark, c.Name, string(c.Bootstrap), string(c.Protocol), string(c.Mechanism), string(c.Username))) {
				return
			}
		}
	}}}
}

func cells(texts ...string) []inspect.Cell {
	row := make([]inspect.Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// contextShowView is what one context says.
type contextShowView struct {
	inspect.Head
	Name       string                `json:"name"`
	Properties []contextPropertyView `json:"properties"`
}

type contextPropertyView struct {
	Name   string       `json:"name"`
	Value  inspect.Name `json:"value"` // of a secret: null
	Secret bool         `json:"secret"`
}

// newContextShowView shows settings without their secrets. What a login module
// was told shows as the properties that it stands for.
func newContextShowView(name string, s settings) contextShowView {
	v := contextShowView{Head: inspect.Head{Kind: "context", SchemaVersion: inspect.SchemaVersion}, Name: name, Properties: []contextPropertyView{}}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		p, known := lookupProperty(key)
		switch {
		case !known: // an option of a login module
		case p.secret:
			v.Properties = append(v.Properties, contextPropertyView{Name: key, Secret: true})
		default:
			v.Properties = append(v.Properties, contextPropertyView{Name: key, Value: inspect.Name(s[key])})
		}
	}
	return v
}

// Tables is one row per property.
func (v contextShowView) Tables(inspect.Layout) []inspect.Table {
	return []inspect.Table{{Columns: []inspect.Column{{Name: "PROPERTY"}, {Name: "VALUE"}}, Rows: func(yield func([]inspect.Cell) bool) {
		for _, p := range v.Properties {
			value := strings.ReplaceAll(string(p.Value), "\n", " ")
			if p.Secret {
				value = "(hidden)"
			}
			if !yield(cells(p.Name, value)) {
				return
			}
		}
	}}}
}
