package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// serverName in the certificates of these tests.
const serverName = "function.test"

// An authority that signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthority(t *testing.T) authority {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}

	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}

	return authority{
		certificate: certificate, key: key,
		pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}
}

// issue a certificate for servers and clients, as PEM: the certificate and its key.
func (a authority) issue(t *testing.T) (certificate, key []byte) {
	t.Helper()

	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: serverName}, DNSNames: []string{serverName},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}

	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}

	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}

	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})
}

// folder with the given files.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()

	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return dir
}

func TestMutualTLS(t *testing.T) {
	ours, foreign := newAuthority(t), newAuthority(t)
	crt, key := ours.issue(t)

	creds, err := Credentials(folder(t, map[string][]byte{"tls.crt": crt, "tls.key": key, "ca.crt": ours.pem}), false)
	if err != nil {
		t.Fatal(err)
	}

	s := serve(t, echo, creds, time.Second)

	cases := map[string]struct {
		reason string
		client *authority
		want   codes.Code
	}{
		"OurClient": {
			reason: "A client with a certificate of our authority should be answered.",
			client: &ours,
			want:   codes.OK,
		},
		"NoCertificate": {
			reason: "A client without a certificate should be refused.",
			want:   codes.Unavailable,
		},
		"ForeignCertificate": {
			reason: "A client with a certificate of another authority should be refused.",
			client: &foreign,
			want:   codes.Unavailable,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			roots := x509.NewCertPool()
			roots.AddCert(ours.certificate)
			config := &tls.Config{RootCAs: roots, ServerName: serverName, MinVersion: tls.VersionTLS12}

			if tc.client != nil {
				certificate, err := tls.X509KeyPair(tc.client.issue(t))
				if err != nil {
					t.Fatal(err)
				}

				// Not Certificates: a Go client does not even send those that the server's authority did not sign.
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
			}

			_, err := fnv1.NewFunctionRunnerServiceClient(dial(t, s, credentials.NewTLS(config))).RunFunction(t.Context(), tagged("a"))
			if got := status.Code(err); got != tc.want {
				t.Errorf("\n%s\nRunFunction(...): got %s (%v), want %s", tc.reason, got, err, tc.want)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	ca := newAuthority(t)
	crt, key := ca.issue(t)

	cases := map[string]struct {
		reason   string
		files    map[string][]byte
		insecure bool
		want     string
	}{
		"Neither": {
			reason: "TLS should only be left out by a person who says so.",
			want:   "cannot serve without certificates",
		},
		"Insecure": {
			reason:   "Insecure should win over certificates, as in Crossplane's own functions.",
			files:    map[string][]byte{},
			insecure: true,
		},
		"NoKeyPair": {
			reason: "A folder without a certificate should be refused.",
			files:  map[string][]byte{"ca.crt": ca.pem},
			want:   "cannot load X509 keypair",
		},
		"NoAuthority": {
			reason: "Without the authority of its clients a server would let anybody in.",
			files:  map[string][]byte{"tls.crt": crt, "tls.key": key},
			want:   "cannot read CA certificate",
		},
		"BrokenAuthority": {
			reason: "An authority that cannot be read should be refused.",
			files:  map[string][]byte{"tls.crt": crt, "tls.key": key, "ca.crt": []byte("x")},
			want:   "invalid CA certificate",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := ""
			if tc.files != nil {
				dir = folder(t, tc.files)
			}

			creds, err := Credentials(dir, tc.insecure)

			if tc.want == "" && (err != nil || creds == nil) {
				t.Errorf("\n%s\nCredentials(...): got %v, %v, want credentials", tc.reason, creds, err)
			}

			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("\n%s\nCredentials(...): got error %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
