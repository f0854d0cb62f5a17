package cmd

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
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

// settings gathers the properties: flags win over -X, -X over GAPCTL_*, those
// over the file of --command-config, and that over the context. The current
// context says which cluster and who one is there, so it is left out when
// something stronger names a cluster: credentials go where they belong.
func (a *app) settings(c *connection) (settings, error) {
	given := settings{}
	if path := a.setting(c.commandConfig, "GAPCTL_COMMAND_CONFIG", ""); path != "" {
		if err := a.readCommandConfig(given, "--command-config", path); err != nil {
			return nil, err
		}
	}
	if err := a.setVariables(given); err != nil {
		return nil, err
	}
	for _, pair := range c.properties {
		if err := given.setPair(pair); err != nil {
			return nil, err
		}
	}
	if c.bootstrap != "" {
		given[propBootstrap] = c.bootstrap
	}
	name := a.setting(c.context, "GAPCTL_CONTEXT", "")
	if name == "" && given[propBootstrap] != "" {
		return given, nil
	}
	under, err := a.contextSettings(name)
	if err != nil {
		return nil, err
	}
	return given.over(under), nil
}

// setVariables sets what the environment says.
func (a *app) setVariables(s settings) error {
	set := func(variable, property string) error {
		if value := a.getenv(variable); value != "" {
			if err := s.set(property, value); err != nil {
				return usage("", "%s: %w", variable, err)
			}
		}
		return nil
	}
	for _, p := range properties {
		for _, end := range []string{"", fromFile, fromCommand} {
			if named, known := lookupProperty(p.name + end); known {
				if err := set(variableOf(named.name), named.name); err != nil {
					return err
				}
			}
		}
	}
	for _, v := range variables() {
		if v.property != "" {
			if err := set(v.name, v.property); err != nil {
				return err
			}
		}
	}
	return nil
}

// set sets a property, whose name is known. No error quotes the value.
func (s settings) set(name, value string) error {
	if name == propJAAS {
		j, err := parseJAAS(value)
		if err != nil {
			return fmt.Errorf("%s: %w", propJAAS, err)
		}
		s.setJAAS(j)
		return nil
	}
	if p, _ := lookupProperty(name); !p.secret {
		value = strings.TrimSpace(value)
	}
	s.put(name, value)
	return nil
}

// put sets a property; a secret takes the place of its file or command.
func (s settings) put(name, value string) {
	base := strings.TrimSuffix(strings.TrimSuffix(name, fromFile), fromCommand)
	if p, _ := lookupProperty(base); p.secret {
		s.drop(base)
	}
	s[name] = value
}

// drop removes a property, however it was given.
func (s settings) drop(name string) {
	for _, end := range []string{"", fromFile, fromCommand} {
		delete(s, name+end)
	}
}

// over is what s and under say, s where both do. It is under, changed.
func (s settings) over(under settings) settings {
	if _, whole := s[jaasModule]; whole {
		under.dropIdentity()
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		under.put(name, s[name])
	}
	return under
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
	case p.name == propJAAS:
		return usage("put it in the file of --command-config, or set GAPCTL_SASL_JAAS_CONFIG",
			"-X %s: secrets are not taken from the command line, where others can read them", p.name)
	case p.secret:
		return usage(fmt.Sprintf("-X %s.file=FILE or -X %s.command=COMMAND, or set %s, or put it in the file of --command-config", p.name, p.name, variableOf(p.name)),
			"-X %s: secrets are not taken from the command line, where others can read them", p.name)
	}
	if err := s.set(p.name, value); err != nil {
		return usage("", "-X %w", err)
	}
	return nil
}

// maxConfigSize bounds a file of settings.
const maxConfigSize = 1 << 20

// readCommandConfig sets what a .properties file says; what is the name of the
// option that names the file.
func (a *app) readCommandConfig(s settings, what, path string) error {
	text, err := readSmallFile(path, maxConfigSize)
	if err != nil {
		return usage("", "%s: %w", what, err)
	}
	entries, err := parseProperties(text)
	if err != nil {
		return usage("", "%s %s: %w", what, path, err)
	}
	return a.setEntries(s, path, entries)
}

// setEntries sets the lines of a file, and says which are not understood.
func (a *app) setEntries(s settings, path string, entries []entry) error {
	warned := map[string]bool{}
	var secret *entry
	// A sasl.jaas.config drops what else says who one is: so it comes first, wherever
	// in the file it stands.
	isJAAS := func(e entry) bool { return strings.TrimSpace(e.key) == propJAAS }
	entries = append(slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !isJAAS(e) }),
		slices.DeleteFunc(slices.Clone(entries), isJAAS)...)
	for i, e := range entries {
		p, known := lookupProperty(e.key)
		if !known {
			if !warned[e.key] && !slices.Contains(moot(), e.key) {
				a.say(fmt.Sprintf("%s line %d: %s is not a property that gapctl knows; ignored", path, e.line, e.key))
				warned[e.key] = true
			}
			continue
		}
		if p.secret && secret == nil {
			secret = &entries[i]
		}
		if err := s.set(p.name, e.value); err != nil {
			return usage("", "%s line %d: %w", path, e.line, err)
		}
	}
	if secret != nil && isOpenToOthers(path) {
		a.say(fmt.Sprintf("%s line %d: others can read %s; chmod 600 %s", path, secret.line, secret.key, path))
	}
	return nil
}

// readSmallFile reads a file, which may be a pipe, of no more than limit bytes.
func readSmallFile(path string, limit int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
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
