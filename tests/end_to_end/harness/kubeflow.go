package harness

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// KubeflowKind is one of the kinds of Kubeflow's training operator.
type KubeflowKind struct {
	Kind, Resource string
	Specs          string // the field with its replicas
	Container      string // the name that its container must have
}

var (
	PyTorchJob = KubeflowKind{"PyTorchJob", "pytorchjobs", "pytorchReplicaSpecs", "pytorch"}
	TFJob      = KubeflowKind{"TFJob", "tfjobs", "tfReplicaSpecs", "tensorflow"}
	XGBoostJob = KubeflowKind{"XGBoostJob", "xgboostjobs", "xgbReplicaSpecs", "xgboost"}

	kubeflowKinds = []KubeflowKind{PyTorchJob, TFJob, XGBoostJob}
)

func (k KubeflowKind) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kubeflow.org", Version: "v1", Resource: k.Resource}
}

// HasKubeflow says whether its controller was built, and runs.
func (c *ControlPlane) HasKubeflow() bool { return c.Env.Kubeflow != "" }

func (c *ControlPlane) defineKubeflow() error {
	if !c.HasKubeflow() {
		return nil
	}
	for _, kind := range kubeflowKinds {
		if err := c.define(c.Env.Kubeflow, kind.resource()); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) startKubeflow() error {
	if !c.HasKubeflow() {
		return nil
	}
	return c.startController("kubeflow", c.Env.Kubeflow)
}

// Replicas is so many pods of one type.
type Replicas struct {
	Type  string
	Spec  PodSpec
	Count int
}

// SubmitKubeflow makes a job of this kind.
func (c *ControlPlane) SubmitKubeflow(kind KubeflowKind, name string, words map[string]string,
	replicas ...Replicas) error {
	specs := map[string]any{}
	for _, one := range replicas {
		pod := one.Spec.template()
		pod.Spec.Containers[0].Name = kind.Container
		pod.Spec.RestartPolicy = ""
		template, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&pod)
		if err != nil {
			return err
		}
		specs[one.Type] = map[string]any{"replicas": int64(one.Count), "restartPolicy": "ExitCode",
			"template": template}
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{kind.Specs: specs}}}
	object.SetAPIVersion("kubeflow.org/v1")
	object.SetKind(kind.Kind)
	object.SetName(name)
	object.SetNamespace(Namespace)
	object.SetAnnotations(words)
	_, err := c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Create(context.Background(),
		object, metav1.CreateOptions{})
	return err
}

// DeleteKubeflow ends one job and its pods.
func (c *ControlPlane) DeleteKubeflow(kind KubeflowKind, name string) error {
	background := metav1.DeletePropagationBackground
	return c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Delete(context.Background(), name,
		metav1.DeleteOptions{PropagationPolicy: &background})
}

// deleteKubeflow ends all of its jobs and their pods.
func (c *ControlPlane) deleteKubeflow() error {
	if !c.HasKubeflow() {
		return nil
	}
	background := metav1.DeletePropagationBackground
	var failed []error
	for _, kind := range kubeflowKinds {
		failed = append(failed, c.Dynamic.Resource(kind.resource()).Namespace(Namespace).DeleteCollection(
			context.Background(), metav1.DeleteOptions{PropagationPolicy: &background},
			metav1.ListOptions{}))
	}
	return errors.Join(failed...)
}
