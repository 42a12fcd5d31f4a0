// One program with the four parts of a Kubernetes control plane: the first argument chooses the
// part, the rest are that part's own flags. There is no kubelet: the tests play the nodes.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // the API server and the controllers read time zones

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const usage = "usage: controlplane etcd|kube-apiserver|kube-controller-manager|kube-scheduler [flags]"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	os.Exit(run(part))
}

func run(part string) int {
	switch part {
	case "etcd":
		return runEtcd(os.Args[1:])
	case "kube-apiserver":
		return cli.Run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		return cli.Run(controllers.NewControllerManagerCommand())
	case "kube-scheduler":
		return cli.Run(scheduler.NewSchedulerCommand())
	}
	fmt.Fprintf(os.Stderr, "controlplane: there is no part %q\n%s\n", part, usage)
	return 2
}
