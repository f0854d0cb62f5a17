package cmd

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"

	"github.com/gapctl/gapctl/gapstore"
)

// oauthMechanism is OAUTHBEARER (KIP-255): with a token that is given, or one
// in a file, or one from a token endpoint for client credentials (KIP-768).
func (s settings) oauthMechanism() (sasl.Mechanism, error) {
	extensions := map[string]string{}
	for part := range strings.SplitSeq(s[propOAuthExtensions], ",") {
		if key, value, ok := strings.Cut(part, "="); ok {
			extensions[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	fetch, err := s.tokenSource()
	if err != nil {
		return nil, err
	}
	return oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
		token, err := fetch(ctx)
		return oauth.Auth{Token: token, Extensions: extensions}, err
	}), nil
}

// tokenSource is what gives a token to a connection.
func (s settings) tokenSource() (func(context.Context) (string, error), error) {
	if token := s[propToken]; token != "" {
		return func(context.Context) (string, error) { return token, nil }, nil
	}
	if s[propTokenURL] == "" {
		return nil, usage(propTokenURL+" and client credentials, or "+propToken+".file, or GAPCTL_SASL_OAUTHBEARER_TOKEN",
			"%s asks for a token, and there is none", mechanismOAuth)
	}
	endpoint, err := url.Parse(s[propTokenURL])
	if err != nil {
		return nil, usage("", "%s: it is not a URL", propTokenURL) // the error quotes it, and it may hold a password
	}
	switch {
	case endpoint.Scheme == "file":
		return func(context.Context) (string, error) {
			text, err := readSmallFile(endpoint.Path, maxSecretSize)
			if err != nil {
				return "", usage("", "%s: %w", propTokenURL, err)
			}
			return strings.TrimSpace(text), nil
		}, nil
	case endpoint.Scheme == "https", endpoint.Scheme == "http" && isLoopback(endpoint.Hostname()):
	default:
		return nil, usage("the client's secret must not cross a network in the clear", "%s: want https or file", propTokenURL)
	}
	if s[propOAuthClient] == "" || s[propOAuthSecret] == "" {
		return nil, usage("sasl.jaas.config with clientId and clientSecret, or "+propOAuthClient+" and "+propOAuthSecret,
			"%s asks for client credentials, and there are none", propTokenURL)
	}
	source := &tokenEndpoint{url: endpoint.String(), client: s[propOAuthClient], secret: s[propOAuthSecret], scope: s[propOAuthScope]}
	return source.token, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// tokenEndpoint gives tokens for client credentials (RFC 6749 section 4.4). It
// keeps the token that it has while that is good.
type tokenEndpoint struct {
	url, client, secret, scope string

	mu   sync.Mutex
	have string
	good time.Time // until then, with a margin
}

// tokenMargin is how long before its end a token is not used any more.
const tokenMargin = 30 * time.Second

func (e *tokenEndpoint) token(ctx context.Context) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.have != "" && time.Now().Before(e.good) {
		return e.have, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if e.scope != "" {
		form.Set("scope", e.scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	// As Kafka's own client does: the credentials are not URL-encoded first.
	req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(e.client+":"+e.secret)))
	direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := direct.Do(req)
	if err != nil {
		return "", fmt.Errorf("ask for a token: %w", err)
	}
	defer resp.Body.Close()
	return e.take(resp)
}

// take reads the answer of the endpoint. No error quotes more of it than the
// reason for a refusal.
func (e *tokenEndpoint) take(resp *http.Response) (string, error) {
	var answer struct {
		Token     string  `json:"access_token"`
		ExpiresIn float64 `json:"expires_in"` // seconds
		Error     string  `json:"error"`
	}
	err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer)
	switch {
	case resp.StatusCode == http.StatusOK && err != nil:
		return "", errors.New("ask for a token: the answer is not JSON")
	case resp.StatusCode == http.StatusOK && answer.Token == "":
		return "", errors.New("ask for a token: there is none in the answer")
	case resp.StatusCode == http.StatusOK:
		e.have = answer.Token
		e.good = time.Now().Add(time.Duration(min(answer.ExpiresIn, 86400)*float64(time.Second)) - tokenMargin)
		return e.have, nil
	case resp.StatusCode >= http.StatusInternalServerError:
		return "", &gapstore.Error{Class: gapstore.ErrUnavailable, Op: "ask for a token", Err: errors.New(resp.Status)}
	case answer.Error != "":
		return "", e.refused(fmt.Errorf("%s (%s)", answer.Error, resp.Status))
	}
	return "", e.refused(errors.New(resp.Status))
}

func (e *tokenEndpoint) refused(why error) error {
	return fail(exitDenied, "check the client's ID and secret, the scope, and "+propTokenURL,
		"the token endpoint does not accept client %s: %w", e.client, why)
}
