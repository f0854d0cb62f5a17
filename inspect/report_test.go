package inspect

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
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

// TestReportTellsWhatIsUnread: that a partition has findings does not hide that
// the cluster did not tell all of it; bytes that make no sense are a finding, and
// told once.
func TestReportTellsWhatIsUnread(t *testing.T) {
	unread, corrupt := healthy(), healthy()
	unread.Size, unread.Err = 4000, &gapstore.Error{Class: gapstore.ErrDenied, Op: "find the log's end"}
	corrupt.Err = &codec.Error{Class: codec.ErrCorrupt, Position: -1}
	g := Group{Partitions: []Partition{unread, corrupt}}
	judge(&g)
	var told []string
	for _, f := range reportFindings(&g) {
		told = append(told, f.Kind)
	}
	if want := []string{"denied", "undecodable", "near-limit"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestReportClean: no control character of what is from outside is in the page,
// whatever part it stands in.
func TestReportClean(t *testing.T) {
	s := hostileSnapshot()
	s.Groups = s.Groups[:1]
	g := &s.Groups[0]
	g.Members = []Member{{ID: "ID" + hostile}, {InstanceID: "instance" + hostile}, {ClientID: "client" + hostile}, {Host: "host" + hostile}}
	records := []Record{{Group: hostile, Record: &kgo.Record{Topic: hostile, Key: []byte("key" + hostile)}}}
	page := string(writtenReport(t, Report{Snapshot: s, Records: records}))
	for _, r := range page {
		if r != '\n' && isControl(r) {
			t.Errorf("%U is in the page", r)
		}
	}
	if !utf8.ValidString(page) || strings.Contains(page, "\ufffd") {
		t.Error("bytes that are no UTF-8 are in the page, or are not shown")
	}
	for _, part := range []string{"ID=", "instance=", "client=", "host=", "key="} {
		if !strings.Contains(page, part+`a\x1b`) {
			t.Errorf("the page does not show %s", part)
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
	dom, complaints := browse(t, browser, path, "--dump-dom")
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

// browse is what the browser writes to standard output, and to the console of
// the page, when it does with it what the flags say.
func browse(t *testing.T, browser, path string, flags ...string) (out, complaints string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir=" + t.TempDir(), "--enable-logging=stderr", "--v=0",
	}, flags...)
	cmd := exec.CommandContext(ctx, browser, append(args, "file://"+path)...)
	var written, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &written, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	var lines []string
	for line := range strings.SplitSeq(log.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			lines = append(lines, line)
		}
	}
	return written.String(), strings.Join(lines, "\n")
}

// TestReportLooks: the page follows the reader's choice of light or dark, and
// is printed on white in either case.
func TestReportLooks(t *testing.T) {
	browser := findBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, writtenReport(t, sampleReport()), 0o600); err != nil {
		t.Fatal(err)
	}
	dark, light := shownReport(t, browser, path, 0), shownReport(t, browser, path, 1)
	for name, look := range map[string]struct {
		page image.Image
		dark bool
	}{"dark": {dark, true}, "light": {light, false}} {
		ground := color.GrayModel.Convert(look.page.At(2, 2)).(color.Gray).Y
		ink, contrast := 0, 0
		for y := range look.page.Bounds().Dy() {
			for x := range look.page.Bounds().Dx() {
				if far := int(color.GrayModel.Convert(look.page.At(x, y)).(color.Gray).Y) - int(ground); far != 0 {
					ink, contrast = ink+1, max(contrast, far, -far)
				}
			}
		}
		if look.dark != (ground < 64) || look.dark == (ground > 224) || contrast < 150 || ink < 10_000 {
			t.Errorf("%s: the ground is %d of 255, %d pixels differ from it, by up to %d", name, ground, ink, contrast)
		}
	}
	printed := filepath.Join(t.TempDir(), "report.pdf")
	browse(t, browser, path, preferred(0), "--print-to-pdf="+printed, "--no-pdf-header-footer")
	pdf, err := os.ReadFile(printed)
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("printing made %d bytes, and %v", len(pdf), err)
	}
	if !strings.Contains(string(writtenReport(t, sampleReport())), "@media screen and (prefers-color-scheme:dark)") {
		t.Error("the dark look is not kept from paper")
	}
}

// preferred is the flag for a reader who prefers dark (0) or light (1) pages.
func preferred(scheme int) string {
	return fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme)
}

// shownReport is the page as it is shown.
func shownReport(t *testing.T, browser, path string, scheme int) image.Image {
	t.Helper()
	shot := filepath.Join(t.TempDir(), "page.png")
	browse(t, browser, path, preferred(scheme), "--window-size=900,1200", "--screenshot="+shot)
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return page
}
