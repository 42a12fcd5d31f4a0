package harness

import (
	"context"
	"time"

	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

const nativeGangGates = "--feature-gates=GenericWorkload=true,GangScheduling=true"

// NativeGangFlags have the API server of Kubernetes 1.36 serve kube-scheduler's own gangs.
func NativeGangFlags() []string {
	return []string{nativeGangGates, "--runtime-config=scheduling.k8s.io/v1alpha2=true"}
}

// CreatePodGroup makes a Workload and its PodGroup, of which `members` pods start together or none.
func (c *ControlPlane) CreatePodGroup(name string, members int) error {
	const template = "members"
	ctx, options, api := context.Background(), metav1.CreateOptions{}, c.Client.SchedulingV1alpha2()
	meta := metav1.ObjectMeta{Name: name, Namespace: Namespace}
	policy := schedulingv1alpha2.PodGroupSchedulingPolicy{
		Gang: &schedulingv1alpha2.GangSchedulingPolicy{MinCount: int32(members)}}
	_, err := api.Workloads(Namespace).Create(ctx, &schedulingv1alpha2.Workload{
		ObjectMeta: meta,
		Spec: schedulingv1alpha2.WorkloadSpec{PodGroupTemplates: []schedulingv1alpha2.PodGroupTemplate{
			{Name: template, SchedulingPolicy: policy}}},
	}, options)
	if err != nil {
		return err
	}
	_, err = api.PodGroups(Namespace).Create(ctx, &schedulingv1alpha2.PodGroup{
		ObjectMeta: meta,
		Spec: schedulingv1alpha2.PodGroupSpec{
			PodGroupTemplateRef: &schedulingv1alpha2.PodGroupTemplateReference{
				Workload: &schedulingv1alpha2.WorkloadPodGroupTemplateReference{
					WorkloadName: name, PodGroupTemplateName: template}},
			SchedulingPolicy: policy,
		},
	}, options)
	return err
}

// DeletePodGroups removes all of them and their Workloads, and waits until they have gone: a
// controller keeps each until it has seen that its pods have.
func (c *ControlPlane) DeletePodGroups() error {
	ctx, api := context.Background(), c.Client.SchedulingV1alpha2()
	immediately := int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &immediately}
	if err := api.PodGroups(Namespace).DeleteCollection(ctx, options, metav1.ListOptions{}); err != nil {
		return err
	}
	if err := api.Workloads(Namespace).DeleteCollection(ctx, options, metav1.ListOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, Deadline, true,
		func(ctx context.Context) (bool, error) {
			left, err := api.PodGroups(Namespace).List(ctx, metav1.ListOptions{Limit: 1})
			return err == nil && len(left.Items) == 0, err
		})
}
