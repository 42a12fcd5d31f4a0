package scenarios

import (
	"fmt"
	"slices"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Beside a scheduler that was not configured for Gangplan each pod is released to its own node, in
// the order of the ranks.
func TestUnaskedGatedGang(t *testing.T) {
	const members = 40
	s := begin(t, harness.Options{Gates: "gangplan", Unasked: true})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 7)...)...)
	s.must(plane.CreateJob(harness.GatedJob("trainer", 2, "rack=pack!"), members))
	s.waitBound("trainer", members)
	s.checkExtent(view.Bound("trainer"), 1, 1, 10)
	for _, pod := range view.Bound("trainer") {
		if namesIn(pod) != 1 || !mayUse(pod, pod.Spec.NodeName) {
			s.Errorf("%s is on %s, and was not released to it", pod.Name, pod.Spec.NodeName)
		}
		if rank := pod.Annotations[harness.AssignedRankKey]; rank != fmt.Sprint(index(pod)) {
			s.Errorf("%s has rank %s", pod.Name, rank)
		}
	}
}

// A Job that waits suspended is started with the nodes of its domain.
func TestUnaskedSuspendedJob(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true, Unasked: true})
	rack := shape.RackNodes(1, 7)
	s.fill("fill", 8, allNodesBut(rack...)...)
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("trainer", 2, "rack=pack!"), 40)))
	s.waitBound("trainer", 40)
	for _, pod := range view.Bound("trainer") {
		if names := namesIn(pod); names != len(rack) || !slices.Contains(rack, pod.Spec.NodeName) {
			s.Errorf("%s is on %s and may use %d nodes by name", pod.Name, pod.Spec.NodeName, names)
		}
	}
}

// Others take the room of a gang that was released: its pods are made anew, and go elsewhere.
func TestUnaskedLosesItsRoom(t *testing.T) {
	const members = 10
	s := begin(t, harness.Options{Gates: "gangplan", Unasked: true})
	_, second := takeRoomOfReleased(s, members)
	view.Wait(s, "its pods are of the other rack", func() (bool, string) {
		there := 0
		for _, pod := range view.Pods("evicted") {
			if len(pod.Spec.SchedulingGates) == 0 &&
				slices.ContainsFunc(second, func(node string) bool { return mayUse(pod, node) }) {
				there++
			}
		}
		return there == members, fmt.Sprintf("%d of %d", there, members)
	})
	s.must(s.StartScheduler())
	s.waitBound("evicted", members)
	s.checkExtent(view.Bound("evicted"), 1, 1, members)
}

// takeRoomOfReleased has a gang of a ReplicaSet released to one of two racks while no scheduler runs,
// and others take that one. It returns that rack and the other.
func takeRoomOfReleased(s scenario, members int) (first, second []string) {
	s.Helper()
	racks := [][]string{shape.RackNodes(3, 3), shape.RackNodes(3, 4)}
	s.fill("fill", 8, allNodesBut(slices.Concat(racks...)...)...)
	s.Scheduler.Kill()
	spec := harness.GatedJob("evicted", 8, "rack=pack!")
	spec.Annotation[harness.SizeKey] = fmt.Sprint(members)
	s.must(plane.CreateReplicaSet(spec, members))
	s.Cleanup(func() { s.must(plane.DeleteReplicaSet("evicted")) })
	s.waitGated("evicted", members, 0)
	first, second = racks[0], racks[1]
	if slices.ContainsFunc(second, func(node string) bool { return mayUse(view.Pods("evicted")[0], node) }) {
		first, second = second, first
	}
	s.fill("others", 8, first...)
	return first, second
}

// Gangplan dies when a gang was released and nobody has bound it: the next one knows its room from
// its pods, and gives it to nobody.
func TestUnaskedOutlivesGangplan(t *testing.T) {
	const members = 10
	s := begin(t, harness.Options{Gates: "gangplan", Unasked: true})
	rack := shape.RackNodes(3, 3)
	s.fill("fill", 8, allNodesBut(rack...)...)
	s.Scheduler.Kill()
	s.must(plane.CreateJob(harness.GatedJob("released", 8, "rack=pack!"), members))
	s.waitGated("released", members, 0)
	s.Gangplan.Kill()
	s.must(plane.CreateJob(harness.GatedJob("rival", 8, "rack=pack!"), members))
	s.must(s.StartGangplan())
	s.waitGated("rival", members, members)
	s.staysGated("rival", members)
	s.must(s.StartScheduler())
	s.waitBound("released", members)
	s.checkExtent(view.Bound("released"), 1, 1, members)
	if count := gated("rival"); count != members {
		s.Errorf("%d of %d pods of the rival are gated", count, members)
	}
}
