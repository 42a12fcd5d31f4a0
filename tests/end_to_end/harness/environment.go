// Package harness starts a real Kubernetes control plane on this machine, with a stock
// kube-scheduler and Gangplan beside it, and watches what becomes of the pods.
package harness

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// Environment says where the programs are and where logs and certificates go.
type Environment struct {
	Gangplan     string // the program under test; empty where only the bare scheduler runs
	ControlPlane string // the program built from ../controlplane
	Examples     string // the folder with the scheduler configuration and the RBAC role
	Directory    string // of this run, new and empty
}

// LoadEnvironment reads what `run` exports.
func LoadEnvironment() (Environment, error) {
	env := Environment{
		Gangplan:     os.Getenv("GANGPLAN_BINARY"),
		ControlPlane: os.Getenv("GANGPLAN_CONTROL_PLANE"),
		Examples:     os.Getenv("GANGPLAN_EXAMPLES"),
	}
	for _, file := range []string{env.Gangplan, env.ControlPlane, env.Examples} {
		if !filepath.IsAbs(file) {
			return env, fmt.Errorf("start the tests through tests/end_to_end/run: "+
				"GANGPLAN_BINARY, GANGPLAN_CONTROL_PLANE and GANGPLAN_EXAMPLES have to be "+
				"absolute paths, one is %q", file)
		}
		if _, err := os.Stat(file); err != nil {
			return env, err
		}
	}
	directory, err := os.MkdirTemp("", "gangplan-e2e-")
	env.Directory = directory
	return env, err
}

func (e Environment) path(name string) string { return filepath.Join(e.Directory, name) }

// freePort asks the kernel for a loopback port that nobody uses now.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
