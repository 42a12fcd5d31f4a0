package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// What manifests of people are made of: the resource of each kind, and where its pods' metadata
// stand.
type manifestKind struct {
	resource schema.GroupVersionResource
	pods     [][]string
}

var manifestKinds = map[string]manifestKind{
	"Pod":         {corev1.SchemeGroupVersion.WithResource("pods"), [][]string{{"metadata"}}},
	"Job":         {batchv1.SchemeGroupVersion.WithResource("jobs"), [][]string{templateMetadata}},
	"JobSet":      {jobSets, nil}, // in each of its parts
	"StatefulSet": {appsv1.SchemeGroupVersion.WithResource("statefulsets"), [][]string{templateMetadata}},
	"Deployment":  {appsv1.SchemeGroupVersion.WithResource("deployments"), [][]string{templateMetadata}},
	"PyTorchJob": {PyTorchJob.resource(), [][]string{
		{"spec", "pytorchReplicaSpecs", "Master", "template", "metadata"},
		{"spec", "pytorchReplicaSpecs", "Worker", "template", "metadata"}}},
	"MPIJob": {MPIJob.resource(), [][]string{
		{"spec", "mpiReplicaSpecs", "Launcher", "template", "metadata"},
		{"spec", "mpiReplicaSpecs", "Worker", "template", "metadata"}}},
	"RayCluster": {RayCluster.resource(), [][]string{ // and in each of its worker groups
		{"spec", "headGroupSpec", "template", "metadata"}}},
	"Workload": {schedulingv1alpha2.SchemeGroupVersion.WithResource("workloads"), nil},
	"PodGroup": {}, // of several systems: its own apiVersion tells which
	"LeaderWorkerSet": {leaderWorkerSets, [][]string{
		{"spec", "leaderWorkerTemplate", "leaderTemplate", "metadata"},
		{"spec", "leaderWorkerTemplate", "workerTemplate", "metadata"}}},
}

var templateMetadata = []string{"spec", "template", "metadata"}

// What the webhooks of a kind, which nobody serves, would set.
var manifestDefaults = map[string]map[string]any{
	"JobSet": {
		"successPolicy": map[string]any{"operator": "All"},
		"network":       map[string]any{"enableDNSHostnames": false}},
	"LeaderWorkerSet": {
		"networkConfig": map[string]any{"subdomainPolicy": "Shared"},
		"rolloutStrategy": map[string]any{"type": "RollingUpdate",
			"rollingUpdateConfiguration": map[string]any{
				"maxUnavailable": int64(1), "maxSurge": int64(0), "partition": int64(0)}}},
}

// ApplyExample makes what a file of examples/ says, each pod with the NameLabel `name`.
func (c *ControlPlane) ApplyExample(file, name string) error {
	text, err := os.ReadFile(filepath.Join(c.Env.Examples, file))
	if err != nil {
		return err
	}
	_, err = c.apply(string(text), name)
	return err
}

// ApplyOwner makes the one owner of a manifest, with NameLabel on its pods, and returns its name.
func (c *ControlPlane) ApplyOwner(manifest string) (string, error) { return c.apply(manifest, "") }

// apply returns the last object's name, which its pods have for their NameLabel where `name` is
// empty.
func (c *ControlPlane) apply(manifest, name string) (last string, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(manifest)), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
			return last, nil
		} else if err != nil {
			return "", err
		}
		last = object.GetName()
		label := name
		if label == "" {
			label = last
		}
		if err := c.create(object, label); err != nil {
			return "", err
		}
	}
}

func (c *ControlPlane) create(object *unstructured.Unstructured, name string) error {
	kind, known := manifestKinds[object.GetKind()]
	if !known {
		return fmt.Errorf("kind %q of a manifest is not known here", object.GetKind())
	}
	for _, path := range kind.pods {
		if err := setLabel(object.Object, name, path...); err != nil {
			return err
		}
	}
	if err := labelParts(object, name); err != nil {
		return err
	}
	for field, value := range manifestDefaults[object.GetKind()] {
		if err := unstructured.SetNestedField(object.Object, value, "spec", field); err != nil {
			return err
		}
	}
	if object.GetKind() == PodGroup.Kind {
		kind.resource = object.GroupVersionKind().GroupVersion().WithResource(PodGroup.Resource)
	}
	_, err := c.Dynamic.Resource(kind.resource).Namespace(Namespace).Create(context.Background(),
		object, metav1.CreateOptions{})
	return err
}

// The pods of the parts of a JobSet or a RayCluster: where the parts stand, and in each its pods'
// metadata.
var partsOf = map[string][]string{
	"replicatedJobs":   {"template", "spec", "template", "metadata"},
	"workerGroupSpecs": {"template", "metadata"},
}

// labelParts does so for the pods of each part.
func labelParts(object *unstructured.Unstructured, name string) error {
	for field, path := range partsOf {
		parts, found, err := unstructured.NestedSlice(object.Object, "spec", field)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		for _, part := range parts {
			if err := setLabel(part.(map[string]any), name, path...); err != nil {
				return err
			}
		}
		if err := unstructured.SetNestedField(object.Object, parts, "spec", field); err != nil {
			return err
		}
	}
	return nil
}

func setLabel(object map[string]any, name string, metadata ...string) error {
	return unstructured.SetNestedField(object, name, append(metadata[:len(metadata):len(metadata)],
		"labels", NameLabel)...)
}
