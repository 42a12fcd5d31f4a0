package harness

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// CreateReplicaSet makes an owner that makes lost pods anew at once; a Job counts them as failed.
func (c *ControlPlane) CreateReplicaSet(spec PodSpec, size int) error {
	count, template := int32(size), spec.template()
	template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	template.Spec.TerminationGracePeriodSeconds = nil
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Namespace: Namespace},
		Spec: appsv1.ReplicaSetSpec{Replicas: &count, Template: template,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{NameLabel: spec.Name}}},
	}
	_, err := c.Client.AppsV1().ReplicaSets(Namespace).Create(context.Background(), set,
		metav1.CreateOptions{})
	return err
}

// CreateStatefulSet makes its pods at once, or one after the other as they get ready, which none
// does here.
func (c *ControlPlane) CreateStatefulSet(spec PodSpec, size int, inOrder bool) error {
	count, template := int32(size), spec.template()
	template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	policy := appsv1.ParallelPodManagement
	if inOrder {
		policy = appsv1.OrderedReadyPodManagement
	}
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Namespace: Namespace},
		Spec: appsv1.StatefulSetSpec{Replicas: &count, Template: template, PodManagementPolicy: policy,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{NameLabel: spec.Name}}},
	}
	_, err := c.Client.AppsV1().StatefulSets(Namespace).Create(context.Background(), set,
		metav1.CreateOptions{})
	return err
}

// CreateDeployment replaces all of its pods at once when its template becomes another one.
func (c *ControlPlane) CreateDeployment(spec PodSpec, size int) error {
	count, template, all, none := int32(size), spec.template(), intstr.FromString("100%"), intstr.FromInt32(0)
	template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Namespace: Namespace},
		Spec: appsv1.DeploymentSpec{Replicas: &count, Template: template,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &all, MaxSurge: &none}},
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{NameLabel: spec.Name}}},
	}
	_, err := c.Client.AppsV1().Deployments(Namespace).Create(context.Background(), deployment,
		metav1.CreateOptions{})
	return err
}

// PatchApp is a strategic merge patch of a StatefulSet or a Deployment, as kubectl sends it.
func (c *ControlPlane) PatchApp(resource, name, patch string) error {
	return c.Client.AppsV1().RESTClient().Patch(types.StrategicMergePatchType).Namespace(Namespace).
		Resource(resource).Name(name).Body([]byte(patch)).Do(context.Background()).Error()
}

// DeleteApp ends a StatefulSet or a Deployment, and its pods.
func (c *ControlPlane) DeleteApp(resource, name string) error {
	background := metav1.DeletePropagationBackground
	return c.Client.AppsV1().RESTClient().Delete().Namespace(Namespace).Resource(resource).Name(name).
		Body(&metav1.DeleteOptions{PropagationPolicy: &background}).Do(context.Background()).Error()
}

// deleteApps ends all StatefulSets and Deployments, and their pods.
func (c *ControlPlane) deleteApps() error {
	background := metav1.DeletePropagationBackground
	options, all := metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{}
	api := c.Client.AppsV1()
	return errors.Join(api.StatefulSets(Namespace).DeleteCollection(context.Background(), options, all),
		api.Deployments(Namespace).DeleteCollection(context.Background(), options, all))
}

// DeleteReplicaSet ends it and its pods.
func (c *ControlPlane) DeleteReplicaSet(name string) error {
	return c.Client.AppsV1().ReplicaSets(Namespace).Delete(context.Background(), name,
		metav1.DeleteOptions{})
}
