package harness

import (
	"context"
	"encoding/json"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The words of Sakkara's users.
const (
	SakkaraTopologyLabel = "sakkara.topology"
	SakkaraGroupLabel    = "sakkara.group"
	SakkaraPodGroup      = "sakkara.group.name"
	SakkaraRank          = "sakkara.member.rank"
	SakkaraMemberStatus  = "sakkara.member.status"
)

// SakkaraTopologyNamespace is where topology objects count: the namespace that the role brings, not
// that of the pods.
const SakkaraTopologyNamespace = "gangplan"

// Racks is the nodes of each rack in a topology object.
type Racks map[string][]string

// Tree is the text of the object's key `tree`.
func (r Racks) Tree() string {
	tree := map[string]map[string]struct{}{}
	for rack, nodes := range r {
		tree[rack] = map[string]struct{}{}
		for _, node := range nodes {
			tree[rack][node] = struct{}{}
		}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		panic(err) // maps of strings always become JSON
	}
	return string(text)
}

// SakkaraTopology is a topology object with this text as its tree of racks and nodes.
func SakkaraTopology(name, tree string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: SakkaraTopologyNamespace,
			Labels: map[string]string{SakkaraTopologyLabel: ""}},
		Data: map[string]string{"name": name, "level-names": `["rack", "node"]`, "tree": tree,
			"resource-names": `["cpu", "memory", "nvidia.com/gpu"]`},
	}
}

// SakkaraGroup is a group object as its author writes it, beside the group's pods.
func SakkaraGroup(name string, size int, constraints string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace,
			Labels: map[string]string{SakkaraGroupLabel: ""}},
		Data: map[string]string{"name": name, "size": strconv.Itoa(size), "priority": "0",
			"constraints": constraints},
	}
}

// SakkaraPod is the pod of a group that an object describes.
func SakkaraPod(group string, gpus int) PodSpec {
	return PodSpec{Name: group, GPUs: gpus, Scheduler: GangScheduler,
		Label: map[string]string{SakkaraPodGroup: group}}
}

// Replace writes the object as `kubectl replace` does, or makes it: whatever it was
// told before is lost.
func (c *ControlPlane) Replace(object *corev1.ConfigMap) error {
	maps := c.Client.CoreV1().ConfigMaps(object.Namespace)
	_, err := maps.Update(context.Background(), object, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = maps.Create(context.Background(), object, metav1.CreateOptions{})
	}
	return err
}

// ConfigMap reads an object.
func (c *ControlPlane) ConfigMap(namespace, name string) (*corev1.ConfigMap, error) {
	return c.Client.CoreV1().ConfigMaps(namespace).Get(context.Background(), name,
		metav1.GetOptions{})
}

// DeleteConfigMap removes one; one that is gone already is fine.
func (c *ControlPlane) DeleteConfigMap(namespace, name string) error {
	err := c.Client.CoreV1().ConfigMaps(namespace).Delete(context.Background(), name,
		metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// DeleteSakkaraObjects removes every topology and every group object.
func (c *ControlPlane) DeleteSakkaraObjects() error {
	for namespace, label := range map[string]string{
		SakkaraTopologyNamespace: SakkaraTopologyLabel, Namespace: SakkaraGroupLabel,
	} {
		err := c.Client.CoreV1().ConfigMaps(namespace).DeleteCollection(context.Background(),
			metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: label})
		if err != nil {
			return err
		}
	}
	return nil
}
