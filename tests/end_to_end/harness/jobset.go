package harness

import (
	"context"
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// What the JobSet controller writes on Jobs and pods.
const (
	JobSetNameKey     = "jobset.sigs.k8s.io/jobset-name"
	ReplicatedJobKey  = "jobset.sigs.k8s.io/replicatedjob-name"
	JobIndexKey       = "jobset.sigs.k8s.io/job-index"
	RestartAttemptKey = "jobset.sigs.k8s.io/restart-attempt"
	JobSetExclusive   = "alpha.jobset.sigs.k8s.io/exclusive-topology" // what people write
)

var jobSets = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}

func (c *ControlPlane) defineJobSets() error { return c.define(c.Env.JobSet, jobSets) }

func (c *ControlPlane) startJobSets() error { return c.startController("jobset", c.Env.JobSet) }

func (c *ControlPlane) jobSets() dynamic.ResourceInterface {
	return c.Dynamic.Resource(jobSets).Namespace(Namespace)
}

// ReplicatedJob is so many Jobs alike of so many pods each.
type ReplicatedJob struct {
	Name       string
	Spec       PodSpec
	Jobs, Pods int
	DependsOn  string            // that one is ready first
	Words      map[string]string // annotations of its Jobs
}

// JobSet is what the tests vary in one. Nobody serves its webhooks: what these would default is
// written out.
type JobSet struct {
	Name      string
	Parts     []ReplicatedJob
	Words     map[string]string // annotations
	Suspended bool              // until Gangplan starts it
	InOrder   bool
	Restarts  int // how often it may be started anew
	Owner     *metav1.OwnerReference
}

func (j JobSet) object() (*unstructured.Unstructured, error) {
	var parts []any
	for _, part := range j.Parts {
		job, never := Job(part.Spec, part.Pods), int32(0)
		job.Spec.BackoffLimit = &never // a pod that fails is the JobSet's to mend
		template, err := runtime.DefaultUnstructuredConverter.ToUnstructured(
			&batchv1.JobTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: part.Words}, Spec: job.Spec})
		if err != nil {
			return nil, err
		}
		replicated := map[string]any{"name": part.Name, "replicas": int64(part.Jobs), "groupName": "default",
			"template": template}
		if part.DependsOn != "" {
			replicated["dependsOn"] = []any{map[string]any{"name": part.DependsOn, "status": "Ready"}}
		}
		parts = append(parts, replicated)
	}
	order := "AnyOrder"
	if j.InOrder {
		order = "InOrder"
	}
	spec := map[string]any{
		"replicatedJobs": parts,
		"successPolicy":  map[string]any{"operator": "All"},
		"startupPolicy":  map[string]any{"startupPolicyOrder": order},
		"network":        map[string]any{"enableDNSHostnames": true, "publishNotReadyAddresses": true},
		"failurePolicy":  map[string]any{"maxRestarts": int64(j.Restarts)},
		"suspend":        j.Suspended,
	}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(jobSets.GroupVersion().String())
	object.SetKind("JobSet")
	object.SetName(j.Name)
	object.SetNamespace(Namespace)
	object.SetAnnotations(j.Words)
	if j.Owner != nil {
		object.SetOwnerReferences([]metav1.OwnerReference{*j.Owner})
	}
	if j.Suspended {
		object.SetLabels(map[string]string{SuspendedKey: "true"})
	}
	return object, nil
}

// SubmitJobSet makes it; `dry` only says what it would be.
func (c *ControlPlane) SubmitJobSet(set JobSet, dry bool) (*unstructured.Unstructured, error) {
	object, err := set.object()
	if err != nil {
		return nil, err
	}
	options := metav1.CreateOptions{}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return c.jobSets().Create(context.Background(), object, options)
}

// JobSet is as it stands now.
func (c *ControlPlane) JobSet(name string) (*unstructured.Unstructured, error) {
	return c.jobSets().Get(context.Background(), name, metav1.GetOptions{})
}

// PatchJobSet is a merge patch, as kubectl sends it.
func (c *ControlPlane) PatchJobSet(name, patch string) error {
	_, err := c.jobSets().Patch(context.Background(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	return err
}

// DeleteJobSet returns when it and its Jobs are gone.
func (c *ControlPlane) DeleteJobSet(name string) error {
	foreground := metav1.DeletePropagationForeground
	err := c.jobSets().Delete(context.Background(), name,
		metav1.DeleteOptions{PropagationPolicy: &foreground})
	if err != nil {
		return err
	}
	return Eventually(name+" is gone", func() error {
		_, err := c.JobSet(name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is still there"))
	})
}

// JobsOf is the Jobs of a JobSet.
func (c *ControlPlane) JobsOf(name string) ([]batchv1.Job, error) {
	jobs, err := c.Client.BatchV1().Jobs(Namespace).List(context.Background(),
		metav1.ListOptions{LabelSelector: JobSetNameKey + "=" + name})
	if err != nil {
		return nil, err
	}
	return jobs.Items, nil
}

func (c *ControlPlane) deleteJobSets() error {
	background := metav1.DeletePropagationBackground
	err := c.jobSets().DeleteCollection(context.Background(),
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("deleting JobSets: %w", err)
	}
	return nil
}
