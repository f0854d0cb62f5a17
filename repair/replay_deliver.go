package repair

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gapctl/gapctl/inspect"
)

// Streams are where records go that go to no topic.
type Streams struct {
	Out io.Writer // JSON lines
	Err io.Writer // what commands print
	// Secrets are the names of environment variables that commands do not get.
	Secrets []string
}

// delivery takes records before their gaps are closed.
type delivery interface {
	// deliver takes a record; an error leaves its gap open.
	deliver(ctx context.Context, r *inspect.Record) error
	// flush returns when all that was taken is delivered; an error leaves all
	// gaps since the last flush open.
	flush() error
}

func (r Replay) delivery(to Streams) (delivery, error) {
	switch {
	case r.ToStdout:
		w, err := inspect.NewRecordWriter(to.Out, inspect.RecordStyle{Output: inspect.OutputJSON, Values: true})
		return lines{w}, err
	case r.Exec != "":
		return command{r.Exec, to.Err, to.Secrets}, nil
	}
	return nil, nil
}

// lines writes records as JSON.
type lines struct{ w inspect.RecordWriter }

func (l lines) deliver(_ context.Context, r *inspect.Record) error { return l.w.Write(r) }

func (l lines) flush() error { return l.w.Close() }

// command runs a shell command for each record.
type command struct {
	text    string
	output  io.Writer
	secrets []string // variables that it does not get
}

// killGrace is how long the output of a command that was stopped is waited for.
const killGrace = 5 * time.Second

// deliver gives the command the value on standard input, and the rest in its
// environment.
func (c command) deliver(ctx context.Context, r *inspect.Record) error {
	shell := []string{"sh", "-c", c.text}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", c.text}
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(r.Value), c.output, c.output
	cmd.WaitDelay = killGrace
	cmd.Env = append(c.inherited(), environment(r)...)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the command on %s/%d@%d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	return nil
}

func (command) flush() error { return nil }

// inherited is the environment of this process without the secrets.
func (c command) inherited() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(c.secrets, name)
	})
}

// environment is the record as variables. A key with a NUL byte, which no
// variable can hold, is there in base64 only.
func environment(r *inspect.Record) []string {
	headers := []map[string]string{}
	for _, h := range r.Headers {
		headers = append(headers, map[string]string{"key": h.Key, "value": string(h.Value)})
	}
	list, _ := json.Marshal(headers) // texts alone
	env := []string{
		"GAPCTL_GROUP=" + r.Group, "GAPCTL_TOPIC=" + r.Topic,
		"GAPCTL_PARTITION=" + strconv.Itoa(int(r.Partition)), "GAPCTL_OFFSET=" + strconv.FormatInt(r.Offset, 10),
		"GAPCTL_TIMESTAMP=" + strconv.FormatInt(r.Timestamp.UnixMilli(), 10),
		"GAPCTL_DELIVERY_COUNT=" + strconv.Itoa(max(0, r.Deliveries)),
		"GAPCTL_HEADERS=" + string(list),
		"GAPCTL_KEY_BASE64=" + base64.StdEncoding.EncodeToString(r.Key),
	}
	if r.Key != nil && !bytes.ContainsRune(r.Key, 0) {
		env = append(env, "GAPCTL_KEY="+string(r.Key))
	}
	return env
}
