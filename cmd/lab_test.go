package cmd

import "testing"

// TestLabIsItsOwnCluster: whatever the environment says of another cluster, the
// command in a lab is for the lab.
func TestLabIsItsOwnCluster(t *testing.T) {
	for name, value := range map[string]string{
		"GAPCTL_BOOTSTRAP_SERVER": "127.0.0.1:1", "GAPCTL_CONTEXT": "nobody", "GAPCTL_COMMAND_CONFIG": "/nowhere", "GAPCTL_SECURITY_PROTOCOL": "SASL_SSL",
		"GAPCTL_SASL_JAAS_CONFIG":      `org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";`,
		"GAPCTL_SASL_PASSWORD_COMMAND": "false", "GAPCTL_SSL_TRUSTSTORE_LOCATION": "/nowhere",
	} {
		code, out, errs := runWith(t.Context(), map[string]string{name: value, "HOME": t.TempDir()}, "lab", "--empty", "--", "list", "--all")
		if code != exitOK {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", name, code, out, errs)
		}
	}
}
