package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Deadline is how long anything that must happen may take. To be set before anything is started.
var Deadline = 30 * time.Second

const (
	adminToken    = "admin-token"
	gangplanToken = "gangplan-token"
	poll          = 20 * time.Millisecond
)

// ControlPlane is etcd, kube-apiserver and kube-controller-manager on loopback ports of their own,
// and the controllers of JobSets and LeaderWorkerSets.
type ControlPlane struct {
	Env         Environment
	Client      *kubernetes.Clientset
	Quiet       *kubernetes.Clientset // the same in protobuf, as the parts of Kubernetes speak
	Dynamic     dynamic.Interface
	APIServer   *Process
	Etcd        *Process
	Controllers *Process
	processes   []*Process // in the order of their start
	authority   *authority
	port        int          // of the API server
	flags       []string     // of the API server, beside its own
	lists       *http.Server // in place of an API server; else nil
}

// StartControlPlane returns when the API server is ready and the role of Gangplan is in force. The
// flags are the API server's, beside those that it always has.
func StartControlPlane(env Environment, flags ...string) (*ControlPlane, error) {
	c := &ControlPlane{Env: env, flags: flags}
	return c.started(c.prepare, c.startEtcd, c.startAPIServer,
		c.defineJobSets, c.defineLeaderWorkerSets, c.defineKubeflow, c.defineOperators, c.definePlayed, c.startControllers,
		c.startJobSets, c.startLeaderWorkerSets, c.startKubeflow, c.startOperators)
}

// StartPlain is the same without the kinds of others and their controllers.
func StartPlain(env Environment) (*ControlPlane, error) {
	c := &ControlPlane{Env: env}
	return c.started(c.prepare, c.startEtcd, c.startAPIServer, c.startControllers)
}

func (c *ControlPlane) started(steps ...func() error) (*ControlPlane, error) {
	for _, step := range steps {
		if err := step(); err != nil {
			c.Stop()
			return nil, err
		}
	}
	return c, nil
}

// Stop ends the parts in the reverse order of their start.
func (c *ControlPlane) Stop() {
	if c.lists != nil {
		c.lists.Close()
	}
	for i := len(c.processes) - 1; i >= 0; i-- {
		c.processes[i].Stop()
	}
}

// Processes are its parts.
func (c *ControlPlane) Processes() []*Process { return slices.Clone(c.processes) }

func (c *ControlPlane) start(name string, flags ...string) (*Process, error) {
	argv := append([]string{c.Env.ControlPlane, name}, flags...)
	process, err := startProcess(name, c.Env.path(name+".log"), argv...)
	if err == nil {
		c.processes = append(c.processes, process)
	}
	return process, err
}

func (c *ControlPlane) prepare() error {
	var err error
	if c.authority, err = newAuthority(c.Env); err != nil {
		return err
	}
	if c.port, err = freePort(); err != nil {
		return err
	}
	account, err := gangplanAccount(c.Env)
	if err != nil {
		return err
	}
	tokens := fmt.Sprintf("%s,admin,1,\"system:masters\"\n%s,%s,2,\"%s\"\n", adminToken,
		gangplanToken, account.user(), strings.Join(account.groups(), ","))
	for i, user := range apiUsers {
		tokens += fmt.Sprintf("%s,%s,%d,\"people\"\n", tokenOf(user), user, 3+i)
	}
	return os.WriteFile(c.Env.path("tokens.csv"), []byte(tokens), 0o600)
}

func (c *ControlPlane) startEtcd() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	c.Etcd, err = c.start("etcd", "--data-dir="+c.Env.path("etcd"), "--client-url="+url)
	if err != nil {
		return err
	}
	return os.WriteFile(c.Env.path("etcd.url"), []byte(url), 0o600)
}

