// The controller of the MPI operator for MPIJobs, of its own module, without its election of a
// leader. It finds the API server by --kubeconfig.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	jobs "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned"
	jobscheme "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	jobinformers "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the API server")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS, config.Burst = 500, 500
		err = run(config)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "mpi: %v\n", err)
		os.Exit(1)
	}
}

func run(config *rest.Config) error {
	if err := jobscheme.AddToScheme(scheme.Scheme); err != nil { // for its Events
		return err
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ours, err := jobs.NewForConfig(config)
	if err != nil {
		return err
	}
	all, kubeflow := informers.NewSharedInformerFactory(core, 0), jobinformers.NewSharedInformerFactory(ours, 0)
	reconciler, err := controller.NewMPIJobController(core, ours, nil, nil,
		all.Core().V1().ConfigMaps(), all.Core().V1().Secrets(), all.Core().V1().Services(),
		all.Batch().V1().Jobs(), all.Core().V1().Pods(), all.Scheduling().V1().PriorityClasses(),
		kubeflow.Kubeflow().V2beta1().MPIJobs(), metav1.NamespaceAll, "")
	if err != nil {
		return err
	}
	stop, ended := make(chan struct{}), make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-ended
		close(stop)
	}()
	all.Start(stop)
	kubeflow.Start(stop)
	return reconciler.Run(4, stop)
}
