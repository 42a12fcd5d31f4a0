package harness

import (
	"context"

	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const nativeGangGates = "--feature-gates=GenericWorkload=true,GangScheduling=true"

// NativeGangFlags have the API server of Kubernetes 1.36 serve kube-scheduler's own gangs.
func NativeGangFlags() []string {
	return []string{nativeGangGates, "--runtime-config=scheduling.k8s.io/v1alpha2=true"}
}

// CreatePodGroup makes a Workload and its PodGroup, of which `members` pods start together or none,
// with annotations on the PodGroup.
func (c *ControlPlane) CreatePodGroup(name string, members int, words map[string]string) error {
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
	meta.Annotations = words
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

// DeletePodGroups removes all of them and their Workloads. The finalizer of each goes by hand: the
// controller that takes it away is not among those that run here.
func (c *ControlPlane) DeletePodGroups() error {
	ctx, api := context.Background(), c.Client.SchedulingV1alpha2()
	groups, err := api.PodGroups(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	immediately := int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &immediately}
	for _, group := range groups.Items {
		if err := api.PodGroups(Namespace).Delete(ctx, group.Name, options); err != nil {
			return err
		}
		_, err := api.PodGroups(Namespace).Patch(ctx, group.Name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil && !errors.IsNotFound(err) {
			return err
		}
	}
	return api.Workloads(Namespace).DeleteCollection(ctx, options, metav1.ListOptions{})
}
