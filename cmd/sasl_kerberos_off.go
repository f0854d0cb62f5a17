//go:build !kerberos

package cmd

import "github.com/twmb/franz-go/pkg/sasl"

// kerberosMechanism refuses: the Kerberos library costs every start some 0.4 ms
// and a megabyte, so it is only in a gapctl that was built for it.
func (s settings) kerberosMechanism(func(string) string) (sasl.Mechanism, error) {
	return nil, usage("build it with: go build -tags kerberos", "this gapctl was built without GSSAPI")
}
