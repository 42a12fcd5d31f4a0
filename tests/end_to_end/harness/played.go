package harness

import (
	"context"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Objects of kinds whose controllers are not here: a test makes the object, and the pods as the
// controller would. Their definitions take any spec.

// PlayedKind is one of these kinds.
type PlayedKind struct{ Group, Version, Kind, Resource string }

var (
	MPIJob     = PlayedKind{"kubeflow.org", "v2beta1", "MPIJob", "mpijobs"}
	RayCluster = PlayedKind{"ray.io", "v1", "RayCluster", "rayclusters"}
	RayJob     = PlayedKind{"ray.io", "v1", "RayJob", "rayjobs"}
	PodGroup   = PlayedKind{"scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups"}
	TrainJob   = PlayedKind{"trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs"}
	// Those of other schedulers.
	VolcanoPodGroup     = PlayedKind{"scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"}
	KoordinatorPodGroup = PlayedKind{"scheduling.sigs.k8s.io", "v1alpha1", "PodGroup", "podgroups"}
	VolcanoJob          = PlayedKind{"batch.volcano.sh", "v1alpha1", "Job", "jobs"}
	SparkApplication    = PlayedKind{"sparkoperator.k8s.io", "v1beta2", "SparkApplication", "sparkapplications"}
	// Of Kubeflow's training operator one whose controller is not in the release that runs here.
	JAXJob = PlayedKind{"kubeflow.org", "v1", "JAXJob", "jaxjobs"}

	playedKinds = []PlayedKind{MPIJob, RayJob, RayCluster, PodGroup, TrainJob, VolcanoPodGroup,
		KoordinatorPodGroup, VolcanoJob, SparkApplication, PaddleJob.Played(), JAXJob}
)

func (k PlayedKind) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}
}

func (c *ControlPlane) definePlayed() error {
	anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	for _, kind := range playedKinds {
		if c.isOperated(kind) {
			continue
		}
		err := c.post(definitions, map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1",
			"kind":       "CustomResourceDefinition",
			"metadata": map[string]any{"name": kind.Resource + "." + kind.Group,
				// What groups of k8s.io have to say, as Koordinator's does.
				"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, of others"}},
			"spec": map[string]any{
				"group": kind.Group,
				"scope": "Namespaced",
				"names": map[string]any{"kind": kind.Kind, "plural": kind.Resource},
				"versions": []any{map[string]any{"name": kind.Version, "served": true, "storage": true,
					"subresources": map[string]any{"status": map[string]any{}},
					"schema":       map[string]any{"openAPIV3Schema": anything}}},
			},
		})
		if err != nil {
			return err
		}
		if err := c.awaitServed(kind.resource()); err != nil {
			return err
		}
	}
	return nil
}

// isOperated is whether the kind's own controller runs here, with its own definition.
func (c *ControlPlane) isOperated(kind PlayedKind) bool {
	if kind == PaddleJob.Played() {
		return c.HasKubeflow()
	}
	_, operated := leastSpecs[kind.Kind]
	return operated && c.HasOperators()
}

// Play makes an object of the kind; the reference is that of its pods.
func (c *ControlPlane) Play(kind PlayedKind, name string, words map[string]string,
	spec map[string]any) (metav1.OwnerReference, error) {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(kind.Group + "/" + kind.Version)
	object.SetKind(kind.Kind)
	object.SetName(name)
	object.SetNamespace(Namespace)
	object.SetAnnotations(words)
	made, err := c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Create(context.Background(),
		object, metav1.CreateOptions{})
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	return OwnerOf(made), nil
}

// OwnerOf is the reference of what it controls.
func OwnerOf(object *unstructured.Unstructured) metav1.OwnerReference {
	controls := true
	return metav1.OwnerReference{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Name: object.GetName(),
		UID: object.GetUID(), Controller: &controls}
}

// PatchPlayed is a merge patch.
func (c *ControlPlane) PatchPlayed(kind PlayedKind, name, patch string) error {
	_, err := c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Patch(context.Background(), name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// PatchPlayedStatus is one of the status, by somebody of this name.
func (c *ControlPlane) PatchPlayedStatus(kind PlayedKind, name, patch, writer string) error {
	_, err := c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Patch(context.Background(), name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: writer}, "status")
	return err
}

// Played is the object as it stands.
func (c *ControlPlane) Played(kind PlayedKind, name string) (*unstructured.Unstructured, error) {
	return c.Dynamic.Resource(kind.resource()).Namespace(Namespace).Get(context.Background(), name,
		metav1.GetOptions{})
}

// CreatePodFor makes one pod of an owner.
func (c *ControlPlane) CreatePodFor(owner metav1.OwnerReference, spec PodSpec, name string) error {
	template := spec.template()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = name
	pod.OwnerReferences = []metav1.OwnerReference{owner}
	_, err := c.Client.CoreV1().Pods(Namespace).Create(context.Background(), pod,
		metav1.CreateOptions{})
	return err
}

// deletePlayed ends all of them; their pods go with them.
func (c *ControlPlane) deletePlayed() error {
	var failed []error
	for _, kind := range playedKinds {
		failed = append(failed, c.deleteAll(kind))
	}
	return errors.Join(failed...)
}

func (c *ControlPlane) deleteAll(kind PlayedKind) error {
	background := metav1.DeletePropagationBackground
	return c.Dynamic.Resource(kind.resource()).Namespace(Namespace).DeleteCollection(context.Background(),
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
}

// What the definitions of these kinds want at least. Their operators make no pods for it.
var leastSpecs = map[string]map[string]any{
	"MPIJob":     {"mpiReplicaSpecs": map[string]any{}},
	"RayCluster": {"headGroupSpec": map[string]any{"template": map[string]any{}}},
	"RayJob":     {},
	"PyTorchJob": {"pytorchReplicaSpecs": map[string]any{}},
	"TFJob":      {"tfReplicaSpecs": map[string]any{}},
	"XGBoostJob": {"xgbReplicaSpecs": map[string]any{}},
	"PaddleJob":  {"paddleReplicaSpecs": map[string]any{}},
}

// LeastSpec is a spec that the definition of the kind takes.
func LeastSpec(kind string) map[string]any {
	if spec, wants := leastSpecs[kind]; wants {
		return spec
	}
	return map[string]any{}
}

// CreatePodOf makes one pod of an owner of this kind. That one is there where the server has its kind:
// else the garbage collector would take the pod away.
func (c *ControlPlane) CreatePodOf(version, kind string, spec PodSpec) error {
	group, short, _ := strings.Cut(version, "/")
	one := PlayedKind{group, short, kind, strings.ToLower(kind) + "s"}
	controls := true
	owner := metav1.OwnerReference{APIVersion: version, Kind: kind, Name: spec.Name,
		UID: types.UID("of-" + spec.Name), Controller: &controls}
	_, err := c.Dynamic.Resource(one.resource()).Namespace(Namespace).List(context.Background(), metav1.ListOptions{})
	if err == nil {
		if owner, err = c.Play(one, spec.Name, nil, leastSpecs[kind]); err != nil {
			return err
		}
	}
	return c.CreatePodFor(owner, spec, PodName(spec.Name, 0))
}
