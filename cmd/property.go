package cmd

import (
	"slices"
	"strings"
)

// property is one setting of the connection. Names are those of Kafka's Java
// clients, so that their files can be used as they are.
type property struct {
	name    string
	aliases []string // librdkafka's names
	secret  bool     // never on the command line, never in a message
	meaning string
}

// properties is the table of the settings that are understood.
func properties() []property {
	return []property{
		{name: propBootstrap, aliases: []string{"metadata.broker.list"}, meaning: "addresses of brokers, as host:port, separated by commas"},
		{name: propProtocol, meaning: "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"},
		{name: propMechanism, aliases: []string{"sasl.mechanisms"}, meaning: "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"},
		{name: propJAAS, secret: true, meaning: "PlainLoginModule or ScramLoginModule with username and password"},
		{name: propUsername, meaning: "the user, in place of sasl.jaas.config"},
		{name: propPassword, secret: true, meaning: "the password, in place of sasl.jaas.config"},
		{name: propPasswordFile, meaning: "a file that holds the password"},
		{name: propTrustType, meaning: "PEM"},
		{name: propTrustLocation, aliases: []string{"ssl.ca.location"}, meaning: "a PEM file with the certificates to trust"},
		{name: propTrustPEM, aliases: []string{"ssl.ca.pem"}, meaning: "the certificates to trust, as PEM text"},
		{name: propTrustPassword, secret: true, meaning: "not needed: PEM has none"},
		{name: propKeyType, meaning: "PEM"},
		{name: propKeyLocation, meaning: "a PEM file with the client's key and certificates"},
		{name: propKeyChain, aliases: []string{"ssl.certificate.pem"}, meaning: "the client's certificates, as PEM text"},
		{name: propKeyPEM, aliases: []string{"ssl.key.pem"}, secret: true, meaning: "the client's key, as PEM text"},
		{name: propCertFile, meaning: "a PEM file with the client's certificates"},
		{name: propKeyFile, meaning: "a PEM file with the client's key"},
		{name: propKeyPassword, secret: true, meaning: "not supported: the key must not be encrypted"},
		{name: propStorePassword, secret: true, meaning: "not needed: PEM has none"},
		{name: propHostnameCheck, meaning: "https, or empty to accept any host name"},
		{name: propClientID, meaning: "what brokers log; gapctl/VERSION if not set"},
		{name: propRequestTimeout, meaning: "how long one request may take"},
		{name: propSetupTimeout, meaning: "how long one connection may take to be made"},
	}
}

// The properties' names.
const (
	propBootstrap      = "bootstrap.servers"
	propProtocol       = "security.protocol"
	propMechanism      = "sasl.mechanism"
	propJAAS           = "sasl.jaas.config"
	propUsername       = "sasl.username"
	propPassword       = "sasl.password"
	propPasswordFile   = "sasl.password.file"
	propTrustType      = "ssl.truststore.type"
	propTrustLocation  = "ssl.truststore.location"
	propTrustPEM       = "ssl.truststore.certificates"
	propTrustPassword  = "ssl.truststore.password"
	propKeyType        = "ssl.keystore.type"
	propKeyLocation    = "ssl.keystore.location"
	propKeyChain       = "ssl.keystore.certificate.chain"
	propKeyPEM         = "ssl.keystore.key"
	propCertFile       = "ssl.certificate.location"
	propKeyFile        = "ssl.key.location"
	propKeyPassword    = "ssl.key.password"
	propStorePassword  = "ssl.keystore.password"
	propHostnameCheck  = "ssl.endpoint.identification.algorithm"
	propClientID       = "client.id"
	propRequestTimeout = "request.timeout.ms"
	propSetupTimeout   = "socket.connection.setup.timeout.ms"
)

// lookupProperty is the property of that name or alias.
func lookupProperty(name string) (property, bool) {
	name = strings.TrimSpace(name)
	for _, p := range properties() {
		if p.name == name || slices.Contains(p.aliases, name) {
			return p, true
		}
	}
	return property{}, false
}

// variable is an environment variable that sets something.
type variable struct {
	name, property, meaning string
}

// variables is the table of the environment variables.
func variables() []variable {
	return []variable{
		{"GAPCTL_BOOTSTRAP_SERVER", propBootstrap, "as --bootstrap-server"},
		{"GAPCTL_COMMAND_CONFIG", "", "as --command-config"},
		{"GAPCTL_SECURITY_PROTOCOL", propProtocol, "the property security.protocol"},
		{"GAPCTL_SASL_MECHANISM", propMechanism, "the property sasl.mechanism"},
		{"GAPCTL_SASL_USERNAME", propUsername, "the property sasl.username"},
		{"GAPCTL_SASL_PASSWORD", propPassword, "the property sasl.password"},
		{"GAPCTL_SASL_PASSWORD_FILE", propPasswordFile, "the property sasl.password.file"},
		{"GAPCTL_TIMEOUT", "", "as --timeout"},
		{"GAPCTL_OUTPUT", "", "as --output"},
		{"GAPCTL_COLOR", "", "as --color"},
		{"NO_COLOR", "", "set to anything: no colours, unless --color always"},
	}
}
