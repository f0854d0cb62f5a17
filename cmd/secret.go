package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/gapctl/gapctl/inspect"
)

// maxSecretSize bounds a secret; a token with many claims takes a few kB.
const maxSecretSize = 64 << 10

// fetchSecret is a secret, wherever it comes from; "" when there is none. No
// error quotes it, or what a command printed; what a command has to say to
// people goes to talk.
func (s settings) fetchSecret(ctx context.Context, name string, talk io.Writer) (string, error) {
	if path, ok := s[name+fromFile]; ok {
		text, err := readSmallFile(path, maxSecretSize)
		if err != nil {
			return "", usage("", "%s: %w", name+fromFile, err)
		}
		return strings.TrimRight(text, "\r\n"), nil
	}
	line, ok := s[name+fromCommand]
	if !ok {
		return s[name], nil
	}
	text, err := printedBy(ctx, line, talk)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return "", cause
		}
		return "", usage("it must print the secret on standard output, and exit with status 0", "%s: %w", name+fromCommand, err)
	}
	return text, nil
}

// resolved is s with each secret that a file or a command holds fetched, and,
// when only a password is missing, with the one that the terminal gives.
func (a *app) resolved(ctx context.Context, s settings) (settings, error) {
	talk := a.err
	if a.mute {
		talk = io.Discard
	}
	for _, p := range properties {
		if !p.secret {
			continue
		}
		value, err := s.fetchSecret(ctx, p.name, talk)
		if err != nil {
			return nil, err
		}
		if value != "" {
			s.put(p.name, value)
		}
	}
	if !s.lacksPassword() || a.mute || !isTerminal(a.in) {
		return s, nil
	}
	password, err := a.askSecret(ctx, "Password of "+s[propUsername]+": ")
	if err != nil {
		return nil, err
	}
	s.put(propPassword, password)
	return s, nil
}

// printedBy is what a command of the shell prints, without the end of the line.
// Its standard error goes to talk.
func printedBy(ctx context.Context, line string, talk io.Writer) (string, error) {
	shell, option := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		shell, option = "cmd", "/C"
	}
	cmd := exec.CommandContext(ctx, shell, option, line)
	out := &bounded{limit: maxSecretSize}
	cmd.Stdout, cmd.Stderr = out, talk
	cmd.WaitDelay = time.Second // a child of the shell may outlive it, and hold its output
	if err := cmd.Run(); err != nil {
		return "", err
	}
	text := strings.TrimRight(out.text.String(), "\r\n")
	if text == "" {
		return "", errors.New("it printed nothing")
	}
	return text, nil
}

// bounded is a text that refuses to grow beyond its limit, in bytes. It is
// written by Write alone: a ReadFrom, as buffers have it, would go past that.
type bounded struct {
	text  bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.limit {
		return 0, fmt.Errorf("more than %d bytes", b.limit)
	}
	return b.text.Write(p)
}

// askSecret asks the person at the terminal, who does not see what they type.
func (a *app) askSecret(ctx context.Context, question string) (string, error) {
	in := int(a.in.(*os.File).Fd())
	before, err := term.GetState(in)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(a.err, inspect.Clean(question)); err != nil {
		return "", err
	}
	type answer struct {
		secret []byte
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		secret, err := term.ReadPassword(in)
		answers <- answer{secret, err}
	}()
	defer fmt.Fprintln(a.err)
	select {
	case got := <-answers:
		if got.err == io.EOF {
			got.err = nil
		}
		return string(got.secret), got.err
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), term.Restore(in, before))
	}
}

// isOpenToOthers reports whether others than the owner can read a file. Windows
// says it in other ways than by the file's mode.
func isOpenToOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
