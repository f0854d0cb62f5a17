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
var properties = []property{
	{name: propBootstrap, aliases: []string{"metadata.broker.list"}, meaning: "addresses of brokers, as host:port, separated by commas"},
	{name: propProtocol, meaning: "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"},
	{name: propMechanism, aliases: []string{"sasl.mechanisms"}, meaning: "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, AWS_MSK_IAM or GSSAPI"},
	{name: propJAAS, secret: true, meaning: "a login module of Kafka's with its options, such as ScramLoginModule"},
	{name: propUsername, meaning: "the user, in place of sasl.jaas.config"},
	{name: propPassword, secret: true, meaning: "the password, in place of sasl.jaas.config"},
	{name: propToken, secret: true, meaning: "the token for OAUTHBEARER"},
	{name: propTokenURL, meaning: "for OAUTHBEARER: where tokens are had with client credentials, or file:///PATH of a token"},
	{name: propOAuthClient, aliases: []string{"sasl.oauthbearer.client.id"}, meaning: "for OAUTHBEARER: the client's ID"},
	{name: propOAuthSecret, aliases: []string{"sasl.oauthbearer.client.secret"}, secret: true, meaning: "for OAUTHBEARER: the client's secret"},
	{name: propOAuthScope, meaning: "for OAUTHBEARER: the scope to ask for"},
	{name: propOAuthExtensions, meaning: "for OAUTHBEARER: extensions, as key=value, separated by commas"},
	{name: propAWSProfile, meaning: "for AWS_MSK_IAM: a profile of ~/.aws/credentials, in place of AWS_ACCESS_KEY_ID"},
	{name: propKerberosService, meaning: "for GSSAPI: the brokers' service name; kafka if not set"},
	{name: propKerberosPrincipal, meaning: "for GSSAPI: who to log in as; the ticket cache's user if not set"},
	{name: propKerberosKeytab, meaning: "for GSSAPI: a file with the principal's keys"},
	{name: propTrustType, meaning: "not needed: PEM, PKCS12 and JKS are told apart"},
	{name: propTrustLocation, aliases: []string{"ssl.ca.location"}, meaning: "a file with the certificates to trust: PEM, PKCS12 or JKS"},
	{name: propTrustPEM, aliases: []string{"ssl.ca.pem"}, meaning: "the certificates to trust, as PEM text"},
	{name: propTrustPassword, secret: true, meaning: "the password of the truststore"},
	{name: propKeyType, meaning: "not needed: PEM, PKCS12 and JKS are told apart"},
	{name: propKeyLocation, meaning: "a file with the client's key and certificates: PEM, PKCS12 or JKS"},
	{name: propKeyChain, aliases: []string{"ssl.certificate.pem"}, meaning: "the client's certificates, as PEM text"},
	{name: propKeyPEM, aliases: []string{"ssl.key.pem"}, secret: true, meaning: "the client's key, as PEM text"},
	{name: propCertFile, meaning: "a PEM file with the client's certificates"},
	{name: propKeyFile, meaning: "a PEM file with the client's key"},
	{name: propKeyPassword, secret: true, meaning: "the password of the client's key"},
	{name: propStorePassword, secret: true, meaning: "the password of the keystore"},
	{name: propHostnameCheck, meaning: "https, or empty to accept any host name"},
	{name: propVerify, meaning: "false: accept any certificate of a broker"},
	{name: propClientID, meaning: "what brokers log; gapctl/VERSION if not set"},
	{name: propRequestTimeout, meaning: "how long one request may take"},
	{name: propSetupTimeout, meaning: "how long one connection may take to be made"},
}

