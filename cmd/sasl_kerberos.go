//go:build kerberos

package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/kerberos"
)

// kerberosMechanism is GSSAPI: with a principal's keytab, or with the password
// that is given for it, or with the tickets that kinit has got.
func (s settings) kerberosMechanism(getenv func(string) string) (sasl.Mechanism, error) {
	path := getenv("KRB5_CONFIG")
	if path == "" {
		path = "/etc/krb5.conf"
	}
	conf, err := config.Load(path)
	if err != nil {
		return nil, usage("KRB5_CONFIG names the file with the realm and its servers", "Kerberos's configuration: %w", err)
	}
	c, err := s.kerberosClient(conf, getenv)
	if err != nil {
		return nil, err
	}
	service := s[propKerberosService]
	if service == "" {
		service = "kafka"
	}
	return kerberos.Auth{Client: c, Service: service}.AsMechanism(), nil
}

func (s settings) kerberosClient(conf *config.Config, getenv func(string) string) (*client.Client, error) {
	name, realm, _ := strings.Cut(s[propKerberosPrincipal], "@")
	if realm == "" {
		realm = conf.LibDefaults.DefaultRealm
	}
	// Active Directory refuses the negotiation of FAST.
	noFAST := client.DisablePAFXFAST(true)
	switch path := s[propKerberosKeytab]; {
	case path != "" && name == "":
		return nil, usage("", "%s: the keytab's user is not known: want user@REALM", propKerberosPrincipal)
	case path != "":
		keys, err := keytab.Load(path)
		if err != nil {
			return nil, usage("", "%s: %w", propKerberosKeytab, err)
		}
		return client.NewWithKeytab(name, realm, keys, conf, noFAST), nil
	case name != "" && s[propPassword] != "":
		return client.NewWithPassword(name, realm, s[propPassword], conf, noFAST), nil
	}
	path := strings.TrimPrefix(getenv("KRB5CCNAME"), "FILE:")
	if path == "" {
		path = fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid())
	}
	tickets, err := credentials.LoadCCache(path)
	if err != nil {
		return nil, usage("kinit gets tickets; or set "+propKerberosPrincipal+" and "+propKerberosKeytab, "Kerberos's tickets: %w", err)
	}
	c, err := client.NewFromCCache(tickets, conf, noFAST)
	if err != nil {
		return nil, usage("kinit gets new ones", "Kerberos's tickets in %s: %w", path, err)
	}
	return c, nil
}
