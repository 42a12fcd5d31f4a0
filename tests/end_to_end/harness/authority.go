package harness

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

// authority holds the certificates of the run: one self-made root, one server certificate for
// 127.0.0.1 that the API server and the proxy before it share, and the key of the service accounts;
// and what the API server shows to those that it asks for its users (its front proxy).
type authority struct {
	rootFile, certificateFile, keyFile   string
	accountKeyFile, accountPublicKeyFile string
	frontProxy                           *signer
	frontProxyFile, frontProxyKeyFile    string
}

const frontProxyName = "front-proxy-client"

func newAuthority(env Environment) (*authority, error) {
	a := &authority{
		rootFile:             env.path("root.pem"),
		certificateFile:      env.path("server.pem"),
		keyFile:              env.path("server.key"),
		accountKeyFile:       env.path("service-accounts.key"),
		accountPublicKeyFile: env.path("service-accounts.pub"),
	}
	a.frontProxyFile, a.frontProxyKeyFile = env.path("front-proxy.pem"), env.path("front-proxy.key")
	var err error
	if a.frontProxy, err = newSigner("front proxies", env.path("front-proxies.pem")); err != nil {
		return nil, err
	}
	if err = a.frontProxy.issue(frontProxyName, x509.ExtKeyUsageClientAuth, a.frontProxyFile,
		a.frontProxyKeyFile); err != nil {
		return nil, err
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	if err := a.writeCertificates(key); err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	private := x509.MarshalPKCS1PrivateKey(key)
	for file, block := range map[string]*pem.Block{
		a.keyFile:              {Type: "RSA PRIVATE KEY", Bytes: private},
		a.accountKeyFile:       {Type: "RSA PRIVATE KEY", Bytes: private},
		a.accountPublicKeyFile: {Type: "PUBLIC KEY", Bytes: public},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *authority) writeCertificates(key *rsa.PrivateKey) error {
	now := time.Now()
	root := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "end-to-end root"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "kube-apiserver"},
		NotBefore:    root.NotBefore,
		NotAfter:     root.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"localhost"},
	}
	for file, certificate := range map[string]*x509.Certificate{
		a.rootFile: root, a.certificateFile: server,
	} {
		der, err := x509.CreateCertificate(rand.Reader, certificate, root, &key.PublicKey, key)
		if err != nil {
			return err
		}
		block := &pem.Block{Type: "CERTIFICATE", Bytes: der}
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ServerCertificate names the files of a certificate for 127.0.0.1 and of its key.
func (c *ControlPlane) ServerCertificate() (certificate, key string) {
	return c.authority.certificateFile, c.authority.keyFile
}
