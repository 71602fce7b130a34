package chart

import (
	"fmt"
	"regexp"
)

// Patterns of the values that the chart puts unquoted into a shell word of the sysdb or into a URL. Whatever passes is
// inert in both.
const (
	// PatternHost is a DNS name or an IPv4 address: IPv6 fits the migration's URL or the sysdb's flag, never both.
	PatternHost = `^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`
	// PatternDatabase is a name that needs no quotes anywhere.
	PatternDatabase = `^[A-Za-z0-9_][A-Za-z0-9_.~-]{0,62}$`
	// PatternSSLMode are the modes that both clients of Postgres know.
	PatternSSLMode = `^(disable|require|verify-ca|verify-full)$`
	// PatternBucket allows the dots, capitals and underscores of old buckets.
	PatternBucket = `^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$`
	// PatternRegion is a region of AWS, or whatever a store calls its own.
	PatternRegion = `^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`
	// PatternEndpoint is a URL of scheme, host, port and a plain path.
	PatternEndpoint = `^(https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?)?$`
	// PatternCredential is what a username, password or key may consist of.
	PatternCredential = `^[A-Za-z0-9._~-]+$`
	// PatternRegistry is a registry with a path.
	PatternRegistry = `^[A-Za-z0-9]([A-Za-z0-9._:/-]{0,253}[A-Za-z0-9])?$`
)

// The patterns, compiled.
var (
	hostPattern       = regexp.MustCompile(PatternHost)
	databasePattern   = regexp.MustCompile(PatternDatabase)
	sslModePattern    = regexp.MustCompile(PatternSSLMode)
	bucketPattern     = regexp.MustCompile(PatternBucket)
	regionPattern     = regexp.MustCompile(PatternRegion)
	endpointPattern   = regexp.MustCompile(PatternEndpoint)
	credentialPattern = regexp.MustCompile(PatternCredential)
	registryPattern   = regexp.MustCompile(PatternRegistry)
)

// ValidCredential says whether a credential can pass unquoted through a shell word and a URL.
func ValidCredential(value string) bool { return credentialPattern.MatchString(value) }

// validate what reaches a shell or a URL. The API refuses the same, but a Chroma may have been written under an older
// API, or be rendered without one.
func validate(values Values) error {
	for _, check := range []struct {
		field, value string
		pattern      *regexp.Regexp
	}{
		{"imageRegistry", values.Registry, registryPattern},
		{"postgres.host", values.Postgres.Host, hostPattern},
		{"postgres.database", values.Postgres.Database, databasePattern},
		{"postgres.sslMode", values.Postgres.SSLMode, sslModePattern},
		{"objectStorage.s3.endpoint", values.S3.Endpoint, endpointPattern},
		{"objectStorage.s3.bucket", values.S3.Bucket, bucketPattern},
		{"objectStorage.s3.region", values.S3.Region, regionPattern},
	} {
		if !check.pattern.MatchString(check.value) {
			return &Refusal{Field: check.field, Cause: InvalidValue, Message: fmt.Sprintf("spec.distributed.%s is %q, which does not match %s", check.field, check.value, check.pattern)}
		}
	}
	return nil
}
