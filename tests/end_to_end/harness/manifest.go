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
	cluster  bool // it is of no namespace
}

var manifestKinds = map[string]manifestKind{
	"ConfigMap":   {resource: corev1.SchemeGroupVersion.WithResource("configmaps")},
	"Service":     {resource: corev1.SchemeGroupVersion.WithResource("services")},
	"Pod":         {resource: corev1.SchemeGroupVersion.WithResource("pods"), pods: [][]string{{"metadata"}}},
	"Job":         {resource: batchv1.SchemeGroupVersion.WithResource("jobs"), pods: [][]string{templateMetadata}},
	"JobSet":      {resource: jobSets}, // in each of its parts
	"StatefulSet": {resource: appsv1.SchemeGroupVersion.WithResource("statefulsets"), pods: [][]string{templateMetadata}},
	"Deployment":  {resource: appsv1.SchemeGroupVersion.WithResource("deployments"), pods: [][]string{templateMetadata}},
	"PyTorchJob":  {resource: PyTorchJob.resource(), pods: replicasOf("pytorchReplicaSpecs", "Master", "Worker")},
	"TFJob":       {resource: TFJob.resource(), pods: replicasOf("tfReplicaSpecs", "Chief", "PS", "Worker")},
	"XGBoostJob":  {resource: XGBoostJob.resource(), pods: replicasOf("xgbReplicaSpecs", "Master", "Worker")},
	"PaddleJob":   {resource: PaddleJob.resource(), pods: replicasOf("paddleReplicaSpecs", "Master", "Worker")},
	"MPIJob":      {resource: MPIJob.resource(), pods: replicasOf("mpiReplicaSpecs", "Launcher", "Worker")},
	"RayCluster": {resource: RayCluster.resource(), pods: [][]string{ // and in each of its worker groups
		{"spec", "headGroupSpec", "template", "metadata"}}},
	"RayJob": {resource: RayJob.resource(), pods: [][]string{ // likewise of its cluster
		{"spec", "rayClusterSpec", "headGroupSpec", "template", "metadata"}}},
	"TrainJob": {resource: TrainJob.resource()}, // whose pods a test makes
	"Workload": {resource: schedulingv1alpha2.SchemeGroupVersion.WithResource("workloads")},
	"PodGroup": {}, // of several systems: its own apiVersion tells which
	"LeaderWorkerSet": {resource: leaderWorkerSets, pods: [][]string{
		{"spec", "leaderWorkerTemplate", "leaderTemplate", "metadata"},
		{"spec", "leaderWorkerTemplate", "workerTemplate", "metadata"}}},
	"ResourceFlavor": {resource: kueueKind("resourceflavors"), cluster: true},
	"ClusterQueue":   {resource: kueueKind("clusterqueues"), cluster: true},
	"LocalQueue":     {resource: kueueKind("localqueues")},
}

// replicasOf is where the metadata of the pods of these types stand.
func replicasOf(specs string, types ...string) [][]string {
	var paths [][]string
	for _, one := range types {
		paths = append(paths, []string{"spec", specs, one, "template", "metadata"})
	}
	return paths
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
	namespace := Namespace
	if kind.cluster {
		namespace = ""
	}
	_, err := c.Dynamic.Resource(kind.resource).Namespace(namespace).Create(context.Background(),
		object, metav1.CreateOptions{})
	return err
}

// The pods of the parts of a JobSet, of a RayCluster, and of that of a RayJob: where the parts stand, and
// in each its pods' metadata.
var partsOf = []struct{ parts, pods []string }{
	{[]string{"spec", "replicatedJobs"}, []string{"template", "spec", "template", "metadata"}},
	{[]string{"spec", "workerGroupSpecs"}, []string{"template", "metadata"}},
	{[]string{"spec", "rayClusterSpec", "workerGroupSpecs"}, []string{"template", "metadata"}},
}

// labelParts does so for the pods of each part.
func labelParts(object *unstructured.Unstructured, name string) error {
	for _, kind := range partsOf {
		parts, found, err := unstructured.NestedSlice(object.Object, kind.parts...)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		for _, part := range parts {
			if err := setLabel(part.(map[string]any), name, kind.pods...); err != nil {
				return err
			}
		}
		if err := unstructured.SetNestedField(object.Object, parts, kind.parts...); err != nil {
			return err
		}
	}
	return nil
}

func setLabel(object map[string]any, name string, metadata ...string) error {
	return unstructured.SetNestedField(object, name, append(metadata[:len(metadata):len(metadata)],
		"labels", NameLabel)...)
}
