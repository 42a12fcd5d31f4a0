package scenarios

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Members whose anti-affinity selects each other: the scheduler itself allows one a node.
func TestMembersApartOnNodes(t *testing.T) {
	s := begin(t, harness.Options{})
	spec := harness.GangJob("ring", 1, "rack=pack!")
	spec.ApartBy = corev1.LabelHostname
	s.must(plane.CreateJob(spec, 10))
	s.waitBound("ring", 10)
	s.checkJob("ring", 1, 1, 10)
}

// ... or one a rack.
func TestMembersApartInRacks(t *testing.T) {
	s := begin(t, harness.Options{})
	spec := harness.GangJob("ring", 1, "block=pack!")
	spec.ApartBy = harness.RackLabel
	s.must(plane.CreateJob(spec, 8))
	s.waitBound("ring", 8)
	s.checkJob("ring", 1, 8, 8)
}

// Two gangs of one kind, each in two racks, and three racks that are free: the second one waits
// until no pod of the first is left, and says why.
func TestGangsApartInRacks(t *testing.T) {
	s := begin(t, harness.Options{})
	kept := slices.Concat(shape.RackNodes(0, 0), shape.RackNodes(0, 1), shape.RackNodes(0, 2))
	s.fill("fill", 8, allNodesBut(kept...)...)
	spec := harness.Gang("first", 2, 1, "block=pack!")
	spec.ApartBy = harness.RackLabel
	s.must(plane.CreatePods(spec, 0, 2))
	s.waitBound("first", 2)
	spec = harness.Gang("second", 2, 1, "block=pack!")
	spec.ApartBy = harness.RackLabel
	s.must(plane.CreatePods(spec, 0, 2))
	s.waitTold("second", 2, "ruled out by pod anti-affinity")
	if _, bound := view.Count("second"); bound != 0 {
		t.Errorf("%d pods are bound beside those that they keep apart from", bound)
	}
	s.must(plane.DeletePods("first"))
	s.waitBound("second", 2)
	s.checkExtent(view.Bound("second"), 1, 2, 2)
}
