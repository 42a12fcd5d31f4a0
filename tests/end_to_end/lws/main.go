// The LeaderWorkerSet controllers of their own module, with the webhook that makes their pods what
// they are; the one for the sets themselves is left out: the definition has its defaults. It finds
// the API server by --kubeconfig.
package main

import (
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	leaderworkersetv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/controllers"
	"sigs.k8s.io/lws/pkg/webhooks"
)

func main() {
	port := flag.Int("webhook-port", 0, "on loopback")
	certificates := flag.String("certificates", "", "the directory of the webhook's server.pem and server.key")
	flag.Parse() // --kubeconfig is the controller runtime's own
	if err := run(*port, *certificates); err != nil {
		fmt.Fprintf(os.Stderr, "lws: %v\n", err)
		os.Exit(1)
	}
}

func run(port int, certificates string) error {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 500 // its manager's defaults
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port,
		CertDir: certificates, CertName: "server.pem", KeyName: "server.key"})
	manager, err := newManager(config, server)
	if err != nil {
		return err
	}
	if err := controllers.SetupIndexes(manager.GetFieldIndexer()); err != nil {
		return err
	}
	sets := controllers.NewLeaderWorkerSetReconciler(manager.GetClient(), manager.GetScheme(),
		manager.GetEventRecorder("leaderworkerset"))
	if err := sets.SetupWithManager(manager); err != nil {
		return err
	}
	pods := controllers.NewPodReconciler(manager.GetClient(), manager.GetScheme(),
		manager.GetEventRecorder("leaderworkerset"), nil)
	if err := pods.SetupWithManager(manager); err != nil {
		return err
	}
	if err := webhooks.NewPodWebhook(nil).Setup(manager); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func newManager(config *rest.Config, server webhook.Server) (ctrl.Manager, error) {
	types := runtime.NewScheme()
	if err := scheme.AddToScheme(types); err != nil {
		return nil, err
	}
	if err := leaderworkersetv1.AddToScheme(types); err != nil {
		return nil, err
	}
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:                 types,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		WebhookServer:          server,
	})
}
