package scenarios

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// Members come one by one. Nothing starts before the last, and nobody else gets their room.
func TestMembersCreatedSlowly(t *testing.T) {
	const members, pause = 40, 200 * time.Millisecond
	s := begin(t, harness.Options{})
	rack := shape.RackNodes(2, 11)
	s.fill("fill", 8, allNodesBut(rack...)...)
	spec := harness.Gang("slow", members, 2, "rack=pack!") // 80 GPUs: the whole rack
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for i := range members - 1 {
		<-ticker.C
		s.must(plane.CreatePod(spec, i))
		if i == members/2 {
			s.must(plane.CreatePods(harness.Foreign("rival", 1), 0, 5))
		}
	}
	s.waitHeld("slow", members-1)
	view.Wait(s, "the rivals say why they wait", func() (bool, string) {
		count, text := told("rival", "room is held for a gang")
		return count == 5, fmt.Sprintf("%d of 5: %s", count, text)
	})
	if _, bound := view.Count("rival"); bound != 0 {
		s.Fatalf("%d foreign pods have got room that is held", bound)
	}
	last := time.Now()
	s.must(plane.CreatePod(spec, members-1))
	s.waitBound("slow", members)
	if first := view.Bindings("slow")[0]; first.At.Before(last) {
		s.Errorf("%s was bound %s before the last member was created", first.Pod,
			seconds(last.Sub(first.At)))
	}
	s.checkExtent(view.Bound("slow"), 1, 1, 10)
	if _, bound := view.Count("rival"); bound != 0 {
		s.Errorf("%d foreign pods are bound in a full cluster", bound)
	}
}

// The last member does not come. Its gang lets go of the room at the time-out and does not take it
// again by itself, but starts as soon as the member comes.
func TestLastMemberComesTooLate(t *testing.T) {
	const members, gather = 10, 4 * time.Second
	s := begin(t, harness.Options{GatherTimeout: gather})
	rack := shape.RackNodes(0, 0)
	s.fill("fill", 8, allNodesBut(rack...)...)
	spec := harness.Gang("torso", members, 8, "rack=pack!")
	start := time.Now()
	s.must(plane.CreatePods(spec, 0, members-1))
	s.waitHeld("torso", members-1)
	s.waitHeld("torso", 0)
	if held := time.Since(start); held < gather {
		s.Errorf("the room was given back after %s, before the time-out of %s", seconds(held), gather)
	}
	// The scheduler tries the members again and again; the gang must not take the room for them.
	view.Never(s, "the gang takes its room again", gather+2*time.Second, func() (bool, string) {
		held := s.Verbs.Held("torso")
		_, bound := view.Count("torso")
		return held+bound > 0, fmt.Sprintf("%d in bind, %d bound", held, bound)
	})
	s.must(plane.CreatePod(harness.Foreign("guest", 8), 0))
	s.waitBound("guest", 1)
	if node := view.Bound("guest")[0].Spec.NodeName; !slices.Contains(rack, node) {
		s.Errorf("the foreign pod is on %s, outside of the only free rack", node)
	}
	s.must(plane.DeletePods("guest"))
	view.Wait(s, "the guest is gone", func() (bool, string) {
		pods, _ := view.Count("guest")
		return pods == 0, ""
	})

	s.must(plane.CreatePod(spec, members-1))
	s.waitBound("torso", members)
	s.checkExtent(view.Bound("torso"), 1, 1, 10)
}