// The properties' names.
const (
	propBootstrap         = "bootstrap.servers"
	propProtocol          = "security.protocol"
	propMechanism         = "sasl.mechanism"
	propJAAS              = "sasl.jaas.config"
	propUsername          = "sasl.username"
	propPassword          = "sasl.password"
	propToken             = "sasl.oauthbearer.token"
	propTokenURL          = "sasl.oauthbearer.token.endpoint.url"
	propOAuthClient       = "sasl.oauthbearer.client.credentials.client.id"
	propOAuthSecret       = "sasl.oauthbearer.client.credentials.client.secret"
	propOAuthScope        = "sasl.oauthbearer.scope"
	propOAuthExtensions   = "sasl.oauthbearer.extensions"
	propAWSProfile        = "aws.profile"
	propKerberosService   = "sasl.kerberos.service.name"
	propKerberosPrincipal = "sasl.kerberos.principal"
	propKerberosKeytab    = "sasl.kerberos.keytab"
	propTrustType         = "ssl.truststore.type"
	propTrustLocation     = "ssl.truststore.location"
	propTrustPEM          = "ssl.truststore.certificates"
	propTrustPassword     = "ssl.truststore.password"
	propKeyType           = "ssl.keystore.type"
	propKeyLocation       = "ssl.keystore.location"
	propKeyChain          = "ssl.keystore.certificate.chain"
	propKeyPEM            = "ssl.keystore.key"
	propCertFile          = "ssl.certificate.location"
	propKeyFile           = "ssl.key.location"
	propKeyPassword       = "ssl.key.password"
	propStorePassword     = "ssl.keystore.password"
	propHostnameCheck     = "ssl.endpoint.identification.algorithm"
	propVerify            = "enable.ssl.certificate.verification"
	propClientID          = "client.id"
	propRequestTimeout    = "request.timeout.ms"
	propSetupTimeout      = "socket.connection.setup.timeout.ms"
)

// moot are properties of Kafka's Java clients and of librdkafka that are part
// of saying who one is there, and that nothing here depends on.
func moot() []string {
	return []string{
		"sasl.login.callback.handler.class", "sasl.client.callback.handler.class", "sasl.login.class",
		"sasl.oauthbearer.jwt.retriever.class", "sasl.oauthbearer.method",
	}
}

// The ends of a secret's name, where it is not the secret itself that is given.
const (
	fromFile    = ".file"    // the name of a file that holds it
	fromCommand = ".command" // a command for the shell that prints it
)

// lookupProperty is the property of that name or alias. The name of a secret
// may end in .file or .command; that property is no secret.
func lookupProperty(name string) (property, bool) {
	name = strings.TrimSpace(name)
	base, from := name, ""
	for _, end := range []string{fromFile, fromCommand} {
		if cut, ok := strings.CutSuffix(name, end); ok {
			base, from = cut, end
		}
	}
	for _, p := range properties {
		switch named := p.name == base || slices.Contains(p.aliases, base); {
		case named && from == "":
			return p, true
		case named && p.secret && p.name != propJAAS:
			return property{name: p.name + from, meaning: p.meaning}, true
		}
	}
	return property{}, false
}

// variable is an environment variable that sets something.
type variable struct {
	name, property, meaning string
}

// variables is the table of the environment variables with a meaning of their
// own. Beside them, [variableOf] gives each property one.
func variables() []variable {
	return []variable{
		{"GAPCTL_BOOTSTRAP_SERVER", propBootstrap, "as --bootstrap-server"},
		{"GAPCTL_COMMAND_CONFIG", "", "as --command-config"},
		{"GAPCTL_CONTEXT", "", "as --context"},
		{"GAPCTL_CONFIG", "", "the file of contexts; $XDG_CONFIG_HOME/gapctl/config.yaml if not set"},
		{"GAPCTL_TIMEOUT", "", "as --timeout"},
		{"GAPCTL_OUTPUT", "", "as --output"},
		{"GAPCTL_COLOR", "", "as --color"},
		{"NO_COLOR", "", "set to anything: no colours, unless --color always"},
	}
}

// variableOf is the environment variable of a property:
// GAPCTL_SASL_PASSWORD_FILE of sasl.password.file.
func variableOf(name string) string {
	underscored := func(r rune) rune {
		if r == '.' || r == '-' {
			return '_'
		}
		return r
	}
	return "GAPCTL_" + strings.ToUpper(strings.Map(underscored, name))
}

// secretVariables are the environment variables that may hold a secret.
func secretVariables() []string {
	var names []string
	for _, p := range properties {
		if p.secret {
			names = append(names, variableOf(p.name))
		}
	}
	return names
}

// setsProperty reports whether an environment variable sets a property, or says
// where a secret is.
func setsProperty(variable string) bool {
	return slices.ContainsFunc(properties, func(p property) bool {
		for _, end := range []string{"", fromFile, fromCommand} {
			if variable == variableOf(p.name+end) {
				return true
			}
		}
		return false
	})
}
