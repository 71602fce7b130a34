//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// What a distributed Chroma rests on, with credentials that are in no file of the cluster's.
const (
	postgresPort     = 5432
	postgresPassword = "Pg.s3cret~9f1c"
	storePort        = 7070
	storeKey         = "AKIACHROMA"
	storeSecret      = "S3.s3cret~77aa"
	bucket           = "chroma-storage"
	storeEndpoint    = "http://" + cluster.Address + ":7070"
)

// inside runs a command as a process of the node, to its end.
func (s *scene) inside(input string, arguments ...string) string {
	s.Helper()
	cmd := s.node.Inside(s.Context(), arguments[0], arguments[1:]...)
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("cannot run %s on the node: %v: %s", strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// start a process of the node that ends with the test, or when the returned function says so.
func (s *scene) start(arguments ...string) (stop func()) {
	s.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	cmd := s.node.Inside(ctx, arguments[0], arguments[1:]...)
	output := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		cancel()
		s.Fatalf("cannot start %s on the node: %v", arguments[0], err)
	}
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		_ = cmd.Wait() // It was killed.
		if s.Failed() {
			s.Logf("%s said:\n%s", filepath.Base(arguments[0]), output)
		}
	}
	s.Cleanup(stop)
	return stop
}

// startPostgres on the node's address, with a database for a user chroma. Its files are in the node's own /run.
func (s *scene) startPostgres() {
	s.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		s.Skip("there is no PostgreSQL here: install Debian's package postgresql")
	}
	binaries := filepath.Dir(found[len(found)-1])
	// Its shared memory is in a namespace of its own, so that it goes with it.
	as := []string{"unshare", "--ipc", "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL"}
	folder := "/run/" + s.namespace + "-postgres"
	s.inside("", "install", "-d", "-o", "postgres", folder)
	s.inside(postgresPassword, append(as, "sh", "-c", "umask 077 && cat >"+folder+"/password")...)
	s.inside("", append(as, filepath.Join(binaries, "initdb"), "--pgdata="+folder+"/data", "--username=postgres",
		"--auth=scram-sha-256", "--pwfile="+folder+"/password", "--encoding=UTF8", "--locale=C", "--no-sync")...)
	s.inside("host sysdb,postgres all 0.0.0.0/0 scram-sha-256\n", append(as, "sh", "-c", "cat >>"+folder+"/data/pg_hba.conf")...)
	s.start(append(as, filepath.Join(binaries, "postgres"), "-D", folder+"/data", "-c", "listen_addresses="+cluster.Address,
		"-c", "port="+strconv.Itoa(postgresPort), "-c", "unix_socket_directories=", "-c", "fsync=off")...)
	s.wait("PostgreSQL", time.Minute, func() (string, bool) {
		_, err := s.query("postgres", "SELECT 1")
		if err != nil {
			return err.Error(), false
		}
		return "", true
	})
	for _, statement := range []string{"CREATE ROLE chroma LOGIN PASSWORD '" + postgresPassword + "'", "CREATE DATABASE sysdb OWNER chroma"} {
		if _, err := s.query("postgres", statement); err != nil {
			s.Fatalf("cannot prepare PostgreSQL: %v", err)
		}
	}
}

// query PostgreSQL as its administrator.
func (s *scene) query(database, statement string) ([]string, error) {
	config, err := pgconn.ParseConfig("postgres://postgres@" + cluster.Address + "/" + database + "?sslmode=disable")
	if err != nil {
		return nil, err
	}
	config.Password, config.DialFunc = postgresPassword, s.node.DialContext
	connection, err := pgconn.ConnectConfig(s.Context(), config)
	if err != nil {
		return nil, err
	}
	defer connection.Close(s.Context())
	results, err := connection.Exec(s.Context(), statement).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, row := range results[len(results)-1].Rows {
		out = append(out, string(row[0]))
	}
	return out, nil
}

// startStore of objects on the node's address. Its files stay when it is stopped and started again.
func (s *scene) startStore() (stop func()) {
	s.Helper()
	binary := filepath.Join(s.binaries, "versitygw")
	if _, err := exec.LookPath(binary); err != nil {
		s.Fatalf("cannot start a store: %v", err)
	}
	folder := "/run/" + s.namespace + "-store"
	s.inside("", "mkdir", "-p", folder+"/buckets", folder+"/sidecar", folder+"/iam")
	stop = s.start(binary, "--port", cluster.Address+":"+strconv.Itoa(storePort), "--access", storeKey, "--secret", storeSecret,
		"--iam-dir", folder+"/iam", "--health", "/health", "--quiet", "posix", "--sidecar", folder+"/sidecar", folder+"/buckets")
	s.wait("store of objects", time.Minute, func() (string, bool) {
		connection, err := s.node.DialContext(s.Context(), "tcp", strings.TrimPrefix(storeEndpoint, "http://"))
		if err != nil {
			return err.Error(), false
		}
		return "", connection.Close() == nil
	})
	return stop
}

func (s *scene) makeBucket() {
	s.Helper()
	endpoint := storeEndpoint
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true, HTTPClient: &http.Client{Transport: s.node.Transport()},
		Credentials: credentials.NewStaticCredentialsProvider(storeKey, storeSecret, ""),
	})
	if _, err := client.CreateBucket(s.Context(), &s3.CreateBucketInput{Bucket: aws.String(bucket)}); err != nil {
		s.Fatalf("cannot create the bucket %s: %v", bucket, err)
	}
}
