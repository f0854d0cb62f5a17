package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// jaas is a sasl.jaas.config: one login module and its options.
type jaas struct {
	module  string // without its package
	options map[string]string
}

// parseJAAS reads the value of sasl.jaas.config, such as
//
//	org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
//
// No error quotes an option's value, which may be a secret.
func parseJAAS(text string) (jaas, error) {
	words, err := jaasWords(text)
	if err != nil {
		return jaas{}, err
	}
	if len(words) < 2 {
		return jaas{}, errors.New("want a login module, a control flag such as required, and options")
	}
	j := jaas{module: words[0][strings.LastIndex(words[0], ".")+1:], options: map[string]string{}}
	for i, word := range words[2:] {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return jaas{}, fmt.Errorf("option %d has no value: want name=\"value\"", i+1)
		}
		j.options[name] = value
	}
	return j, nil
}

// identity are the properties that say who one is.
func identity() []string {
	return []string{
		jaasModule, jaasToken, propUsername, propPassword,
		propToken, propOAuthClient, propOAuthSecret, propOAuthScope, propOAuthExtensions,
		propAWSProfile, propKerberosPrincipal, propKerberosKeytab,
	}
}

// dropIdentity forgets who one is.
func (s settings) dropIdentity() {
	for _, name := range identity() {
		s.drop(name)
	}
}

// setJAAS sets what a login module is told. That is all there is to say about who
// one is: what was said before goes.
func (s settings) setJAAS(j jaas) {
	s.dropIdentity()
	s[jaasModule] = j.module
	var extensions []string
	for name, value := range j.options {
		if property, ok := jaasProperties()[name]; ok {
			s.put(property, value)
		} else if key, ok := strings.CutPrefix(name, "extension_"); ok {
			extensions = append(extensions, key+"="+value)
		}
	}
	if len(extensions) > 0 {
		slices.Sort(extensions)
		s[propOAuthExtensions] = strings.Join(extensions, ",")
	}
}

// jaasProperties are the options of login modules, and what they set.
func jaasProperties() map[string]string {
	return map[string]string{
		"username": propUsername, "password": propPassword, "tokenauth": jaasToken,
		"clientId": propOAuthClient, "clientSecret": propOAuthSecret, "scope": propOAuthScope,
		"awsProfileName": propAWSProfile,
		"principal":      propKerberosPrincipal, "keyTab": propKerberosKeytab,
		"serviceName": propKerberosService,
	}
}

// jaasWords splits at blanks that are not quoted, up to the semicolon, and
// takes quotes and escapes off.
func jaasWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote := byte(0)
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != 0 && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote = c
		case c == ';':
			end()
			return words, nil
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
		default:
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	return nil, errors.New("it does not end in a semicolon")
}
