package cmd

import (
	"path/filepath"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
)

// awsMechanism is AWS_MSK_IAM with the credentials that are in the environment,
// or those of a profile in the file of credentials that AWS's own tools keep.
// The region is part of a broker's name, or else AWS_REGION.
func (s settings) awsMechanism(getenv func(string) string) (sasl.Mechanism, error) {
	auth := aws.Auth{
		AccessKey: getenv("AWS_ACCESS_KEY_ID"), SecretKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"),
		UserAgent: "gapctl/" + buildVersion(),
	}
	profile := s[propAWSProfile]
	if profile != "" || auth.AccessKey == "" || auth.SecretKey == "" {
		if profile == "" {
			profile = getenv("AWS_PROFILE")
		}
		if profile == "" {
			profile = "default"
		}
		found, err := awsProfile(getenv, profile)
		if err != nil {
			return nil, err
		}
		auth.AccessKey, auth.SecretKey, auth.SessionToken = found["aws_access_key_id"], found["aws_secret_access_key"], found["aws_session_token"]
	}
	if auth.AccessKey == "" || auth.SecretKey == "" {
		return nil, usage("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws/credentials with AWS_PROFILE",
			"%s asks for AWS credentials, and there are none", mechanismAWS)
	}
	return auth.AsManagedStreamingIAMMechanism(), nil
}

// awsProfile is the keys of one profile; none when there is no file, or no
// such profile in it.
func awsProfile(getenv func(string) string, profile string) (map[string]string, error) {
	path, named := getenv("AWS_SHARED_CREDENTIALS_FILE"), true
	if path == "" {
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		if home == "" {
			return nil, nil
		}
		path, named = filepath.Join(home, ".aws", "credentials"), false
	}
	text, err := readSmallFile(path, maxConfigSize)
	if err != nil {
		if !named {
			return nil, nil
		}
		return nil, usage("", "AWS_SHARED_CREDENTIALS_FILE: %w", err)
	}
	return iniSection(text, profile), nil
}

// iniSection is the keys of one section of an INI file.
func iniSection(text, name string) map[string]string {
	keys, inside := map[string]string{}, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if section, ok := strings.CutPrefix(line, "["); ok {
			inside = strings.TrimSpace(strings.TrimSuffix(section, "]")) == name
		} else if key, value, ok := strings.Cut(line, "="); ok && inside && !strings.HasPrefix(line, "#") {
			keys[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return keys
}
