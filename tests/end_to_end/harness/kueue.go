package harness

import (
	"context"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kueue's own controllers and scheduler, which are built with `run --all`, and its objects.

// QueueLabel names the LocalQueue of a Job.
const QueueLabel = "kueue.x-k8s.io/queue-name"

const teamQueue = "team"

func kueueKind(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: resource}
}

// HasKueue says whether it was built.
func (c *ControlPlane) HasKueue() bool { return c.Env.Kueue != "" }

// StartKueue starts it with one queue, "team", of so many GPUs, of one flavor without a topology. It
// runs until StopKueue, which every test has to call that has started it.
func (c *ControlPlane) StartKueue(gpus int) error {
	if err := c.StartKueueAlone(); err != nil {
		return err
	}
	quota := []any{}
	for name, amount := range map[string]string{"cpu": "10000", "memory": "10000Gi", string(GPU): fmt.Sprint(gpus)} {
		quota = append(quota, map[string]any{"name": name, "nominalQuota": amount})
	}
	for _, one := range []struct {
		resource, kind, namespace string
		spec                      map[string]any
	}{
		{"resourceflavors", "ResourceFlavor", "", map[string]any{}},
		{"clusterqueues", "ClusterQueue", "", map[string]any{
			"namespaceSelector": map[string]any{},
			"resourceGroups": []any{map[string]any{
				"coveredResources": []any{"cpu", "memory", string(GPU)},
				"flavors":          []any{map[string]any{"name": teamQueue, "resources": quota}}}}}},
		{"localqueues", "LocalQueue", Namespace, map[string]any{"clusterQueue": teamQueue}},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{"spec": one.spec}}
		object.SetAPIVersion("kueue.x-k8s.io/v1beta2")
		object.SetKind(one.kind)
		object.SetName(teamQueue)
		object.SetNamespace(one.namespace)
		_, err := c.Dynamic.Resource(kueueKind(one.resource)).Namespace(one.namespace).Create(
			context.Background(), object, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// StopKueue ends it when it has let go of all that it looks after; its Topology makes way for that of
// other tests.
func (c *ControlPlane) StopKueue() error {
	if err := c.DeleteEverything(); err != nil {
		return err
	}
	for _, one := range []struct{ resource, namespace string }{
		{"localqueues", Namespace}, {"workloads", Namespace}, {"clusterqueues", ""}, {"resourceflavors", ""}} {
		objects := c.Dynamic.Resource(kueueKind(one.resource)).Namespace(one.namespace)
		if err := objects.DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return err
		}
		err := Eventually("no "+one.resource+" are left", func() error {
			left, err := objects.List(context.Background(), metav1.ListOptions{})
			if err == nil && len(left.Items) > 0 {
				err = fmt.Errorf("%d", len(left.Items))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	last := len(c.processes) - 1
	c.processes[last].Stop()
	c.processes = c.processes[:last]
	return c.RemoveTopologies()
}

// StartKueueAlone starts it without a queue, likewise until StopKueue.
func (c *ControlPlane) StartKueueAlone() error {
	if err := c.defineKueue(); err != nil {
		return err
	}
	return c.startController("kueue", c.Env.Kueue)
}

func (c *ControlPlane) defineKueue() error {
	files, err := os.ReadDir(c.Env.Kueue + ".crds")
	if err != nil {
		return err
	}
	for _, file := range files {
		var resource string
		if _, err := fmt.Sscanf(file.Name(), "kueue.x-k8s.io_%s", &resource); err != nil {
			continue
		}
		err := c.define(c.Env.Kueue, kueueKind(resource[:len(resource)-len(".yaml")]))
		if err != nil && !apierrors.IsAlreadyExists(err) { // by an earlier test
			return err
		}
	}
	return nil
}

// WhyNotAdmitted is what Kueue says of the Workload of a Job that has no quota.
func (c *ControlPlane) WhyNotAdmitted(job string) (string, error) {
	workloads, err := c.Dynamic.Resource(kueueKind("workloads")).Namespace(Namespace).List(
		context.Background(), metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, workload := range workloads.Items {
		owners := workload.GetOwnerReferences()
		if len(owners) == 0 || owners[0].Name != job {
			continue
		}
		conditions, _, err := unstructured.NestedSlice(workload.Object, "status", "conditions")
		if err != nil {
			return "", err
		}
		for _, one := range conditions {
			condition := one.(map[string]any)
			if condition["type"] == "QuotaReserved" && condition["status"] == "False" {
				return fmt.Sprint(condition["message"]), nil
			}
		}
	}
	return "", nil
}
