package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Pods of nobody's gang go on being placed while gangs start.
func TestForeignPodsFlow(t *testing.T) {
	s := begin(t, harness.Options{})
	const gangs, foreign = 6, 200
	for i := range gangs {
		name := fmt.Sprintf("gang%d", i)
		s.must(plane.CreateJob(harness.GangJob(name, 1, "block=pack!; rack=pack"), 80))
	}
	s.must(plane.CreatePods(harness.Foreign("crowd", 1), 0, foreign))
	s.waitBound("crowd", foreign)
	for i := range gangs {
		s.waitBound(fmt.Sprintf("gang%d", i), 80)
	}
	// The crowd was created after the gangs and still did not have to wait for the last of them.
	crowd := view.Bindings("crowd")
	t.Logf("the foreign pods were bound within %s of each other",
		seconds(crowd[foreign-1].At.Sub(crowd[0].At)))
}

// Room that is held for a gang is nobody else's, even when nothing else is left.
func TestForeignPodsLeaveHeldRoom(t *testing.T) {
	s := begin(t, harness.Options{})
	held, open := shape.RackNodes(2, 5), shape.RackNodes(4, 19)[:5] // 80 and 40 GPUs
	s.fill("fill", 8, allNodesBut(append(held, open...)...)...)
	spec := harness.Gang("gang", 80, 1, "rack=pack!")
	s.must(plane.CreatePods(spec, 0, 79))
	s.waitHeld("gang", 79)

	s.must(plane.CreatePods(harness.Foreign("crowd", 1), 0, 60))
	view.Wait(s, "40 foreign pods are bound, 20 say why they wait", func() (bool, string) {
		_, bound := view.Count("crowd")
		waiting, text := 0, ""
		for _, pod := range view.Pods("crowd") {
			if message := whyWaiting(pod); message != "" && pod.Spec.NodeName == "" {
				waiting, text = waiting+1, message
			}
		}
		return bound == 40 && waiting == 20, fmt.Sprintf("%d bound, %d wait: %s", bound, waiting, text)
	})
	for _, pod := range view.Bound("crowd") {
		if rackOf(pod.Spec.NodeName) == rackOf(held[0]) {
			s.Errorf("%s is on %s, which is held", pod.Name, pod.Spec.NodeName)
		}
	}
	s.must(plane.CreatePod(spec, 79))
	s.waitBound("gang", 80)
	s.checkExtent(view.Bound("gang"), 1, 1, 10)
	if _, bound := view.Count("crowd"); bound != 40 {
		s.Errorf("%d foreign pods are bound where 40 fit", bound)
	}
}

// A foreign pod of greater priority takes the node that wholly holds a gang, and that gang goes as a whole.
// The next one would take half of a gang: that node is no candidate, so it waits.
func TestPreemptorOfBoundMembers(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreatePriority("precious", 1_000_000))
	s.must(plane.CreatePriority("urgent", 1_000))
	s.must(plane.FillAt("precious", "fill", 8, allNodesBut(shape.RackNodes(1, 1)[:3]...)...))
	s.must(plane.CreatePods(harness.Gang("wide", 16, 1, "rack=pack!"), 0, 16))
	s.waitBound("wide", 16)
	s.checkExtent(view.Bound("wide"), 1, 1, 2)
	s.must(plane.CreatePods(harness.Gang("one", 8, 1, "rack=pack!"), 0, 8))
	s.waitBound("one", 8)
	node := view.Bound("one")[0].Spec.NodeName
	for _, name := range []string{"first", "second"} {
		urgent := harness.Foreign(name, 8)
		urgent.Priority = "urgent"
		s.must(plane.CreatePod(urgent, 0))
		if name == "second" {
			s.staysUnbound(name)
			continue
		}
		s.waitBound(name, 1)
		if got := view.Bound(name)[0].Spec.NodeName; got != node {
			s.Errorf("%s is on %s, and %s held a whole gang", name, got, node)
		}
	}
	if _, bound := view.Count("wide"); bound != 16 {
		s.Errorf("%d of the 16 pods of a gang on two nodes are left", bound)
	}
	if _, bound := view.Count("one"); bound != 0 {
		s.Errorf("%d of the 8 pods of the gang on one node are left", bound)
	}
}

// A pod of higher priority whose only victims are members held in bind gets the room at once: the
// gang lets go, nobody is deleted, and the gang starts later.
func TestPreemptorOfHeldMembers(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreatePriority("precious", 1_000_000))
	s.must(plane.CreatePriority("urgent", 1_000))
	pair := shape.RackNodes(1, 1)[:2]
	s.must(plane.FillAt("precious", "fill", 8, allNodesBut(pair...)...))
	spec := harness.Gang("gang", 16, 1, "rack=pack!")
	s.must(plane.CreatePods(spec, 0, 15))
	s.waitHeld("gang", 15)
	before := view.Pods("gang")

	urgent := harness.Foreign("urgent", 8)
	urgent.Priority = "urgent"
	s.must(plane.CreatePod(urgent, 0))
	s.waitBound("urgent", 1)
	after := view.Pods("gang")
	if len(after) != len(before) {
		s.Fatalf("%d members are left of %d", len(after), len(before))
	}
	for i, pod := range after {
		if pod.UID != before[i].UID || pod.DeletionTimestamp != nil {
			s.Errorf("%s was deleted for the preemptor", pod.Name)
		}
	}
	if _, bound := view.Count("gang"); bound != 0 {
		s.Errorf("%d members are bound though the gang has no room", bound)
	}
	s.must(plane.DeletePods("urgent"))
	s.must(plane.CreatePod(spec, 15))
	s.waitBound("gang", 16)
	s.checkExtent(view.Bound("gang"), 1, 1, 2)
}
