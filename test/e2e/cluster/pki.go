//go:build linux

package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// lifetime of the certificates: longer than anybody keeps a cluster.
const lifetime = 30 * 24 * time.Hour

// An identity is whom a certificate is for.
type identity struct {
	name   string // of the files
	common string
	group  string
	usage  x509.ExtKeyUsage
	hosts  []string
	// kubeconfig tells whether one is written beside the certificate.
	kubeconfig bool
}

func identities() []identity {
	client, server := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
	return []identity{
		{name: "apiserver", common: "kube-apiserver", usage: server, hosts: []string{
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "localhost",
			"127.0.0.1", "10.96.0.1", Address,
		}},
		{name: "apiserver-kubelet", common: "kube-apiserver-kubelet-client", group: "system:masters", usage: client},
		{name: "kubelet-server", common: "system:node:" + NodeName, group: "system:nodes", usage: server, hosts: []string{NodeName, Address, "127.0.0.1"}},
		{name: "front-proxy-client", common: "front-proxy-client", usage: client},
		{name: "admin", common: "admin", group: "system:masters", usage: client, kubeconfig: true},
		{name: "controller-manager", common: "system:kube-controller-manager", usage: client, kubeconfig: true},
		{name: "scheduler", common: "system:kube-scheduler", usage: client, kubeconfig: true},
		{name: "kubelet", common: "system:node:" + NodeName, group: "system:nodes", usage: client, kubeconfig: true},
		{name: "proxy", common: "system:kube-proxy", usage: client, kubeconfig: true},
	}
}

// An authority signs the cluster's certificates.
type authority struct {
	folder      string
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	encoded     []byte
}

// writePKI of a cluster: its authority, certificates, kubeconfigs, and the key of service accounts' tokens.
func writePKI(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of certificates: %w", err)
	}
	ca, err := newAuthority(folder)
	if err != nil {
		return err
	}
	for i, of := range identities() {
		if err := ca.issue(int64(i)+2, of); err != nil {
			return fmt.Errorf("cannot issue the certificate of %s: %w", of.name, err)
		}
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("cannot make the key of service accounts: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return fmt.Errorf("cannot encode the key of service accounts: %w", err)
	}
	if _, err := ca.write("sa.key", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)); err != nil {
		return err
	}
	_, err = ca.write("sa.pub", "PUBLIC KEY", public)
	return err
}

func newAuthority(folder string) (*authority, error) {
	ca := &authority{folder: folder}
	var err error
	if ca.key, _, err = ca.newKey("ca"); err != nil {
		return nil, err
	}
	ca.certificate = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "e2e"},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca.certificate, ca.certificate, &ca.key.PublicKey, ca.key)
	if err != nil {
		return nil, fmt.Errorf("cannot make the certificate of the authority: %w", err)
	}
	ca.encoded, err = ca.write("ca.crt", "CERTIFICATE", der)
	return ca, err
}

func (ca *authority) issue(serial int64, of identity) error {
	key, encodedKey, err := ca.newKey(of.name)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: of.common},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{of.usage},
	}
	if of.group != "" {
		template.Subject.Organization = []string{of.group}
	}
	for _, host := range of.hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, &key.PublicKey, ca.key)
	if err != nil {
		return err
	}
	certificate, err := ca.write(of.name+".crt", "CERTIFICATE", der)
	if err != nil || !of.kubeconfig {
		return err
	}
	return clientcmd.WriteToFile(api.Config{
		Clusters:       map[string]*api.Cluster{"e2e": {Server: apiServer, CertificateAuthorityData: ca.encoded}},
		AuthInfos:      map[string]*api.AuthInfo{of.name: {ClientCertificateData: certificate, ClientKeyData: encodedKey}},
		Contexts:       map[string]*api.Context{"e2e": {Cluster: "e2e", AuthInfo: of.name}},
		CurrentContext: "e2e",
	}, filepath.Join(ca.folder, of.name+".kubeconfig"))
}

func (ca *authority) newKey(name string) (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot encode a key: %w", err)
	}
	encoded, err := ca.write(name+".key", "EC PRIVATE KEY", der)
	return key, encoded, err
}

func (ca *authority) write(file, kind string, der []byte) ([]byte, error) {
	encoded := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(filepath.Join(ca.folder, file), encoded, 0o600); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", file, err)
	}
	return encoded, nil
}
