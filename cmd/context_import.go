package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// importContext reads a connection out of the configuration of another tool:
// of several, the one called name, or else the tool's current one.
func (a *app) importContext(path, name string) ([]entry, error) {
	text, err := readSmallFile(path, maxConfigSize)
	if err != nil {
		return nil, usage("", "--from: %w", err)
	}
	entries, err := importEntries(path, text, name)
	if err != nil {
		return nil, usage("", "--from %s: %w", path, err)
	}
	var known []entry
	for _, e := range entries {
		p, ok := lookupProperty(e.key)
		switch {
		case ok:
			e.key = p.name
			known = append(known, e)
		case !slices.Contains(moot(), e.key):
			a.say(fmt.Sprintf("%s line %d: %s is not a property that gapctl knows; left out", path, e.line, e.key))
		}
	}
	if len(known) == 0 {
		return nil, usage("", "--from %s: there is no connection in it", path)
	}
	return known, nil
}

func importEntries(path, text, name string) ([]entry, error) {
	if filepath.Ext(path) == ".properties" {
		return parseProperties(text)
	}
	var rpk rpkConfig
	var kafkactl kafkactlConfig
	switch {
	case yaml.Unmarshal([]byte(text), &rpk) == nil && len(rpk.Profiles) > 0:
		return rpk.entries(name)
	case yaml.Unmarshal([]byte(text), &kafkactl) == nil && len(kafkactl.Contexts) > 0:
		return kafkactl.entries(name)
	}
	return parseKcat(text)
}

// parseKcat reads a file of kcat's: KEY=VALUE on each line, and nothing is
// escaped.
func parseKcat(text string) ([]entry, error) {
	var entries []entry
	at := 0
	for line := range strings.Lines(text) {
		at++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: want KEY=VALUE", at)
		}
		entries = append(entries, entry{strings.TrimSpace(key), strings.TrimSpace(value), at})
	}
	return entries, nil
}

// rpkConfig is what of rpk.yaml is about Kafka.
type rpkConfig struct {
	Current  string `yaml:"current_profile"`
	Profiles []struct {
		Name  string `yaml:"name"`
		Kafka struct {
			Brokers []string `yaml:"brokers"`
			TLS     *struct {
				Key      string `yaml:"key_file"`
				Cert     string `yaml:"cert_file"`
				CA       string `yaml:"ca_file"`
				Trust    string `yaml:"truststore_file"` // as older ones call it
				Insecure bool   `yaml:"insecure_skip_verify"`
			} `yaml:"tls"`
			SASL *struct {
				User      string `yaml:"user"`
				Password  string `yaml:"password"`
				Mechanism string `yaml:"mechanism"`
			} `yaml:"sasl"`
		} `yaml:"kafka_api"`
	} `yaml:"profiles"`
}

func (c rpkConfig) entries(name string) ([]entry, error) {
	for _, want := range []string{name, c.Current} {
		for _, p := range c.Profiles {
			if p.Name != want {
				continue
			}
			k := imported{brokers: p.Kafka.Brokers}
			if t := p.Kafka.TLS; t != nil {
				k.tls, k.cert, k.key, k.ca, k.insecure = true, t.Cert, t.Key, t.CA+t.Trust, t.Insecure
			}
			if s := p.Kafka.SASL; s != nil && s.User != "" {
				k.mechanism, k.user, k.password = s.Mechanism, s.User, s.Password
				if k.mechanism == "" {
					k.mechanism = mechanismScram256 // rpk's default
				}
			}
			return k.entries(), nil
		}
	}
	return nil, errors.New("it has no profile of that name, and no current one")
}

// kafkactlConfig is what of kafkactl's config.yml is about the connection.
type kafkactlConfig struct {
	Current  string `yaml:"current-context"`
	Contexts map[string]struct {
		Brokers  []string `yaml:"brokers"`
		ClientID string   `yaml:"clientID"`
		TLS      struct {
			Enabled  bool   `yaml:"enabled"`
			CA       string `yaml:"ca"`
			Cert     string `yaml:"cert"`
			Key      string `yaml:"certKey"`
			Insecure bool   `yaml:"insecure"`
		} `yaml:"tls"`
		SASL struct {
			Enabled   bool   `yaml:"enabled"`
			Username  string `yaml:"username"`
			Password  string `yaml:"password"`
			Mechanism string `yaml:"mechanism"`
		} `yaml:"sasl"`
	} `yaml:"contexts"`
}

func (c kafkactlConfig) entries(name string) ([]entry, error) {
	for _, want := range []string{name, c.Current, "default"} {
		from, ok := c.Contexts[want]
		if !ok {
			continue
		}
		k := imported{brokers: from.Brokers, clientID: from.ClientID}
		if t := from.TLS; t.Enabled {
			k.tls, k.cert, k.key, k.ca, k.insecure = true, t.Cert, t.Key, t.CA, t.Insecure
		}
		if s := from.SASL; s.Enabled {
			k.user, k.password = s.Username, s.Password
			switch strings.ToLower(s.Mechanism) {
			case "scram-sha256":
				k.mechanism = mechanismScram256
			case "scram-sha512":
				k.mechanism = mechanismScram512
			case "oauth":
				k.mechanism = mechanismOAuth
			default:
				k.mechanism = mechanismPlain
			}
		}
		return k.entries(), nil
	}
	return nil, errors.New("it has no context of that name, and no current one")
}

// imported is a connection as most tools see it.
type imported struct {
	brokers                   []string
	clientID                  string
	tls, insecure             bool
	cert, key, ca             string
	mechanism, user, password string
}

func (k imported) entries() []entry {
	protocol := "PLAINTEXT"
	if k.tls {
		protocol = "SSL"
	}
	if k.mechanism != "" {
		protocol = "SASL_" + protocol
	}
	verify := ""
	if k.insecure {
		verify = "false"
	}
	var entries []entry
	for _, e := range []entry{
		{key: propBootstrap, value: strings.Join(k.brokers, ",")}, {key: propProtocol, value: protocol},
		{key: propMechanism, value: k.mechanism}, {key: propUsername, value: k.user}, {key: propPassword, value: k.password},
		{key: propTrustLocation, value: k.ca}, {key: propCertFile, value: k.cert}, {key: propKeyFile, value: k.key},
		{key: propVerify, value: verify}, {key: propClientID, value: k.clientID},
	} {
		if e.value != "" {
			entries = append(entries, e)
		}
	}
	return entries
}
