package scenarios

import (
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Room is left in two racks: of one a gang has all but two nodes, the other one is empty. Lone pods
// go where no such gang would fit any more.
func TestLonePodsAreSteered(t *testing.T) {
	const lone = 12
	s := begin(t, harness.Options{Steered: true})
	racks := append(shape.RackNodes(1, 3), shape.RackNodes(3, 8)...)
	s.fill("fill", 8, allNodesBut(racks...)...)
	s.must(plane.CreateJob(harness.GangJob("runs", 8, "rack=pack!"), 8))
	s.waitBound("runs", 8)
	s.must(plane.CreatePods(harness.Foreign("lone", 1), 0, lone))
	s.waitBound("lone", lone)
	rack := rackOf(view.Bound("runs")[0].Spec.NodeName)
	for _, pod := range view.Bound("lone") {
		if rackOf(pod.Spec.NodeName) != rack {
			s.Errorf("%s is on %s, where another gang would have had room", pod.Name, pod.Spec.NodeName)
		}
	}
	s.must(plane.CreateJob(harness.GangJob("next", 8, "rack=pack!"), 8))
	s.waitBound("next", 8)
}
