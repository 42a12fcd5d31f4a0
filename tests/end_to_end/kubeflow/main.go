// The controllers of Kubeflow's training operator for PyTorchJobs, TFJobs, XGBoostJobs and PaddleJobs,
// of their own module, without webhooks, which only refuse. It finds the API server by --kubeconfig.
package main

import (
	"flag"
	"fmt"
	"os"

	kubeflowv1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/config"
	controllers "github.com/kubeflow/training-operator/pkg/controller.v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	podgroups "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

var kinds = []string{kubeflowv1.PyTorchJobKind, kubeflowv1.TFJobKind, kubeflowv1.XGBoostJobKind,
	kubeflowv1.PaddleJobKind}

func main() {
	flag.Parse() // --kubeconfig is the controller runtime's own
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "kubeflow: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	config.Config.PyTorchInitContainerImage = config.PyTorchInitContainerImageDefault
	config.Config.PyTorchInitContainerTemplateFile = config.PyTorchInitContainerTemplateFileDefault
	config.Config.PyTorchInitContainerMaxTries = config.PyTorchInitContainerMaxTriesDefault
	client, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	client.QPS, client.Burst = 500, 500
	types := runtime.NewScheme()
	// It watches PodGroups of both kinds where the cluster has them.
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, kubeflowv1.AddToScheme,
		podgroups.AddToScheme, volcano.AddToScheme} {
		if err := add(types); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(client, ctrl.Options{
		Scheme:                 types,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		setup := controllers.SupportedSchemeReconciler[kind]
		if err := setup(manager, common.GenNonGangSchedulerSetupFunc(), 4); err != nil {
			return err
		}
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
