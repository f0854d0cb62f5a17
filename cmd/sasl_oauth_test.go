package cmd

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTokenEndpoint: the client's secret goes to the endpoint that was named and
// to no other, and over no network in the clear; and no error quotes it, or the
// answer.
func TestTokenEndpoint(t *testing.T) {
	const secret = "hunter2"
	elsewhere := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, _ *http.Request) {
		elsewhere++
		_, _ = w.Write([]byte(`{"access_token":"t","expires_in":60}`))
	})
	mux.HandleFunc("/noise", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(secret)) })
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"access_tokens":"` + secret + `"}`))
	})
	mux.HandleFunc("/flood", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"access_token":"` + strings.Repeat("t", 2<<20) + `"}`))
	})
	mux.HandleFunc("/good", func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password == secret {
			_, _ = w.Write([]byte(`{"access_token":"t","expires_in":60}`))
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, c := range []struct{ url, fails string }{
		{server.URL + "/good", ""},
		{server.URL + "/moved", "307"},
		{server.URL + "/noise", "not JSON"},
		{server.URL + "/empty", "there is none in the answer"},
		{server.URL + "/flood", "not JSON"},
		{"http://auth.example.com/token", "want https or file"},
		{"http://127.0.0.1.example.com/token", "want https or file"},
		{"ftp://127.0.0.1/token", "want https or file"},
		{"https://erin:" + secret + "@127.0.0.1:port/token", "it is not a URL"},
	} {
		s := settings{propTokenURL: c.url, propOAuthClient: "erin", propOAuthSecret: secret}
		source, err := s.tokenSource()
		token := ""
		if err == nil {
			token, err = source(t.Context())
		}
		switch {
		case c.fails == "":
			if err != nil || token != "t" {
				t.Errorf("%s: %q, %v", c.url, token, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.fails) || strings.Contains(err.Error(), secret):
			t.Errorf("%s: %q, %v; want it to say %q, and not the secret", c.url, token, err, c.fails)
		}
	}
	if elsewhere > 0 {
		t.Error("a redirect was followed")
	}
}
