package cmd

import (
	"errors"
	"net"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/gapctl/gapctl/inspect"
)

// deniedAtTheDoor is how the process ends when the cluster does not believe who
// gapctl says it is; nil when err is something else.
func (a *app) deniedAtTheDoor(err error) *failure {
	who := a.principal
	if who == "" {
		who = "the credentials"
	}
	var remote *net.OpError
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return newFailure(exitDenied, "check the user, the password or token, and that the user may use this mechanism; gapctl help configuration shows where they come from",
			"the cluster does not accept %s: %w", who, err)
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return newFailure(exitDenied, "ask which mechanism this listener wants, and set "+propMechanism,
			"the cluster does not offer the mechanism of %s: %w", who, err)
	case strings.Contains(err.Error(), "KDC_ERR_"): // Kerberos's client wraps no error that could be told by its type
		return newFailure(exitDenied, "check "+propKerberosPrincipal+" and its keytab or password; kinit gets new tickets",
			"Kerberos does not accept %s: %w", who, err)
	case errors.As(err, &remote) && remote.Op == "remote error" && strings.Contains(remote.Err.Error(), "certificate"):
		return newFailure(exitDenied, propKeyLocation+" names the file with the client's key and certificate",
			"the cluster does not accept the client's certificate, or wants one: %w", err)
	}
	return nil
}

// mayBeHidden reports whether g shows nothing, although it may have something.
func mayBeHidden(g *inspect.Group) bool { return g.Err == nil && len(g.Partitions) == 0 }

// sayHidden says what a group that shows nothing can mean: a cluster leaves out
// the commits on topics that one may not describe, without a word.
func (a *app) sayHidden() {
	if a.principal != "" {
		a.say("a cluster only shows commits on topics that one may describe: this needs DESCRIBE on them")
	}
}
