package harness

import (
	"errors"

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
	PaddleJob  = KubeflowKind{"PaddleJob", "paddlejobs", "paddleReplicaSpecs", "paddle"}

	kubeflowKinds = []KubeflowKind{PyTorchJob, TFJob, XGBoostJob, PaddleJob}
)

// Played is the kind where a test makes its pods.
func (k KubeflowKind) Played() PlayedKind {
	return PlayedKind{"kubeflow.org", "v1", k.Kind, k.Resource}
}

func (k KubeflowKind) resource() schema.GroupVersionResource { return k.Played().resource() }

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
	Type    string
	Spec    PodSpec
	Count   int
	Restart string // its policy; without one ExitCode
}

// SubmitKubeflow makes a job of this kind.
func (c *ControlPlane) SubmitKubeflow(kind KubeflowKind, name string, words map[string]string,
	replicas ...Replicas) error {
	specs := map[string]any{}
	for _, one := range replicas {
		template, err := one.Spec.object(kind.Container)
		if err != nil {
			return err
		}
		restart := one.Restart
		if restart == "" {
			restart = "ExitCode"
		}
		specs[one.Type] = map[string]any{"replicas": int64(one.Count), "restartPolicy": restart,
			"template": template}
	}
	_, err := c.Play(kind.Played(), name, words, map[string]any{kind.Specs: specs})
	return err
}

// DeleteKubeflow ends one job and its pods.
func (c *ControlPlane) DeleteKubeflow(kind KubeflowKind, name string) error {
	return c.DeletePlayed(kind.Played(), name)
}

// deleteKubeflow ends all of its jobs and their pods.
func (c *ControlPlane) deleteKubeflow() error {
	if !c.HasKubeflow() {
		return nil
	}
	var failed []error
	for _, kind := range kubeflowKinds {
		failed = append(failed, c.deleteAll(kind.Played()))
	}
	return errors.Join(failed...)
}
