//go:build !kerberos

package cmd

import "github.com/twmb/franz-go/pkg/sasl"

// kerberosMechanism refuses: the Kerberos library costs each start a third of
// its time, for everybody, so it is only in a gapctl that was built for it.
func (s settings) kerberosMechanism(func(string) string) (sasl.Mechanism, error) {
	return nil, usage("build it with: go build -tags kerberos", "this gapctl was built without GSSAPI")
}