func (c *ControlPlane) startAPIServer() error {
	etcd, err := os.ReadFile(c.Env.path("etcd.url"))
	if err != nil {
		return err
	}
	c.APIServer, err = c.start("kube-apiserver", append([]string{
		"--etcd-servers=" + string(etcd),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.port),
		"--tls-cert-file=" + c.authority.certificateFile,
		"--tls-private-key-file=" + c.authority.keyFile,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.authority.accountPublicKeyFile,
		"--service-account-signing-key-file=" + c.authority.accountKeyFile,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--proxy-client-cert-file=" + c.authority.frontProxyFile,
		"--proxy-client-key-file=" + c.authority.frontProxyKeyFile,
		"--requestheader-client-ca-file=" + c.authority.frontProxy.rootFile,
		"--requestheader-allowed-names=" + frontProxyName,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--token-auth-file=" + c.Env.path("tokens.csv"),
		"--authorization-mode=RBAC",
		// The second one would taint every new node as not ready: there is no kubelet.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--max-requests-inflight=4000",
		"--max-mutating-requests-inflight=2000"}, c.flags...)...)
	if err != nil {
		return err
	}
	config := c.config()
	if c.Client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if c.Dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeProtobuf
	if c.Quiet, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if err := c.awaitReady(); err != nil {
		return err
	}
	return applyRole(c.Client, c.Env)
}

// config is that of an administrator's client.
func (c *ControlPlane) config() *rest.Config {
	return &rest.Config{
		Host:            c.url(),
		BearerToken:     adminToken,
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.authority.rootFile},
		QPS:             5000,
		Burst:           5000,
	}
}

func (c *ControlPlane) awaitReady() error {
	return Eventually("kube-apiserver ready with its default namespace", func() error {
		if !c.APIServer.Running() {
			return fmt.Errorf("kube-apiserver has ended:\n%s", c.APIServer.lastLines(10))
		}
		ctx := context.Background()
		if _, err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
			return err
		}
		_, err := c.Client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func (c *ControlPlane) startControllers() error {
	kubeconfig, err := c.kubeconfig("admin", c.url(), adminToken)
	if err != nil {
		return err
	}
	c.Controllers, err = c.start("kube-controller-manager",
		"--kubeconfig="+kubeconfig,
		"--authentication-kubeconfig="+kubeconfig,
		"--authorization-kubeconfig="+kubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=5000",
		"--kube-api-burst=5000",
		// For the Secrets with the token of an account.
		"--service-account-private-key-file="+c.authority.accountKeyFile,
		"--root-ca-file="+c.authority.rootFile,
		// Without the node life-cycle controller, which would miss the nodes' heartbeats.
		"--controllers=job-controller,replicaset-controller,statefulset-controller,deployment-controller,"+
			"namespace-controller,resourcequota-controller,garbage-collector-controller,"+
			"pod-garbage-collector-controller,serviceaccount-token-controller")
	return err
}

func (c *ControlPlane) url() string { return fmt.Sprintf("https://127.0.0.1:%d", c.port) }

// kubeconfig writes a file for one user of one URL, at once, and returns its path.
func (c *ControlPlane) kubeconfig(name, url, token string) (string, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["e2e"] = &clientcmdapi.Cluster{
		Server: url, CertificateAuthority: c.authority.rootFile,
	}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: name}
	config.CurrentContext = "e2e"
	text, err := clientcmd.Write(*config)
	if err != nil {
		return "", err
	}
	written, err := os.CreateTemp(c.Env.Directory, name)
	if err != nil {
		return "", err
	}
	_, err = written.Write(text)
	file := c.Env.path(name + ".kubeconfig")
	return file, errors.Join(err, written.Close(), os.Rename(written.Name(), file))
}

// AdminKubeconfig is a file of who may do everything.
func (c *ControlPlane) AdminKubeconfig() (string, error) {
	return c.kubeconfig("admin", c.url(), adminToken)
}

// Eventually asks until there is no error any more, or says what it waited for.
func Eventually(what string, ask func() error) error { return Within(Deadline, what, ask) }

// Within is the same with a deadline of its own.
func Within(deadline time.Duration, what string, ask func() error) error {
	end := time.Now().Add(deadline)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return errors.Join(fmt.Errorf("not within %s: %s", deadline, what), err)
		}
		time.Sleep(poll)
	}
}
