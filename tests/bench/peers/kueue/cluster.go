package main

import (
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	blockLabel  = "cloud.provider.com/topology-block"
	rackLabel   = "cloud.provider.com/topology-rack"
	gpu         = corev1.ResourceName("nvidia.com/gpu")
	gpusPerNode = 8
)

// shape is the size of a uniform cluster, and how much of it is in use.
type shape struct {
	blocks, racks, hosts int
	usedPermille         uint64 // of the nodes
}

// host is one node; the order of the names is the order of the nodes.
type host struct {
	block, rack, name string
	used              int // gpus
}

// usage draws the same numbers as the other program: the high 31 bits of a 64-bit linear
// congruential generator.
type usage struct{ state uint64 }

func (u *usage) draw() uint64 {
	u.state = u.state*6364136223846793005 + 1442695040888963407
	return u.state >> 33
}

func (s shape) cluster() []host {
	drawn := usage{state: 1}
	var hosts []host
	for b := range s.blocks {
		block := fmt.Sprintf("b%03d", b)
		for r := range s.racks {
			rack := fmt.Sprintf("%s-r%03d", block, r)
			for n := range s.hosts {
				h := host{block: block, rack: rack, name: fmt.Sprintf("%s-h%03d", rack, n)}
				if drawn.draw()%1000 < s.usedPermille {
					h.used = int(1 + drawn.draw()%gpusPerNode)
				}
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}

// digest is FNV-1a 64 over the lines "name used".
func digest(hosts []host) string {
	sum := fnv.New64a()
	for _, h := range hosts {
		fmt.Fprintf(sum, "%s %d\n", h.name, h.used)
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}

func (h host) node() *corev1.Node {
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: h.name, Labels: map[string]string{
			blockLabel: h.block, rackLabel: h.rack, corev1.LabelHostname: h.name,
		}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{ready},
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("96"),
				corev1.ResourceMemory: resource.MustParse("512Gi"),
				corev1.ResourcePods:   resource.MustParse("110"),
				gpu:                   resource.MustParse("8"),
			},
		},
	}
}
