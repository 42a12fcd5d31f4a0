package harness

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// MPIJobs, RayClusters and RayJobs by the controllers of their operators, which are built with
// `run --all`; else a test plays them.

// HasOperators says whether the controllers were built, and run.
func (c *ControlPlane) HasOperators() bool { return c.Env.MPI != "" && c.Env.Ray != "" }

// Their own definitions in place of those that take any spec.
func (c *ControlPlane) defineOperators() error {
	if !c.HasOperators() {
		return nil
	}
	return errors.Join(c.define(c.Env.MPI, MPIJob.resource()), c.define(c.Env.Ray, RayCluster.resource()),
		c.define(c.Env.Ray, RayJob.resource()))
}

func (c *ControlPlane) startOperators() error {
	if !c.HasOperators() {
		return nil
	}
	return errors.Join(c.startController("mpi", c.Env.MPI), c.startController("ray", c.Env.Ray))
}

// object is its template as a manifest has it, with a name for its container where that is not empty.
func (p PodSpec) object(container string) (map[string]any, error) {
	pod := p.template()
	if container != "" {
		pod.Spec.Containers[0].Name = container
	}
	pod.Spec.RestartPolicy = ""
	return runtime.DefaultUnstructuredConverter.ToUnstructured(&pod)
}

// SubmitMPI makes an MPIJob of a launcher and so many workers.
func (c *ControlPlane) SubmitMPI(name, policy string, words map[string]string, launcher, worker PodSpec,
	workers int) error {
	first, err := launcher.object("")
	if err != nil {
		return err
	}
	others, err := worker.object("")
	if err != nil {
		return err
	}
	_, err = c.Play(MPIJob, name, words, map[string]any{
		"slotsPerWorker":         int64(1),
		"launcherCreationPolicy": policy,
		"mpiReplicaSpecs": map[string]any{
			"Launcher": map[string]any{"replicas": int64(1), "template": first},
			"Worker":   map[string]any{"replicas": int64(workers), "template": others},
		},
	})
	return err
}

// rayCluster is the spec of one with a head and so many workers of one group, "small".
func rayCluster(head, worker PodSpec, workers int) (map[string]any, error) {
	first, err := head.object("")
	if err != nil {
		return nil, err
	}
	others, err := worker.object("")
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"headGroupSpec": map[string]any{"rayStartParams": map[string]any{}, "template": first},
		"workerGroupSpecs": []any{map[string]any{
			"groupName": "small", "replicas": int64(workers), "minReplicas": int64(0),
			"maxReplicas": int64(100), "rayStartParams": map[string]any{}, "template": others,
		}},
	}, nil
}

// SubmitRay makes a RayCluster of a head and so many workers.
func (c *ControlPlane) SubmitRay(name string, words map[string]string, head, worker PodSpec, workers int) error {
	spec, err := rayCluster(head, worker, workers)
	if err == nil {
		_, err = c.Play(RayCluster, name, words, spec)
	}
	return err
}

// SubmitRayJob makes a RayJob that makes such a RayCluster.
func (c *ControlPlane) SubmitRayJob(name string, words map[string]string, head, worker PodSpec, workers int) error {
	spec, err := rayCluster(head, worker, workers)
	if err == nil {
		_, err = c.Play(RayJob, name, words, map[string]any{"entrypoint": "true", "rayClusterSpec": spec})
	}
	return err
}

// ScaleRay says another number of workers.
func (c *ControlPlane) ScaleRay(name string, workers int) error {
	patch := fmt.Sprintf(`[{"op":"replace","path":"/spec/workerGroupSpecs/0/replicas","value":%d}]`, workers)
	_, err := c.Dynamic.Resource(RayCluster.resource()).Namespace(Namespace).Patch(context.Background(), name,
		types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// DeletePlayed ends one of them; its pods go with it.
func (c *ControlPlane) DeletePlayed(kind PlayedKind, name string) error {
	background := metav1.DeletePropagationBackground
	return c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Delete(context.Background(), name,
		metav1.DeleteOptions{PropagationPolicy: &background})
}
