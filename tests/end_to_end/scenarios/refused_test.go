package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// What Gangplan has no model of, and learns from what the scheduler refuses.

// Each member has a volume of its own, that one rack's nodes have, far from where it would go.
func TestGangWithVolumes(t *testing.T) {
	const members = 4
	s := begin(t, harness.Options{})
	rack := map[string]string{harness.BlockLabel: "block-03", harness.RackLabel: "rack-05"}
	spec := harness.Gang("data", members, 8, "rack=pack!")
	for i := range members {
		spec.Claim = fmt.Sprintf("data-%d", i)
		s.must(plane.CreateClaim(spec.Claim, rack))
		s.Cleanup(func() { s.must(plane.DeleteClaim(fmt.Sprintf("data-%d", i))) })
		s.must(plane.CreatePod(spec, i))
	}
	for _, pod := range s.oneRack("data", members) {
		if node := view.Node(pod.Spec.NodeName); node.Labels[harness.BlockLabel] != rack[harness.BlockLabel] ||
			node.Labels[harness.RackLabel] != rack[harness.RackLabel] {
			s.Errorf("%s is on %s, which has not its volume", pod.Name, pod.Spec.NodeName)
		}
	}
}

// A spread constraint of its own allows a rack one member, where a rack would hold all. With all nodes in
// the scheduler's list it is learned; else the same is said as a rule.
func TestGangWithSpreadConstraint(t *testing.T) {
	const members = 3
	for _, one := range []struct {
		name, place string
		racks       int // that are free, of ten nodes
	}{{"learned", "block=pack!", members}, {"as a rule", "block=pack!; rack=spread!", 0}} {
		t.Run(one.name, func(t *testing.T) {
			s := begin(t, harness.Options{})
			var free []string
			for rack := range one.racks {
				free = append(free, shape.RackNodes(2, rack)...)
			}
			if one.racks > 0 {
				s.fill("fill", 8, allNodesBut(free...)...)
			}
			spec := harness.GangJob("web", 1, one.place)
			spec.SpreadBy = harness.RackLabel
			s.must(plane.CreateJob(spec, members))
			s.waitBound("web", members)
			s.checkExtent(view.Bound("web"), 1, members, members)
		})
	}
}
