package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	scheduler "sigs.k8s.io/kueue/pkg/cache/scheduler"
	utiltas "sigs.k8s.io/kueue/pkg/util/tas"
)

const (
	topologyName = "racks"
	flavorName   = "gpu-nodes"
	queueName    = "research"
	podSetName   = "workers"
)

// emptyServer is an API server without objects. A new ClusterQueue makes the cache list its
// LocalQueues and Workloads; any other call would stop the program at the nil interface.
type emptyServer struct{ client.Client }

func (emptyServer) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// fill makes a cache with one topology, flavor and queue, and the load of the hosts.
func fill(ctx context.Context, hosts []host) (*scheduler.Cache, error) {
	log := ctrl.LoggerFrom(ctx)
	cache := scheduler.New(emptyServer{})
	cache.AddOrUpdateTopology(log, &kueue.Topology{
		ObjectMeta: metav1.ObjectMeta{Name: topologyName},
		Spec: kueue.TopologySpec{Levels: []kueue.TopologyLevel{
			{NodeLabel: blockLabel}, {NodeLabel: rackLabel}, {NodeLabel: corev1.LabelHostname}}},
	})
	topology := kueue.TopologyReference(topologyName)
	cache.AddOrUpdateResourceFlavor(log, &kueue.ResourceFlavor{
		ObjectMeta: metav1.ObjectMeta{Name: flavorName},
		Spec:       kueue.ResourceFlavorSpec{TopologyName: &topology},
	})
	for _, h := range hosts {
		cache.TASCache().SyncNode(h.node())
	}
	if err := cache.AddClusterQueue(ctx, queue()); err != nil {
		return nil, err
	}
	for gpus := 1; gpus <= gpusPerNode; gpus++ {
		load := loadOf(hosts, gpus)
		if load != nil && !cache.AddOrUpdateWorkload(log, load) {
			return nil, fmt.Errorf("the cache does not take workload %s", load.Name)
		}
	}
	return cache, nil
}

// queue has quota for everything, so that topology alone decides.
func queue() *kueue.ClusterQueue {
	plenty := resource.MustParse("1P")
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, gpu}
	quotas := kueue.FlavorQuotas{Name: flavorName}
	for _, name := range names {
		quotas.Resources = append(quotas.Resources,
			kueue.ResourceQuota{Name: name, NominalQuota: plenty})
	}
	return &kueue.ClusterQueue{
		ObjectMeta: metav1.ObjectMeta{Name: queueName},
		Spec: kueue.ClusterQueueSpec{
			NamespaceSelector: &metav1.LabelSelector{},
			ResourceGroups: []kueue.ResourceGroup{
				{CoveredResources: names, Flavors: []kueue.FlavorQuotas{quotas}}},
		},
	}
}

// loadOf is the admitted workload with a pod of so many gpus on each host that uses as many; nil
// when there is none.
func loadOf(hosts []host, gpus int) *kueue.Workload {
	placed := utiltas.TopologyAssignment{Levels: []string{corev1.LabelHostname}}
	for _, h := range hosts {
		if h.used == gpus {
			placed.Domains = append(placed.Domains,
				utiltas.TopologyDomainAssignment{Values: []string{h.name}, Count: 1})
		}
	}
	pods := int32(len(placed.Domains))
	if pods == 0 {
		return nil
	}
	amount := func(gpus int64) corev1.ResourceList {
		return corev1.ResourceList{gpu: *resource.NewQuantity(gpus, resource.DecimalSI)}
	}
	anywhere := true
	workload := workloadOf(fmt.Sprintf("load-%d", gpus), pods, amount(int64(gpus)),
		&kueue.PodSetTopologyRequest{Unconstrained: &anywhere})
	workload.Status = kueue.WorkloadStatus{
		Conditions: []metav1.Condition{holds(kueue.WorkloadQuotaReserved), holds(kueue.WorkloadAdmitted)},
		Admission: &kueue.Admission{
			ClusterQueue: queueName,
			PodSetAssignments: []kueue.PodSetAssignment{{
				Name:               podSetName,
				Flavors:            map[corev1.ResourceName]kueue.ResourceFlavorReference{gpu: flavorName},
				ResourceUsage:      amount(int64(gpus) * int64(pods)),
				Count:              &pods,
				TopologyAssignment: utiltas.V1Beta2From(&placed),
			}},
		},
	}
	return workload
}

func holds(condition string) metav1.Condition {
	return metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Bench"}
}
