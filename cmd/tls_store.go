package cmd

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"github.com/youmark/pkcs8"
	"software.sslmate.com/src/go-pkcs12"
)

// maxStoreSize bounds a file of certificates; a system's whole trust store
// takes about 200 kB.
const maxStoreSize = 4 << 20

// Stores are told apart by what is in them: a Java property that says so is
// often left at its default, or left out.
func isPEM(text string) bool    { return strings.Contains(text, "-----BEGIN ") }
func isJKS(text string) bool    { return strings.HasPrefix(text, "\xfe\xed\xfe\xed") }
func isPKCS12(text string) bool { return strings.HasPrefix(text, "\x30") }

var errStoreKind = errors.New("it is neither PEM nor PKCS12 nor JKS")

// fileError is what is wrong with the file that a property names.
func fileError(property, path string, err error) error {
	var absent *fs.PathError
	var decided *failure
	switch {
	case errors.As(err, &decided):
		return usage(decided.hint, "%s: %s: %w", property, path, err)
	case errors.As(err, &absent):
		return usage("", "%s: %w", property, err)
	case errors.Is(err, pkcs12.ErrIncorrectPassword):
		base := strings.TrimSuffix(property, ".location")
		return usage(base+".password in the file of --command-config, or "+variableOf(base+".password"), "%s: %s: the password is wrong, or missing", property, path)
	}
	return usage("", "%s: %s: %w", property, path, err)
}

// trusted are the certificates to trust; nil: those that the system trusts.
func (s settings) trusted() ([]*x509.Certificate, error) {
	if text := s[propTrustPEM]; text != "" {
		found, err := pemCertificates(text)
		if err != nil {
			return nil, usage("", "%s: %w", propTrustPEM, err)
		}
		return found, nil
	}
	path := s[propTrustLocation]
	if path == "" {
		return nil, nil
	}
	found, err := readTrustStore(path, s[propTrustPassword])
	if err == nil && len(found) == 0 {
		err = errors.New("there is no certificate in it")
	}
	if err != nil {
		return nil, fileError(propTrustLocation, path, err)
	}
	return found, nil
}

func readTrustStore(path, password string) ([]*x509.Certificate, error) {
	text, err := readSmallFile(path, maxStoreSize)
	switch {
	case err != nil:
		return nil, err
	case isPEM(text):
		return pemCertificates(text)
	case isJKS(text):
		return jksCertificates(text, password)
	case isPKCS12(text):
		if found, err := pkcs12.DecodeTrustStore([]byte(text), password); err == nil || errors.Is(err, pkcs12.ErrIncorrectPassword) {
			return found, err
		}
		// It was not made by Java, whose mark each trusted certificate bears.
		blocks, err := pkcs12.ToPEM([]byte(text), password)
		if err != nil {
			return nil, err
		}
		return certificatesOf(blocks)
	}
	return nil, errStoreKind
}

func pemCertificates(text string) ([]*x509.Certificate, error) {
	return certificatesOf(pemBlocks(text))
}

func pemBlocks(text string) []*pem.Block {
	var blocks []*pem.Block
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return blocks
		}
		blocks = append(blocks, block)
	}
}

func certificatesOf(blocks []*pem.Block) ([]*x509.Certificate, error) {
	var found []*x509.Certificate
	for _, block := range blocks {
		if block.Type != "CERTIFICATE" && block.Type != "TRUSTED CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

// keyStore is the first key of a store, and its chain.
func (s settings) keyStore(path string) (tls.Certificate, error) {
	text, err := readSmallFile(path, maxStoreSize)
	if err != nil {
		return tls.Certificate{}, err
	}
	store, key := s[propStorePassword], s[propKeyPassword]
	if key == "" {
		key = store
	}
	switch {
	case isPEM(text):
		return pemKeyPair(text, text, key)
	case isJKS(text):
		return jksKeyPair(text, store, key)
	case isPKCS12(text):
		private, leaf, others, err := pkcs12.DecodeChain([]byte(text), store)
		if err != nil {
			return tls.Certificate{}, err
		}
		own := tls.Certificate{PrivateKey: private, Certificate: [][]byte{leaf.Raw}}
		for _, c := range others {
			own.Certificate = append(own.Certificate, c.Raw)
		}
		return own, nil
	}
	return tls.Certificate{}, errStoreKind
}

// pemKeyPair is a key and its certificates, the key's encryption taken off.
func pemKeyPair(chain, key, password string) (tls.Certificate, error) {
	for _, block := range pemBlocks(key) {
		if block.Headers["DEK-Info"] != "" {
			return tls.Certificate{}, usage("openssl pkcs8 -topk8 -in KEY -out NEW-KEY", "the key's encryption is the old one of OpenSSL, which is not safe: want PKCS8")
		}
		if block.Type != "ENCRYPTED PRIVATE KEY" {
			continue
		}
		private, _, err := pkcs8.ParsePrivateKey(block.Bytes, []byte(password))
		if err != nil {
			return tls.Certificate{}, usage(propKeyPassword+" in the file of --command-config, or "+variableOf(propKeyPassword), "the key is encrypted, and the password is wrong, or missing")
		}
		der, err := x509.MarshalPKCS8PrivateKey(private)
		if err != nil {
			return tls.Certificate{}, err
		}
		key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	return tls.X509KeyPair([]byte(chain), []byte(key))
}

func openJKS(text, password string) (keystore.KeyStore, []string, error) {
	store := keystore.New(keystore.WithOrderedAliases())
	if err := store.Load(strings.NewReader(text), []byte(password)); err != nil {
		if strings.Contains(err.Error(), "invalid digest") { // there is no error of its own for it
			err = pkcs12.ErrIncorrectPassword
		}
		return store, nil, err
	}
	return store, slices.Sorted(slices.Values(store.Aliases())), nil
}

func jksCertificates(text, password string) ([]*x509.Certificate, error) {
	store, aliases, err := openJKS(text, password)
	if err != nil {
		return nil, err
	}
	var found []*x509.Certificate
	for _, alias := range aliases {
		if !store.IsTrustedCertificateEntry(alias) {
			continue
		}
		entry, err := store.GetTrustedCertificateEntry(alias)
		if err != nil {
			return nil, err
		}
		c, err := x509.ParseCertificate(entry.Certificate.Content)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

func jksKeyPair(text, password, keyPassword string) (tls.Certificate, error) {
	store, aliases, err := openJKS(text, password)
	if err != nil {
		return tls.Certificate{}, err
	}
	i := slices.IndexFunc(aliases, store.IsPrivateKeyEntry)
	if i < 0 {
		return tls.Certificate{}, errors.New("there is no key in it")
	}
	entry, err := store.GetPrivateKeyEntry(aliases[i], []byte(keyPassword))
	if err != nil {
		return tls.Certificate{}, err
	}
	var own tls.Certificate
	for _, c := range entry.CertificateChain {
		own.Certificate = append(own.Certificate, c.Content)
	}
	own.PrivateKey, err = x509.ParsePKCS8PrivateKey(entry.PrivateKey)
	return own, err
}
