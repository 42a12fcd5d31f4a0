package harness

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// signer is an authority of its own.
type signer struct {
	root     *x509.Certificate
	key      *ecdsa.PrivateKey // the root's
	rootFile string
	serial   int64
}

func newSigner(name, rootFile string) (*signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &signer{key: key, rootFile: rootFile}
	a.root = a.template(name)
	a.root.IsCA, a.root.BasicConstraintsValid = true, true
	a.root.KeyUsage = x509.KeyUsageCertSign
	return a, a.sign(a.root, a.key, rootFile)
}

// pairTLS holds the certificates between a scheduler and its Gangplan.
type pairTLS struct {
	*signer
	gangplanFile, gangplanKey   string
	schedulerFile, schedulerKey string
}

const schedulerName = "system:kube-scheduler"

func (p *Pair) prepareTLS() error {
	if !p.options.TLS {
		return nil
	}
	path := func(name string) string { return p.plane.Env.path(fmt.Sprintf("%02d-%s", pairs, name)) }
	signer, err := newSigner("extenders", path("root.pem"))
	if err != nil {
		return err
	}
	p.tls = &pairTLS{signer: signer, gangplanFile: path("gangplan.pem"),
		gangplanKey: path("gangplan.key"), schedulerFile: path("scheduler.pem"),
		schedulerKey: path("scheduler.key")}
	return errors.Join(p.RenewCertificate(),
		p.tls.issue(schedulerName, x509.ExtKeyUsageClientAuth, p.tls.schedulerFile, p.tls.schedulerKey))
}

// RenewCertificate gives Gangplan another certificate and key of the same authority.
func (p *Pair) RenewCertificate() error {
	return p.tls.issue("gangplan", x509.ExtKeyUsageServerAuth, p.tls.gangplanFile, p.tls.gangplanKey)
}

func (a *signer) template(name string) *x509.Certificate {
	a.serial++
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(a.serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
}

func (a *signer) issue(name string, use x509.ExtKeyUsage, file, keyFile string, hosts ...string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	certificate := a.template(name)
	certificate.KeyUsage = x509.KeyUsageDigitalSignature
	certificate.ExtKeyUsage, certificate.DNSNames = []x509.ExtKeyUsage{use}, hosts
	return errors.Join(a.sign(certificate, key, file), writePEM(keyFile, "PRIVATE KEY", private))
}

func (a *signer) sign(certificate *x509.Certificate, key *ecdsa.PrivateKey, file string) error {
	der, err := x509.CreateCertificate(rand.Reader, certificate, a.root, &key.PublicKey, a.key)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der)
}

func writePEM(file, kind string, der []byte) error {
	var text bytes.Buffer
	if err := pem.Encode(&text, &pem.Block{Type: kind, Bytes: der}); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o600)
}

// settings are Gangplan's, extender those of the scheduler.
func (a *pairTLS) settings() map[string]any {
	return map[string]any{"certificateFile": a.gangplanFile, "keyFile": a.gangplanKey,
		"clientCAFile": a.rootFile, "allowedNames": []any{schedulerName}}
}

func (a *pairTLS) extender() map[string]any {
	return map[string]any{"caFile": a.rootFile, "certFile": a.schedulerFile, "keyFile": a.schedulerKey}
}

// AskAsStranger calls as a scheduler would that has no certificate.
func (p *Pair) AskAsStranger() error {
	_, err := callAsStranger(p.VerbsURL())
	return err
}

func callAsStranger(verbs string) (int, error) {
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Post(verbs+"/v1/extender/filter", "application/json", bytes.NewReader([]byte("{}")))
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// ClientName is the common name of the scheduler's certificate that CreateCertificates makes.
const ClientName = "scheduler-of-gangs"

// CreateCertificates makes a Secret for Gangplan and one for its scheduler, as cert-manager would,
// each by an authority of its own.
func (c *ControlPlane) CreateCertificates(namespace, gangplan, scheduler string) error {
	for _, one := range []struct {
		secret, name string
		use          x509.ExtKeyUsage
	}{{gangplan, "gangplan", x509.ExtKeyUsageServerAuth}, {scheduler, ClientName, x509.ExtKeyUsageClientAuth}} {
		files := map[string]string{}
		for _, key := range []string{"ca.crt", "tls.crt", "tls.key"} {
			files[key] = c.Env.path("of-secret-" + one.secret + "-" + key)
		}
		signer, err := newSigner(one.secret, files["ca.crt"])
		if err != nil {
			return err
		}
		if err := signer.issue(one.name, one.use, files["tls.crt"], files["tls.key"]); err != nil {
			return err
		}
		data := map[string][]byte{}
		for key, file := range files {
			if data[key], err = os.ReadFile(file); err != nil {
				return err
			}
		}
		_, err = c.Client.CoreV1().Secrets(namespace).Create(context.Background(), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: one.secret}, Type: corev1.SecretTypeTLS, Data: data},
			metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}
