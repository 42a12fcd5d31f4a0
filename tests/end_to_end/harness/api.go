package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// People who ask the aggregated API, of the group "people".
const (
	Viewer   = "jane" // may see the gangs of "default"
	Stranger = "john" // may see none
)

var apiUsers = []string{Viewer, Stranger}

func tokenOf(user string) string { return user + "-token" }

// pairAPI is the aggregated API of one Gangplan, as examples/api.yaml registers it; but that its
// Service leads to the loopback.
type pairAPI struct {
	*signer
	port             int
	certificate, key string
	shell            *Shell
	registered       string // the manifest
}

const apiHost = "gangplan-api.gangplan.svc"

func (p *Pair) prepareAPI() error {
	if !p.options.API {
		return nil
	}
	path := func(name string) string { return p.plane.Env.path(fmt.Sprintf("%02d-api-%s", pairs, name)) }
	signer, err := newSigner("aggregated APIs", path("root.pem"))
	if err != nil {
		return err
	}
	p.api = &pairAPI{signer: signer, certificate: path("tls.crt"), key: path("tls.key"),
		registered: path("registered.yaml")}
	if p.api.port, err = freePort(); err != nil {
		return err
	}
	if p.api.shell, err = p.plane.NewShell(); err != nil {
		return err
	}
	if err = p.api.issue(apiHost, x509.ExtKeyUsageServerAuth, p.api.certificate, p.api.key, apiHost); err != nil {
		return err
	}
	return p.api.register(p.plane.Env)
}

func (a *pairAPI) settings() map[string]any {
	return map[string]any{"address": "127.0.0.1", "port": a.port, "certificateFile": a.certificate,
		"keyFile": a.key}
}

// register applies examples/api.yaml, and lets the viewer see the namespace "default".
func (a *pairAPI) register(env Environment) error {
	text, err := os.ReadFile(filepath.Join(env.Examples, "api.yaml"))
	if err != nil {
		return err
	}
	root, err := os.ReadFile(a.rootFile)
	if err != nil {
		return err
	}
	var manifest bytes.Buffer
	for _, document := range strings.Split(string(text), "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			return err
		}
		spec, _ := object["spec"].(map[string]any)
		switch object["kind"] {
		case "Service":
			object["spec"] = map[string]any{"type": "ExternalName", "externalName": "localhost"}
		case "APIService":
			spec["caBundle"] = root
			spec["service"].(map[string]any)["port"] = a.port
			delete(object["metadata"].(map[string]any), "annotations")
		}
		one, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		fmt.Fprintf(&manifest, "%s---\n", one)
	}
	fmt.Fprintf(&manifest, `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: sees-gangs, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gangplan-view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
`, Viewer)
	if err := os.WriteFile(a.registered, manifest.Bytes(), 0o600); err != nil {
		return err
	}
	_, err = a.shell.Run("kubectl apply -f " + a.registered)
	return err
}

func (a *pairAPI) remove() { a.shell.Run("kubectl delete --ignore-not-found -f " + a.registered) }

// AwaitAPI returns when the API server says that the aggregated API is available.
func (p *Pair) AwaitAPI() error {
	return Eventually("the aggregated API available", func() error {
		out, err := p.api.shell.Run(`kubectl get apiservice v1alpha1.gangplan.io -o ` +
			`jsonpath='{.status.conditions[?(@.type=="Available")]}'`)
		if err == nil && !strings.Contains(out, `"status":"True"`) {
			err = errors.New(out)
		}
		return err
	})
}

// ShellOf is one in which this user is logged in, with the plugin and the program on its PATH.
func (p *Pair) ShellOf(user string) (*Shell, error) {
	token := tokenOf(user)
	if user == "admin" {
		token = adminToken
	}
	kubeconfig, err := p.plane.kubeconfig("of-"+user, p.plane.url(), token)
	if err != nil {
		return nil, err
	}
	shell, err := p.plane.shellWith(kubeconfig)
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(shell.Folder, "bin")
	shell.environment = append(shell.environment, "PATH="+bin+":"+p.plane.Env.Tools+":"+os.Getenv("PATH"))
	made := errors.Join(os.Mkdir(bin, 0o755), os.Symlink(p.plane.Env.Gangplan, filepath.Join(bin, "gangplan")))
	for _, script := range []string{"kubectl-gangplan", "kubectl_complete-gangplan"} {
		made = errors.Join(made,
			os.Symlink(filepath.Join(p.plane.Env.Tree, "config", script), filepath.Join(bin, script)))
	}
	return shell, made
}

// Certificates with which somebody may ask the aggregated API past the API server.
const (
	NoCertificate = iota
	ProxyCertificate
	OtherName   // of the front proxy's authority, for somebody else
	OtherIssuer // for the front proxy's name, of another authority
)

// AskAPI asks past the API server, in the name of a user of a group, and returns status and body.
func (p *Pair) AskAPI(certificate int, user, group, path string) (int, string, error) {
	config := &tls.Config{ServerName: apiHost, RootCAs: x509.NewCertPool()}
	root, err := os.ReadFile(p.api.rootFile)
	if err != nil {
		return 0, "", err
	}
	config.RootCAs.AppendCertsFromPEM(root)
	file, key := p.api.certificate+".client", p.api.key+".client"
	a := p.plane.authority
	switch certificate {
	case ProxyCertificate:
		file, key = a.frontProxyFile, a.frontProxyKeyFile
	case OtherName:
		err = a.frontProxy.issue("somebody", x509.ExtKeyUsageClientAuth, file, key)
	case OtherIssuer:
		err = p.api.issue(frontProxyName, x509.ExtKeyUsageClientAuth, file, key)
	}
	if err != nil {
		return 0, "", err
	}
	if certificate != NoCertificate {
		pair, err := tls.LoadX509KeyPair(file, key)
		if err != nil {
			return 0, "", err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet,
		fmt.Sprintf("https://127.0.0.1:%d%s", p.api.port, path), nil)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("X-Remote-User", user)
	request.Header.Set("X-Remote-Group", group)
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}
