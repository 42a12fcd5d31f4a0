// The controllers of KubeRay for RayClusters and RayJobs, of its own module, without webhooks, which
// only refuse. They find the API server by --kubeconfig.
package main

import (
	"flag"
	"fmt"
	"os"

	settings "github.com/ray-project/kuberay/ray-operator/apis/config/v1alpha1"
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	flag.Parse() // --kubeconfig is the controller runtime's own
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "ray: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	client, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	client.QPS, client.Burst = 500, 500
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, rayv1.AddToScheme} {
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
	ctx, none := ctrl.SetupSignalHandler(), settings.Configuration{}
	clusters := ray.NewReconciler(ctx, manager, ray.RayClusterReconcilerOptions{}, none)
	if err := clusters.SetupWithManager(manager, 4); err != nil {
		return err
	}
	jobs := ray.NewRayJobReconciler(ctx, manager, ray.RayJobReconcilerOptions{}, none)
	if err := jobs.SetupWithManager(manager, 4); err != nil {
		return err
	}
	return manager.Start(ctx)
}
