package harness

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The labels of the topology and the resource that gangs ask for.
const (
	BlockLabel = "example.com/block"
	RackLabel  = "example.com/rack"
	PoolLabel  = "e2e.gangplan.io/pool" // whose nodes they are, of several pairs
	GPU        = corev1.ResourceName("nvidia.com/gpu")
	parallel   = 32 // requests of ours at once
)

// Shape of the cluster: Blocks x Racks x Nodes, with GPUs on every node. Racks bear the same names
// in every block, so that only a whole path tells them apart.
type Shape struct{ Blocks, Racks, Nodes, GPUs int }

// Total is the number of nodes.
func (s Shape) Total() int { return s.Blocks * s.Racks * s.Nodes }

// NodeNames is every node of the shape in the order of the tree.
func (s Shape) NodeNames() []string {
	names := make([]string, 0, s.Total())
	for block := range s.Blocks {
		for rack := range s.Racks {
			names = append(names, s.RackNodes(block, rack)...)
		}
	}
	return names
}

// RackNodes is the nodes of one rack in their order.
func (s Shape) RackNodes(block, rack int) []string {
	names := make([]string, s.Nodes)
	for node := range s.Nodes {
		names[node] = fmt.Sprintf("n-%02d-%02d-%02d", block, rack, node)
	}
	return names
}

func (s Shape) node(name string) (*corev1.Node, error) {
	var block, rack, node int
	if _, err := fmt.Sscanf(name, "n-%d-%d-%d", &block, &rack, &node); err != nil {
		return nil, fmt.Errorf("%s is not a node of the shape: %w", name, err)
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name,
		Labels: map[string]string{
			BlockLabel:           fmt.Sprintf("block-%02d", block),
			RackLabel:            fmt.Sprintf("rack-%02d", rack),
			corev1.LabelHostname: name,
		},
	}}, nil
}

// status is that of a node which is ready.
func (s Shape) status() corev1.NodeStatus {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("512Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
		GPU:                   *resource.NewQuantity(int64(s.GPUs), resource.DecimalSI),
	}
	return corev1.NodeStatus{
		Capacity: capacity, Allocatable: capacity,
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
			LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
		}},
	}
}

// CreateNodes makes the named nodes of the shape, ready and empty.
func (c *ControlPlane) CreateNodes(shape Shape, names ...string) error {
	return inParallel(names, func(ctx context.Context, name string) error {
		node, err := shape.node(name)
		if err != nil {
			return err
		}
		created, err := c.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Status = shape.status()
		_, err = c.Client.CoreV1().Nodes().UpdateStatus(ctx, created, metav1.UpdateOptions{})
		return err
	})
}

// DeleteNode removes the node, as when a machine is taken away.
func (c *ControlPlane) DeleteNode(name string) error {
	err := c.Client.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Cordon marks the node unschedulable, or schedulable again.
func (c *ControlPlane) Cordon(name string, cordoned bool) error {
	patch := fmt.Sprintf(`{"spec":{"unschedulable":%t}}`, cordoned)
	_, err := c.Client.CoreV1().Nodes().Patch(context.Background(), name,
		"application/strategic-merge-patch+json", []byte(patch), metav1.PatchOptions{})
	return err
}

// LabelNode gives the node a label; without a value it has none.
func (c *ControlPlane) LabelNode(name, label, value string) error {
	quoted := "null"
	if value != "" {
		quoted = fmt.Sprintf("%q", value)
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%s}}}`, label, quoted)
	_, err := c.Client.CoreV1().Nodes().Patch(context.Background(), name,
		"application/strategic-merge-patch+json", []byte(patch), metav1.PatchOptions{})
	return err
}

// AnnotateNode gives the node an annotation; without a value it has none.
func (c *ControlPlane) AnnotateNode(name, annotation, value string) error {
	quoted := "null"
	if value != "" {
		quoted = fmt.Sprintf("%q", value)
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, annotation, quoted)
	_, err := c.Client.CoreV1().Nodes().Patch(context.Background(), name,
		"application/merge-patch+json", []byte(patch), metav1.PatchOptions{})
	return err
}

// SetReady says of the node what its kubelet, or the one who misses that kubelet, would say.
func (c *ControlPlane) SetReady(name string, ready corev1.ConditionStatus) error {
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"%s"}]}}`, ready)
	_, err := c.Client.CoreV1().Nodes().Patch(context.Background(), name,
		"application/strategic-merge-patch+json", []byte(patch), metav1.PatchOptions{}, "status")
	return err
}

func inParallel[T any](items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(parallel)
	for _, item := range items {
		group.Go(func() error { return do(ctx, item) })
	}
	return group.Wait()
}

// InParallel does it for every item, as many at once as the harness has requests; the first error
// ends it.
func InParallel[T any](items []T, do func(T) error) error {
	return inParallel(items, func(_ context.Context, item T) error { return do(item) })
}
