package harness

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kueue's own controllers and scheduler, and its objects.

// QueueLabel names the LocalQueue of a Job.
const QueueLabel = "kueue.x-k8s.io/queue-name"

const teamQueue = "team"

func kueueKind(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: resource}
}

// RoomCheck is the AdmissionCheck of StartKueueWithCheck.
const RoomCheck = "room"

// StartKueue starts it with one queue, "team", of so many GPUs, of one flavor without a topology. It
// runs until StopKueue, which every test has to call that has started it.
func (c *ControlPlane) StartKueue(gpus int) error {
	if err := c.StartKueueAlone(); err != nil {
		return err
	}
	if err := c.createKueue("resourceflavors", "ResourceFlavor", "", teamQueue, map[string]any{}); err != nil {
		return err
	}
	return c.createQueue(teamQueue, gpus, nil)
}

// StartKueueWithCheck is the same with two queues, "team" and "other", of so many GPUs each, which share
// what they have, and an AdmissionCheck of Gangplan's on both. They are strict: Kueue looks at what waits in
// others a second after some quota has come back, and whoever gave it back has it again by then.
func (c *ControlPlane) StartKueueWithCheck(gpus int) error {
	if err := c.StartKueueAlone(); err != nil {
		return err
	}
	err := c.createKueue("admissionchecks", "AdmissionCheck", "", RoomCheck,
		map[string]any{"controllerName": "gangplan.io/room"})
	if err != nil {
		return err
	}
	if err := c.createKueue("resourceflavors", "ResourceFlavor", "", teamQueue, map[string]any{}); err != nil {
		return err
	}
	more := map[string]any{"cohortName": "all", "queueingStrategy": "StrictFIFO", "admissionChecksStrategy": map[string]any{
		"admissionChecks": []any{map[string]any{"name": RoomCheck}}}}
	if err := c.createQueue(teamQueue, gpus, more); err != nil {
		return err
	}
	return c.createQueue("other", gpus, more)
}

// StartKueuePlacing is StartKueue with a flavor of the nodes of this block that has a Topology, "default":
// Kueue places its Jobs there, too.
func (c *ControlPlane) StartKueuePlacing(gpus int, block string) error {
	if err := c.StartKueueAlone(); err != nil {
		return err
	}
	err := Eventually("the Topology is made", func() error {
		return c.CreateTopology("v1beta2", "default", BlockLabel, RackLabel, corev1.LabelHostname)
	})
	if err != nil {
		return err
	}
	err = c.createKueue("resourceflavors", "ResourceFlavor", "", teamQueue,
		map[string]any{"topologyName": "default", "nodeLabels": map[string]any{BlockLabel: block}})
	if err != nil {
		return err
	}
	return c.createQueue(teamQueue, gpus, nil)
}

// createQueue makes a ClusterQueue, and a LocalQueue of its name.
func (c *ControlPlane) createQueue(name string, gpus int, more map[string]any) error {
	quota := []any{}
	for resource, amount := range map[string]string{"cpu": "10000", "memory": "10000Gi", string(GPU): fmt.Sprint(gpus)} {
		quota = append(quota, map[string]any{"name": resource, "nominalQuota": amount})
	}
	spec := map[string]any{
		"namespaceSelector": map[string]any{},
		"resourceGroups": []any{map[string]any{
			"coveredResources": []any{"cpu", "memory", string(GPU)},
			"flavors":          []any{map[string]any{"name": teamQueue, "resources": quota}}}}}
	for key, value := range more {
		spec[key] = value
	}
	if err := c.createKueue("clusterqueues", "ClusterQueue", "", name, spec); err != nil {
		return err
	}
	return c.createKueue("localqueues", "LocalQueue", Namespace, name, map[string]any{"clusterQueue": name})
}

func (c *ControlPlane) createKueue(resource, kind, namespace, name string, spec map[string]any) error {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion("kueue.x-k8s.io/v1beta2")
	object.SetKind(kind)
	object.SetName(name)
	object.SetNamespace(namespace)
	_, err := c.Dynamic.Resource(kueueKind(resource)).Namespace(namespace).Create(
		context.Background(), object, metav1.CreateOptions{})
	return err
}

// StopKueue ends it when it has let go of all that it looks after; its Topology makes way for that of
// other tests.
func (c *ControlPlane) StopKueue() error {
	if err := c.DeleteEverything(); err != nil {
		return err
	}
	for _, one := range []struct{ resource, namespace string }{
		{"localqueues", Namespace}, {"workloads", Namespace}, {"clusterqueues", ""}, {"admissionchecks", ""},
		{"resourceflavors", ""}, {"topologies", ""}} {
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

// workloadOf is the Workload of a Job; nil: there is none yet.
func (c *ControlPlane) workloadOf(job string) (*unstructured.Unstructured, error) {
	workloads, err := c.Dynamic.Resource(kueueKind("workloads")).Namespace(Namespace).List(
		context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range workloads.Items {
		owners := workloads.Items[i].GetOwnerReferences()
		if len(owners) > 0 && owners[0].Name == job {
			return &workloads.Items[i], nil
		}
	}
	return nil, nil
}

// WorkloadCondition is what the Workload of a Job says: STATUS and the message.
func (c *ControlPlane) WorkloadCondition(job, kind string) (status, message string, err error) {
	workload, err := c.workloadOf(job)
	if err != nil || workload == nil {
		return "", "", err
	}
	conditions, _, err := unstructured.NestedSlice(workload.Object, "status", "conditions")
	for _, one := range conditions {
		if condition := one.(map[string]any); condition["type"] == kind {
			return fmt.Sprint(condition["status"]), fmt.Sprint(condition["message"]), err
		}
	}
	return "", "", err
}

// WhyNotAdmitted is what Kueue says of the Workload of a Job that has no quota.
func (c *ControlPlane) WhyNotAdmitted(job string) (string, error) {
	status, message, err := c.WorkloadCondition(job, "QuotaReserved")
	if status != "False" {
		message = ""
	}
	return message, err
}

// CheckState is what the Workload of a Job says of its one admission check: the state, the message and
// how often that was Retry.
func (c *ControlPlane) CheckState(job string) (state, message string, retries int64, err error) {
	workload, err := c.workloadOf(job)
	if err != nil || workload == nil {
		return "", "", 0, err
	}
	checks, _, err := unstructured.NestedSlice(workload.Object, "status", "admissionChecks")
	if err != nil || len(checks) == 0 {
		return "", "", 0, err
	}
	check := checks[0].(map[string]any)
	retries, _, err = unstructured.NestedInt64(check, "retryCount")
	return fmt.Sprint(check["state"]), fmt.Sprint(check["message"]), retries, err
}
