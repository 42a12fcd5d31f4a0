package harness

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// Shell is where people install Gangplan: helm and kubectl are there and know the control plane, and
// the folder holds the tree's config/ and examples/.
type Shell struct {
	Folder      string
	environment []string
}

// NewShell has a folder of its own.
func (c *ControlPlane) NewShell() (*Shell, error) {
	kubeconfig, err := c.kubeconfig("admin", c.url(), adminToken)
	if err != nil {
		return nil, err
	}
	return c.shellWith(kubeconfig)
}

func (c *ControlPlane) shellWith(kubeconfig string) (*Shell, error) {
	folder, err := os.MkdirTemp(c.Env.Directory, "shell-")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"config", "examples"} {
		if err := os.Symlink(filepath.Join(c.Env.Tree, name), filepath.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	return &Shell{folder, append(os.Environ(), "HOME="+folder, "KUBECONFIG="+kubeconfig,
		"PATH="+c.Env.Tools+":"+os.Getenv("PATH"))}, nil
}

// Run returns what the script prints; an error holds what it says besides.
func (s *Shell) Run(script string) (string, error) {
	var out, said bytes.Buffer
	command := exec.Command("bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.Env, command.Stdout, command.Stderr = s.Folder, s.environment, &out, &said
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w\n%s", script, err, strings.TrimSpace(said.String()))
	}
	return out.String(), nil
}

// Render is what the chart makes of these options of `helm template`.
func (s *Shell) Render(options string) (string, error) {
	return s.Run("helm template gangplan config/chart --namespace gangplan --kube-version 1.36.3 " +
		options)
}

// ShellOfVersion is one in which the API server tells another version of itself, until stop.
func (c *ControlPlane) ShellOfVersion(version string) (shell *Shell, stop func(), err error) {
	target, err := url.Parse(c.url())
	if err != nil {
		return nil, nil, err
	}
	client, err := rest.TransportFor(c.config())
	if err != nil {
		return nil, nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = client
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/version" {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"gitVersion": %q}`, version)
	}))
	kubeconfig, err := c.kubeconfig("other-version", server.URL, "")
	if err == nil {
		shell, err = c.shellWith(kubeconfig)
	}
	if err != nil {
		server.Close()
	}
	return shell, server.Close, err
}
