package cmd

import (
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// The SASL mechanisms, as brokers name them.
const (
	mechanismPlain    = "PLAIN"
	mechanismScram256 = "SCRAM-SHA-256"
	mechanismScram512 = "SCRAM-SHA-512"
	mechanismOAuth    = "OAUTHBEARER"
	mechanismAWS      = "AWS_MSK_IAM"
	mechanismKerberos = "GSSAPI"
)

// mechanism is the name of the mechanism: the one that is set, or else the one
// that the login module is for; "" when nothing says.
func (s settings) mechanism() string {
	if name := strings.ToUpper(s[propMechanism]); name != "" {
		return name
	}
	switch s[jaasModule] {
	case "PlainLoginModule":
		return mechanismPlain
	case "OAuthBearerLoginModule":
		return mechanismOAuth
	case "IAMLoginModule":
		return mechanismAWS
	case "Krb5LoginModule":
		return mechanismKerberos
	}
	return ""
}

// hasPassword reports whether the mechanism is one of a user and a password.
func (s settings) hasPassword() bool {
	switch s.mechanism() {
	case mechanismPlain, mechanismScram256, mechanismScram512:
		return true
	}
	return false
}

// lacksPassword reports whether just the password is missing.
func (s settings) lacksPassword() bool {
	return s.hasPassword() && s[propUsername] != "" && s[propPassword] == ""
}

// sasl is the mechanism with its credentials; getenv gives those that are
// always in the environment.
func (s settings) sasl(getenv func(string) string) (sasl.Mechanism, error) {
	switch module := s[jaasModule]; module {
	case "", "PlainLoginModule", "ScramLoginModule", "OAuthBearerLoginModule", "IAMLoginModule", "Krb5LoginModule":
	default:
		return nil, usage("", "%s: login module %s is not supported: want PlainLoginModule, ScramLoginModule, OAuthBearerLoginModule, IAMLoginModule or Krb5LoginModule", propJAAS, module)
	}
	switch name := s.mechanism(); name {
	case mechanismPlain, mechanismScram256, mechanismScram512:
		return s.passwordMechanism(name)
	case mechanismOAuth:
		return s.oauthMechanism()
	case mechanismAWS:
		return s.awsMechanism(getenv)
	case mechanismKerberos:
		return s.kerberosMechanism(getenv)
	default:
		return nil, usage("", "%s: %q: want PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, AWS_MSK_IAM or GSSAPI", propMechanism, name)
	}
}

func (s settings) passwordMechanism(name string) (sasl.Mechanism, error) {
	user, password := s[propUsername], s[propPassword]
	if user == "" || password == "" {
		return nil, usage("sasl.jaas.config in the file of --command-config, or GAPCTL_SASL_USERNAME and GAPCTL_SASL_PASSWORD",
			"%s asks for a username and a password, and there is none", name)
	}
	auth := scram.Auth{User: user, Pass: password, IsToken: s[jaasToken] == "true"}
	switch name {
	case mechanismScram256:
		return auth.AsSha256Mechanism(), nil
	case mechanismScram512:
		return auth.AsSha512Mechanism(), nil
	}
	return plain.Auth{User: user, Pass: password}.AsMechanism(), nil
}

// principal says who one is, for people; "" for nobody in particular.
func (s settings) principal() string {
	switch name, protocol := s.mechanism(), strings.ToUpper(s[propProtocol]); {
	case protocol == "SSL" && s[propKeyLocation]+s[propCertFile]+s[propKeyChain] != "":
		return "the client's certificate"
	case !strings.HasPrefix(protocol, "SASL_"):
		return ""
	case s.hasPassword():
		return "user " + s[propUsername] + " (" + name + ")"
	case name == mechanismOAuth && s[propOAuthClient] != "":
		return "client " + s[propOAuthClient] + " (" + name + ")"
	case name == mechanismOAuth:
		return "the token (" + name + ")"
	case name == mechanismKerberos && s[propKerberosPrincipal] != "":
		return "principal " + s[propKerberosPrincipal] + " (" + name + ")"
	default:
		return "the credentials (" + name + ")"
	}
}
