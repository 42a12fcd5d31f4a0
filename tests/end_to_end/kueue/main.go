// The controllers of Kueue for Jobs with its scheduler, of its own module, without its webhooks: who
// makes a Job for a queue makes it suspended. It finds the API server by --kubeconfig.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	settings "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/controller/jobs/job"
	"sigs.k8s.io/kueue/pkg/controller/tas"
	tasindexer "sigs.k8s.io/kueue/pkg/controller/tas/indexer"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
)

func main() {
	flag.Parse() // --kubeconfig is the controller runtime's own
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintf(os.Stderr, "kueue: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 500
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, kueue.AddToScheme, settings.AddToScheme} {
		if err := add(types); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 types,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	if err := setup(ctx, manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func setup(ctx context.Context, manager ctrl.Manager) error {
	defaults := &settings.Configuration{}
	manager.GetScheme().Default(defaults)
	expectations, requeuer := preemptexpectations.New(), qcache.NewRequeuer()
	if err := manager.Add(requeuer); err != nil {
		return err
	}
	cache := schdcache.New(manager.GetClient())
	queues := qcache.NewManager(manager.GetClient(), cache, requeuer,
		qcache.WithPreemptionExpectations(expectations))
	for _, index := range []func() error{
		func() error { return indexer.Setup(ctx, manager.GetFieldIndexer()) },
		func() error { return job.SetupIndexes(ctx, manager.GetFieldIndexer()) },
		func() error { return tasindexer.SetupIndexes(ctx, manager.GetFieldIndexer()) },
	} {
		if err := index(); err != nil {
			return err
		}
	}
	failed, err := core.SetupControllers(manager, queues, cache, defaults,
		core.SetupControllersOpts{PreemptionExpectations: expectations})
	if err == nil {
		failed, err = tas.SetupControllers(manager, queues, cache, defaults, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", failed, err)
	}
	jobs, err := job.NewReconciler(ctx, manager.GetClient(), manager.GetFieldIndexer(),
		manager.GetEventRecorder(constants.JobControllerName), jobframework.WithCache(cache),
		jobframework.WithQueues(queues))
	if err != nil {
		return err
	}
	if err := jobs.SetupWithManager(manager); err != nil {
		return err
	}
	jobframework.EnableIntegration(job.FrameworkName)
	go func() {
		queues.CleanUpOnContext(ctx)
	}()
	go func() {
		cache.CleanUpOnContext(ctx)
	}()
	return manager.Add(scheduler.New(queues, cache, manager.GetClient(),
		manager.GetEventRecorder(constants.AdmissionName),
		scheduler.WithPreemptionExpectations(expectations)))
}
