package inspect

import (
	"embed"
	"html/template"
	"io"
)

// pages are the templates of HTML pages.
//
//go:embed page.html map.html report.html
var pages embed.FS

type page struct {
	Title, ClusterID string
	TakenAt          Time
	Map              template.HTML
}

// WriteMapHTML draws s as one HTML page that needs nothing beside itself.
func WriteMapHTML(w io.Writer, s Snapshot, o MapOptions) error {
	t, err := template.ParseFS(pages, "page.html", "map.html")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "map.html", page{"Gap map", Clean(s.ClusterID), Time{s.TakenAt}, template.HTML(mapSVG(s, o))})
}
