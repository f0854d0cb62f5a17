package cmd

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// settings are properties by name, the strongest source having won. A
// sasl.jaas.config is taken apart when it is set, so that a stronger source
// can give just the password.
type settings map[string]string

// The options of a sasl.jaas.config that no property stands for.
const (
	jaasModule = "jaas.module"
	jaasToken  = "jaas.tokenauth"
)

// settings gathers the properties: flags win over -X, -X over GAPCTL_*, and
// those over the file of --command-config.
func (a *app) settings(c *connection) (settings, error) {
	s := settings{}
	if path := a.setting(c.commandConfig, "GAPCTL_COMMAND_CONFIG", ""); path != "" {
		if err := a.readCommandConfig(s, path); err != nil {
			return nil, err
		}
	}
	for _, v := range variables() {
		if value := a.getenv(v.name); value != "" && v.property != "" {
			if err := s.set(v.property, value); err != nil {
				return nil, usage("", "%s: %w", v.name, err)
			}
		}
	}
	for _, pair := range c.properties {
		if err := s.setPair(pair); err != nil {
			return nil, err
		}
	}
	if c.bootstrap != "" {
		s[propBootstrap] = c.bootstrap
	}
	return s, nil
}

// set sets a property, whose name is known. No error quotes the value.
func (s settings) set(name, value string) error {
	switch name {
	case propJAAS:
		j, err := parseJAAS(value)
		if err != nil {
			return fmt.Errorf("%s: %w", propJAAS, err)
		}
		s[jaasModule], s[jaasToken] = j.module, j.options["tokenauth"]
		s[propUsername], s[propPassword] = j.options["username"], j.options["password"]
		delete(s, propPasswordFile)
		return nil
	case propPassword:
		delete(s, propPasswordFile)
	case propPasswordFile:
		delete(s, propPassword)
	}
	s[name] = strings.TrimSpace(value)
	if p, _ := lookupProperty(name); p.secret {
		s[name] = value
	}
	return nil
}

// setPair sets what -X says. Secrets are refused: other users of the machine
// can read a command line.
func (s settings) setPair(pair string) error {
	name, value, ok := strings.Cut(pair, "=")
	p, known := lookupProperty(name)
	switch {
	case !ok:
		return usage("such as -X security.protocol=SASL_SSL", "-X %q: want key=value", pair)
	case !known:
		return usage("gapctl help configuration shows the properties", "-X %s: no such property", name)
	case p.secret:
		return usage("put it in the file of --command-config, or set GAPCTL_SASL_PASSWORD, or -X sasl.password.file=FILE",
			"-X %s: secrets are not taken from the command line, where others can read them", p.name)
	}
	if err := s.set(p.name, value); err != nil {
		return usage("", "-X %w", err)
	}
	return nil
}

// maxConfigSize bounds the file of --command-config.
const maxConfigSize = 1 << 20

func (a *app) readCommandConfig(s settings, path string) error {
	text, err := readSmallFile(path, maxConfigSize)
	if err != nil {
		return usage("", "--command-config: %w", err)
	}
	entries, err := parseProperties(text)
	if err != nil {
		return usage("", "--command-config %s: %w", path, err)
	}
	warned := map[string]bool{}
	for _, e := range entries {
		p, known := lookupProperty(e.key)
		if !known {
			if !warned[e.key] {
				a.say(fmt.Sprintf("%s line %d: %s is not a property that gapctl knows; ignored", path, e.line, e.key))
				warned[e.key] = true
			}
			continue
		}
		if err := s.set(p.name, e.value); err != nil {
			return usage("", "%s line %d: %w", path, e.line, err)
		}
	}
	return nil
}

func readSmallFile(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > limit {
		return "", fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// millis is a property that is a number of milliseconds, or the fallback.
func (s settings) millis(name string, fallback time.Duration) (time.Duration, error) {
	text, ok := s[name]
	if !ok {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		return 0, usage("", "%s: %q is not a number of milliseconds above 0", name, text)
	}
	return time.Duration(n) * time.Millisecond, nil
}

// password is the password, wherever it comes from.
func (s settings) password() (string, error) {
	path, ok := s[propPasswordFile]
	if !ok {
		return s[propPassword], nil
	}
	text, err := readSmallFile(path, 64<<10)
	if err != nil {
		return "", usage("", "%s: %w", propPasswordFile, err)
	}
	return strings.TrimRight(text, "\r\n"), nil
}
