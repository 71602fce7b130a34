package checks_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Administrator of the stores of the tests.
const rootKey, rootSecret = "ROOTCHROMA", "R00t.s3cret~c0de"

// startStore with one bucket of the tests' user, and one that is not. With a certificate it speaks TLS only.
func startStore(t *testing.T, flags ...string) int32 {
	t.Helper()
	binary := storeBinary(t)
	folder := t.TempDir()
	for _, name := range []string{"buckets", "sidecar", "iam"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	endpoint := "http://" + address("127.0.0.1", port)
	arguments := append([]string{
		"--port", address("127.0.0.1", port), "--access", rootKey, "--secret", rootSecret,
		"--iam-dir", filepath.Join(folder, "iam"), "--health", "/health", "--quiet", "--virtual-domain", "s3.test",
	}, flags...)
	account{}.start(t, binary, append(arguments, "posix", "--sidecar", filepath.Join(folder, "sidecar"), filepath.Join(folder, "buckets"))...)
	if len(flags) > 0 {
		waitForPort(t, port)
		return port
	}
	waitForStore(t, endpoint)
	account{}.run(t, binary, "admin", "--access", rootKey, "--secret", rootSecret, "--endpoint-url", endpoint,
		"create-user", "--access", accessKey, "--secret", secretKey, "--role", "userplus")
	makeBucket(t, endpoint, accessKey, secretKey, "chroma-storage")
	makeBucket(t, endpoint, rootKey, rootSecret, "private")
	return port
}

func storeBinary(t *testing.T) string {
	t.Helper()
	const variable = "VERSITYGW"
	if path := os.Getenv(variable); path != "" {
		return path
	}
	built, err := filepath.Abs("../../../.cache/bin/versitygw")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(built); err != nil {
		missing(t, "There is no versitygw here: build it with test/tools/build.sh, or name it in "+variable+".")
	}
	return built
}

func waitForStore(t *testing.T, endpoint string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint+"/health", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the store does not start: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func makeBucket(t *testing.T, endpoint, key, secret, name string) {
	t.Helper()
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(key, secret, ""),
	})
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatalf("cannot create the bucket %s: %v", name, err)
	}
}

// endpoint of a store by a name.
func endpoint(scheme, host string, port int32) string {
	return scheme + "://" + host + ":" + strconv.Itoa(int(port))
}
