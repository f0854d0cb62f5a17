package kafkatest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"testing"
)

const codecClass = "io.confluent.parallelconsumer.offsets.PcCodec"

// Codec is a session with the real Parallel Consumer's encoder and decoder.
type Codec struct {
	t       testing.TB
	mu      sync.Mutex
	process *process
	answers *bufio.Reader
	errors  bytes.Buffer
}

// Decoded is what Parallel Consumer reads out of commit metadata.
type Decoded struct {
	Highest     *int64     // the highest offset it has seen, inclusive; nil for none
	Incompletes [][2]int64 // half-open ranges of offsets
}

// Encoded is what Parallel Consumer can write for a state.
type Encoded struct {
	Encodings map[string]string // metadata by the name of the encoding
	Chosen    string            // the metadata that it would commit
}

// PCCodec starts a session that ends with the test. It needs no broker, only
// Java and Maven, and skips as Require does.
func PCCodec(t testing.TB) *Codec {
	t.Helper()
	Require(t)
	built, err := build("pc", DefaultVersion)
	if err != nil {
		unavailable(t, err)
	}
	c := &Codec{t: t}
	out, in := io.Pipe()
	cmd := exec.Command("java", javaArgs(built, codecClass, nil)...)
	cmd.Stdout, cmd.Stderr = in, &c.errors
	if c.process, err = launch(cmd); err != nil {
		t.Fatal(err)
	}
	c.answers = bufio.NewReader(out)
	go func() {
		<-c.process.done
		_ = in.Close()
	}()
	t.Cleanup(func() {
		_ = c.process.input.Close() // it ends by itself then
		_ = out.Close()
		c.process.end(stopGrace)
	})
	return c
}

// Decode is what Parallel Consumer reads from a commit: the committed offset and
// its metadata. The error is the library's.
func (c *Codec) Decode(committed int64, metadata string) (Decoded, error) {
	c.t.Helper()
	var answer struct {
		Decoded
		Error string
	}
	c.ask(map[string]any{"committed": committed, "metadata": metadata}, &answer)
	return answer.Decoded, asError(answer.Error)
}

// Encode is what Parallel Consumer writes when it commits base, has seen the
// offsets up to highest, inclusive, and lacks the incompletes, half-open ranges.
// The error is the library's.
func (c *Codec) Encode(base, highest int64, incompletes [][2]int64) (Encoded, error) {
	c.t.Helper()
	if incompletes == nil {
		incompletes = [][2]int64{}
	}
	var answer struct {
		Encoded
		Error string
	}
	c.ask(map[string]any{"base": base, "highest": highest, "incompletes": incompletes}, &answer)
	return answer.Encoded, asError(answer.Error)
}

func (c *Codec) ask(question, answer any) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	line, err := json.Marshal(question)
	if err == nil {
		_, err = c.process.input.Write(append(line, '\n'))
	}
	var reply []byte
	if err == nil {
		reply, err = c.answers.ReadBytes('\n')
	}
	if err == nil {
		err = json.Unmarshal(reply, answer)
	}
	if err != nil {
		c.process.end(0)
		c.t.Fatalf("kafkatest: PcCodec: %v\n%s", err, tail(c.errors.String(), 40))
	}
}

func asError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
