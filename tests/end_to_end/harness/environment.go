// Package harness starts a real Kubernetes control plane on this machine, with a stock
// kube-scheduler and Gangplan beside it, and watches what becomes of the pods.
package harness

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Environment says where the programs are and where logs and certificates go.
type Environment struct {
	Gangplan     string // the program under test; empty where only the bare scheduler runs
	ControlPlane string // the program built from ../controlplane
	Tools        string // the folder with helm and kubectl, built from ../tools
	// Controllers, built from ../jobset, ../lws, ../kueue, ../kubeflow, ../mpi and ../ray; the definitions
	// of their resources are in JobSet.crds and so on. Kubeflow, MPI and Ray are empty where they were not built.
	JobSet, LeaderWorkerSet, Kueue, Kubeflow, MPI, Ray string
	Kwok                                               string // plays kubelets

	Examples  string // the folder with the scheduler configuration and the RBAC role
	Tree      string // the whole source tree
	Directory string // of this run, new and empty
}

// LoadEnvironment reads what `run` exports.
func LoadEnvironment() (Environment, error) {
	env := readEnvironment()
	err := env.begin(env.Gangplan, env.ControlPlane, env.Tools, env.JobSet, env.LeaderWorkerSet,
		env.Kueue, env.Examples, env.Tree)
	return env, err
}

// LoadPlainEnvironment is what StartPlain and StartKwok need of it.
func LoadPlainEnvironment() (Environment, error) {
	env := readEnvironment()
	err := env.begin(env.Gangplan, env.ControlPlane, env.Tools, env.Kwok, env.Examples, env.Tree)
	return env, err
}

func readEnvironment() Environment {
	return Environment{
		Gangplan:        os.Getenv("GANGPLAN_BINARY"),
		ControlPlane:    os.Getenv("GANGPLAN_CONTROL_PLANE"),
		Tools:           os.Getenv("GANGPLAN_TOOLS"),
		JobSet:          os.Getenv("GANGPLAN_JOBSET"),
		LeaderWorkerSet: os.Getenv("GANGPLAN_LWS"),
		Kubeflow:        os.Getenv("GANGPLAN_KUBEFLOW"),
		MPI:             os.Getenv("GANGPLAN_MPI"),
		Ray:             os.Getenv("GANGPLAN_RAY"),
		Kueue:           os.Getenv("GANGPLAN_KUEUE"),
		Kwok:            os.Getenv("GANGPLAN_KWOK"),
		Examples:        os.Getenv("GANGPLAN_EXAMPLES"),
		Tree:            os.Getenv("GANGPLAN_TREE"),
	}
}

// begin makes the directory of the run when the files that it needs are there.
func (e *Environment) begin(needed ...string) error {
	for _, file := range needed {
		if !filepath.IsAbs(file) {
			return fmt.Errorf("start it through tests/end_to_end/run: GANGPLAN_BINARY, "+
				"GANGPLAN_CONTROL_PLANE, GANGPLAN_TOOLS, GANGPLAN_EXAMPLES, GANGPLAN_TREE and the programs of "+
				"the controllers have to be absolute paths, one is %q", file)
		}
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	directory, err := os.MkdirTemp("", "gangplan-e2e-")
	e.Directory = directory
	return err
}

func (e Environment) path(name string) string { return filepath.Join(e.Directory, name) }

const (
	firstPort = 15_000
	ports     = 15_000
	portTries = 100
)

// given are the ports that freePort has handed out: one is free again before its user listens.
var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// freePort is a loopback port that nobody uses now and that was not handed out before, of a range
// from which no connection takes its own: it stays free until its user listens, but for other
// programs that ask here.
func freePort() (int, error) {
	given.Lock()
	defer given.Unlock()
	err := fmt.Errorf("no port of %d to %d is free", firstPort, firstPort+ports-1)
	for range portTries {
		port := firstPort + rand.IntN(ports)
		if given.ports[port] {
			continue
		}
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			given.ports[port] = true
			return port, listener.Close()
		}
	}
	return 0, err
}
