package distributed

import (
	"encoding/base64"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Checks are what was found out about Postgres and the bucket.
type Checks struct {
	Postgres, ObjectStorage Result
	// Revision is the latest that the migration tool has recorded in the database. Empty: none.
	Revision string
}

// A Result of a check. The zero Result is pending: its answer comes with a later pass. A message names neither
// credentials nor what the other side sent.
type Result struct {
	Status  pass.ConditionStatus
	Reason  reason.Reason
	Message string
}

// Targets of the checks. They hold credentials: never print them.
type Targets struct {
	// Postgres and ObjectStorage are nil when there is nothing to ask, since credentials are missing or not valid.
	Postgres      *PostgresTarget
	ObjectStorage *BucketTarget
}

// PostgresTarget is the database of the sysdb, asked the way the sysdb asks.
type PostgresTarget struct {
	Host                                  string
	Port                                  int32
	Database, SSLMode, Username, Password string
}

// BucketTarget is the bucket, asked the way Chroma's services ask.
type BucketTarget struct {
	Endpoint, Bucket, Region, AccessKeyID, SecretAccessKey string
}

// Ask says what to check before Decide. It is false when nothing can be checked yet.
func Ask(request pass.Request) (Targets, bool) {
	if request.Settings.Checks.Disabled {
		return Targets{}, false
	}
	w, err := observe(request, Checks{})
	if err != nil {
		return Targets{}, false
	}
	s := assess(w)
	if !s.derived {
		return Targets{}, false
	}
	var targets Targets
	if credentials := s.postgres; credentials.usable() {
		targets.Postgres = &PostgresTarget{
			Host: s.values.Postgres.Host, Port: s.values.Postgres.Port, Database: s.values.Postgres.Database,
			SSLMode: s.values.Postgres.SSLMode, Username: credentials.values[0], Password: credentials.values[1],
		}
	}
	if credentials := s.bucket; credentials.usable() {
		targets.ObjectStorage = &BucketTarget{
			Endpoint: s.values.S3.Endpoint, Bucket: s.values.S3.Bucket, Region: s.values.S3.Region,
			AccessKeyID: credentials.values[0], SecretAccessKey: credentials.values[1],
		}
	}
	return targets, targets.Postgres != nil || targets.ObjectStorage != nil
}

// credentials of a Secret: the values of its keys, or what is wrong with them.
type credentials struct {
	answered bool
	values   []string
	wrong    finding
}

func (c credentials) usable() bool { return c.answered && c.wrong.none() }

// postgresKeys of the Secret for Postgres.
func postgresKeys() []string { return []string{"username", "password"} }

// bucketKeys of the Secret for the object storage.
func bucketKeys() []string { return []string{"accessKeyId", "secretAccessKey"} }

// readCredentials of a Secret in the namespace of the Chroma.
func readCredentials(found pass.Found, name string, keys []string, valid func(string) bool) credentials {
	if !found.Answered {
		return credentials{}
	}
	secret := found.Object()
	if secret == nil {
		return credentials{answered: true, wrong: finding{reason.SecretNotFound, fmt.Sprintf("The Secret %s does not exist in this namespace.", name)}}
	}
	read := credentials{answered: true}
	for _, key := range keys {
		value, ok := secretValue(secret, key)
		if !ok {
			return credentials{answered: true, wrong: finding{reason.KeyMissing, fmt.Sprintf("The Secret %s has no key %s, or it is empty.", name, key)}}
		}
		if !valid(value) {
			return credentials{answered: true, wrong: finding{reason.InvalidCredentials, fmt.Sprintf(
				"The key %s of the Secret %s has characters that do not reach Chroma as they are, a line end at its end perhaps.", key, name)}}
		}
		read.values = append(read.values, value)
	}
	return read
}

func secretValue(secret *unstructured.Unstructured, key string) (string, bool) {
	encoded, _, err := unstructured.NestedString(secret.Object, "data", key)
	if err != nil {
		return "", false
	}
	value, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", false
	}
	return string(value), len(value) > 0
}

// validPostgres: the credentials pass through a shell word and a URL.
func validPostgres(value string) bool { return chart.ValidCredential(value) }

// validBucket: the keys pass through the environment into the header of a request.
func validBucket(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' })
}

// result of a check together with what is wrong with its credentials.
func (w World) result(found credentials, checked Result) Result {
	switch {
	case w.Settings.Checks.Disabled:
		return Result{Status: pass.Unknown, Reason: reason.CheckDisabled, Message: "The function is set to check nothing."}
	case !found.wrong.none():
		return Result{Status: pass.False, Reason: found.wrong.reason, Message: found.wrong.message}
	case checked.Status == "":
		return Result{Status: pass.Unknown, Reason: reason.CheckPending, Message: "The check has no result yet."}
	}
	return checked
}

// good enough to create something.
func (r Result) good() bool { return r.Status == pass.True || r.Reason == reason.CheckDisabled }

// pending results come with a later pass.
func (r Result) pending() bool { return r.Reason == reason.CheckPending }
