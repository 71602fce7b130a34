package distributed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestChecksBeforeCreation(t *testing.T) {
	good := distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
	bad := distributed.Result{Status: pass.False, Reason: reason.Unreachable, Message: "nothing answers"}
	cases := map[string]struct {
		reason   string
		change   func(*cluster)
		checks   distributed.Checks
		postgres reason.Reason
		bucket   reason.Reason
		creates  bool
	}{
		"Good":          {reason: "both work", checks: distributed.Checks{Postgres: good, ObjectStorage: good}, postgres: reason.CheckPassed, bucket: reason.CheckPassed, creates: true},
		"Pending":       {reason: "the answer of a slow check comes with the next pass", checks: distributed.Checks{Postgres: good}, postgres: reason.CheckPassed, bucket: reason.CheckPending},
		"PostgresFails": {reason: "nothing is created before Postgres can be used", checks: distributed.Checks{Postgres: bad, ObjectStorage: good}, postgres: reason.Unreachable, bucket: reason.CheckPassed},
		"BucketFails":   {reason: "nor before the bucket can be used", checks: distributed.Checks{Postgres: good, ObjectStorage: bad}, postgres: reason.CheckPassed, bucket: reason.Unreachable},
		"Disabled": {reason: "rendering in CI checks nothing", change: func(c *cluster) { c.with.Checks.Disabled = true },
			postgres: reason.CheckDisabled, bucket: reason.CheckDisabled, creates: true},
		"NoSecret": {reason: "the Secret of another namespace does not count", change: func(c *cluster) { delete(c.others, "Secret/pg") },
			checks: distributed.Checks{Postgres: good, ObjectStorage: good}, postgres: reason.SecretNotFound, bucket: reason.CheckPassed},
		"NoKey": {reason: "both keys are needed", change: func(c *cluster) { c.secret("s3", map[string]string{"accessKeyId": "a"}) },
			checks: distributed.Checks{Postgres: good, ObjectStorage: good}, postgres: reason.CheckPassed, bucket: reason.KeyMissing},
		"EmptyKey": {reason: "an empty key is none", change: func(c *cluster) { c.secret("s3", map[string]string{"accessKeyId": "", "secretAccessKey": "b"}) },
			checks: distributed.Checks{Postgres: good, ObjectStorage: good}, postgres: reason.CheckPassed, bucket: reason.KeyMissing},
		"Shell": {reason: "a password reaches a shell unquoted", change: func(c *cluster) { c.secret("pg", map[string]string{"username": "a", "password": "b$(reboot)"}) },
			checks: distributed.Checks{Postgres: good, ObjectStorage: good}, postgres: reason.InvalidCredentials, bucket: reason.CheckPassed},
		"LineEnd": {reason: "a key with the line end of a file signs nothing", change: func(c *cluster) {
			c.secret("s3", map[string]string{"accessKeyId": "a", "secretAccessKey": "b\n"})
		}, checks: distributed.Checks{Postgres: good, ObjectStorage: good}, postgres: reason.CheckPassed, bucket: reason.InvalidCredentials},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, "52ce844")
			c.checks = tc.checks
			if tc.change != nil {
				tc.change(c)
			}
			for range 3 {
				c.pass()
			}
			if got := c.condition(reason.PostgresReady); got.Reason != tc.postgres {
				t.Errorf("\n%s\nPostgresReady: want %s, got %+v", tc.reason, tc.postgres, got)
			}
			if got := c.condition(reason.ObjectStorageReady); got.Reason != tc.bucket {
				t.Errorf("\n%s\nObjectStorageReady: want %s, got %+v", tc.reason, tc.bucket, got)
			}
			if (len(c.observed) > 0) != tc.creates {
				t.Errorf("\n%s\ncomposed: %v", tc.reason, roles(c))
			}
		})
	}
}

// TestChecksLater: a check that fails later does not take a running system down, nor hold it up.
func TestChecksLater(t *testing.T) {
	c := running(t, "52ce844")
	bad := distributed.Result{Status: pass.False, Reason: reason.Timeout, Message: "no answer"}
	c.checks = distributed.Checks{Postgres: bad, ObjectStorage: bad}
	c.spec()["frontend"] = map[string]any{"replicas": 3}
	c.pass()
	if !c.last.Ready && len(c.observed) != 66 {
		t.Errorf("the system runs on, got ready %t and %d objects", c.last.Ready, len(c.observed))
	}
	if got := c.replicas("deployment-rust-frontend-service"); got != 3 {
		t.Errorf("and follows its spec, got %d replicas", got)
	}
	if got := c.condition(reason.PostgresReady); got.Status != pass.False || got.Reason != reason.Timeout {
		t.Errorf("it is told, got %+v", got)
	}
}

// TestSecretsOfOwnNamespace: also behind a claim, whose XR has no namespace, Secrets are asked for in the namespace of the
// Chroma, and by their names alone.
func TestSecretsOfOwnNamespace(t *testing.T) {
	c := newCluster(t, "52ce844")
	answer, err := distributed.Decide(c.request(nil), c.checks)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]pass.Requirement{}
	for question, requirement := range answer.Requirements {
		if requirement.Kind == "Secret" {
			got[question] = requirement
		}
	}
	want := map[string]pass.Requirement{
		"secret-postgres":       {APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "pg"},
		"secret-object-storage": {APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "s3"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestAsk(t *testing.T) {
	c := newCluster(t, "52ce844")
	if _, ok := distributed.Ask(c.request(nil)); ok {
		t.Error("without the Secrets there is nothing to ask")
	}
	first, err := distributed.Decide(c.request(nil), distributed.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := distributed.Ask(c.request(first.Requirements))
	want := distributed.Targets{
		Postgres:      &distributed.PostgresTarget{Host: "postgres", Port: 5432, Database: "sysdb", SSLMode: "disable", Username: "chroma", Password: "s3cret"},
		ObjectStorage: &distributed.BucketTarget{Endpoint: "http://10.0.0.1:9000", Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: "AKIA", SecretAccessKey: "a/b+c"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the targets are asked the way Chroma asks: -want, +got:\n%s", diff)
	}
	c.with.Checks.Disabled = true
	if _, ok := distributed.Ask(c.request(first.Requirements)); ok {
		t.Error("disabled checks ask nothing")
	}
}
