package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// A gang keeps two nodes of its rack. Others get nothing of them; a member whose node is lost goes
// there at once, though nothing else is free; and a gang of greater priority gets them all.
func TestSpareNodes(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreatePriority("greater", 1000))
	rack := shape.NodeNames()[:10] // of the first rack
	s.fill("other", 8, allNodesBut(rack...)...)
	words := map[string]string{harness.PlaceKey: "rack=pack!", "gangplan.io/spares": "2"}
	s.must(plane.CreateJob(harness.WordedJob("train", 8, words), 6))
	s.waitBound("train", 6)
	s.waitSpares("train", 2)

	// Two of the four nodes that are left are free.
	s.must(plane.CreateJob(harness.GangJob("three", 8, "rack=pack!"), 3))
	s.waitTold("three", 3, "no rack has room for all of them now")
	s.must(plane.DeleteJob("three"))
	s.must(plane.CreateJob(harness.GangJob("two", 8, "rack=pack!"), 2))
	s.waitBound("two", 2)

	lost := view.Bound("train")[0]
	s.must(plane.Cordon(lost.Spec.NodeName, true))
	s.Cleanup(func() { s.must(plane.Cordon(lost.Spec.NodeName, false)) })
	s.must(plane.DeletePod(lost.Name))
	view.Wait(s, "the lost member runs on another node", func() (bool, string) {
		bound := view.Bound("train")
		for _, pod := range bound {
			if pod.UID == lost.UID || pod.Spec.NodeName == lost.Spec.NodeName {
				return false, pod.Name + " is still there"
			}
		}
		return len(bound) == 6, fmt.Sprintf("%d are bound", len(bound))
	})
	s.waitSpares("train", 1)

	great := harness.GangJob("great", 8, "rack=pack!")
	great.Priority = "greater"
	s.must(plane.CreateJob(great, 1))
	s.waitBound("great", 1)
	s.waitSpares("train", 0)
}

// waitSpares waits until so many of two spare nodes are kept.
func (s scenario) waitSpares(gang string, count int) {
	s.Helper()
	want := fmt.Sprintf("%d of 2 spare nodes are kept", count)
	view.Wait(s, want, func() (bool, string) {
		text := s.command("explain", harness.Namespace+"/"+gang)
		return strings.Contains(text, want), text
	})
}
