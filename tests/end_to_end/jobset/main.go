// The JobSet controller of its own module, as its manager runs it, but for its webhooks: the tests
// set the defaults that these would set. It finds the API server by --kubeconfig.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/controllers"
)

func main() {
	flag.Parse() // --kubeconfig is the controller runtime's own
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintf(os.Stderr, "jobset: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 500 // its manager's defaults
	manager, err := newManager(config)
	if err != nil {
		return err
	}
	if err := controllers.SetupJobSetIndexes(ctx, manager.GetFieldIndexer()); err != nil {
		return err
	}
	reconciler := controllers.NewJobSetReconciler(manager.GetClient(), manager.GetScheme(),
		manager.GetEventRecorder("jobset"))
	if err := reconciler.SetupWithManager(manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func newManager(config *rest.Config) (ctrl.Manager, error) {
	types := runtime.NewScheme()
	if err := scheme.AddToScheme(types); err != nil {
		return nil, err
	}
	if err := v1alpha2.AddToScheme(types); err != nil {
		return nil, err
	}
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:                 types,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
}
