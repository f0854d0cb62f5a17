package inspect

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// sampleReport has every part of a report, with names that try to get out.
func sampleReport() Report {
	s := troubleSnapshot()
	g := &s.Groups[0]
	g.Name = "billing <script>document.title='hacked'</script>"
	g.Members = []Member{{ID: "consumer-1", ClientID: "<b>c</b>", Host: "/10.0.0.7"}}
	judge(g)
	record := func(key []byte, offset int64, ago time.Duration) Record {
		return Record{Group: g.Name, State: RecordOutstanding, Deliveries: -1, Record: &kgo.Record{
			Topic: "orders", Partition: 3, Offset: offset, Timestamp: s.TakenAt.Add(-ago), Key: key, Value: []byte("secret"),
		}}
	}
	return Report{Snapshot: s, Version: "v1.2.3", Records: []Record{
		record([]byte("customer-4711"), 750, 3*time.Hour),
		record([]byte("\x1b[31m<img src=x onerror=alert(1)>\xff"), 701, 2*time.Hour),
		record(nil, 702, time.Hour),
	}}
}

func writtenReport(t *testing.T, r Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteReport(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReportGolden(t *testing.T) {
	page := writtenReport(t, sampleReport())
	checkGolden(t, "report/sample.html", page)
	for _, leak := range []string{"secret", "<script", "<img", "<b>", "http://", "https://", "url(h"} {
		if text := strings.ReplaceAll(string(page), "http://www.w3.org/2000/svg", ""); strings.Contains(text, leak) {
			t.Errorf("the page has %q in it", leak)
		}
	}
}

// TestReportLimits: a report on a million gaps stays small enough for a ticket.
func TestReportLimits(t *testing.T) {
	page := writtenReport(t, Report{Snapshot: manySnapshot(300, 300_000)})
	if len(page) > 2<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if !bytes.Contains(page, []byte("and 299500 more")) {
		t.Error("it does not say how many gaps it leaves out")
	}
}

// TestReportInBrowser has a real browser read the page: the document that it
// makes of it is the whole one, nothing of a name has become markup, and
// nothing is asked of the network or complained about.
func TestReportInBrowser(t *testing.T) {
	browser := findBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, writtenReport(t, sampleReport()), 0o600); err != nil {
		t.Fatal(err)
	}
	dom, complaints := browse(t, browser, path)
	for _, want := range []string{"Gap report: billing &lt;script&gt;", "Made by gapctl v1.2.3", `class="outstanding"`, "customer-4711", "gapctl compact"} {
		if !strings.Contains(dom, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "<img", "<b>c</b>", "<title>hacked"} {
		if strings.Contains(dom, bad) {
			t.Errorf("the document has %q", bad)
		}
	}
	if complaints != "" {
		t.Errorf("the browser complains:\n%s", complaints)
	}
}

// findBrowser is a browser of the Chromium family. Without one the test is
// skipped, or fails where GAPCTL_REQUIRE_BROWSER is set.
func findBrowser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("GAPCTL_REQUIRE_BROWSER") != "" {
		t.Fatal("no chromium, chromium-browser or google-chrome")
	}
	t.Skip("NOT TESTED in a browser: there is no chromium, chromium-browser or google-chrome")
	return ""
}

// browse is the document that the browser makes of the page, and what it writes
// to the console.
func browse(t *testing.T, browser, path string) (dom, complaints string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--v=0", "--dump-dom", "file://"+path)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	var lines []string
	for line := range strings.SplitSeq(log.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			lines = append(lines, line)
		}
	}
	return out.String(), strings.Join(lines, "\n")
}
