package scenarios

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// waitPods waits for so many pods of the gang, bound or not.
func (s scenario) waitPods(name string, members int) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("%s has %d pods", name, members), func() (bool, string) {
		pods, _ := view.Count(name)
		return pods == members, fmt.Sprintf("%d pods", pods)
	})
}

// A Job whose words are wrong waits, and is told why by an Event and by explain. It starts when its
// words are mended.
func TestSuspendedJobIsToldWhy(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.must(plane.CreateJob(harness.GangJob("first", 1, "rack=pack!"), 2))
	s.waitBound("first", 2) // an instance that was never asked tells nobody
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("wrong", 1, "rack=pakc!"), 2)))
	s.checkEvent("involvedObject.kind=Job,involvedObject.name=wrong", "GangInvalid", "pakc")
	s.waitsWithoutPods("wrong")
	s.checkExplain("wrong", "job default/wrong waits suspended for gangplan")
	s.must(plane.PatchJob("wrong",
		`{"spec":{"template":{"metadata":{"annotations":{"gangplan.io/place":"rack=pack!"}}}}}`))
	s.waitBound("wrong", 2)
}

// A Job that was started is deleted before its pods are bound: the next one gets its room when its
// pods have gone.
func TestSuspendedJobDeletedAtItsStart(t *testing.T) {
	const members = 10
	s := begin(t, harness.Options{Suspended: true})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)...)...)
	s.Scheduler.Kill()
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("gone", 8, "rack=pack!"), members)))
	s.waitPods("gone", members)
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("next", 8, "rack=pack!"), members)))
	s.waitsWithoutPods("next")
	s.must(plane.DeleteJob("gone"))
	s.waitPods("next", members)
	s.must(s.StartScheduler())
	s.waitBound("next", members)
}

// A node of the rack that a Job was started on is not ready before its pods are bound: the rest of
// the rack is not enough, so it is suspended again and started in the other one.
func TestSuspendedJobNodeNotReady(t *testing.T) {
	const members = 10
	s := begin(t, harness.Options{Suspended: true})
	racks := [][]string{shape.RackNodes(3, 5), shape.RackNodes(3, 6)}
	s.fill("fill", 8, allNodesBut(slices.Concat(racks...)...)...)
	s.Scheduler.Kill()
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("moved", 8, "rack=pack!"), members)))
	s.waitPods("moved", members)
	first, second := racks[0], racks[1]
	if mayUse(view.Pods("moved")[0], second[0]) {
		first, second = second, first
	}
	s.must(plane.SetReady(first[0], corev1.ConditionFalse))
	s.Cleanup(func() { s.must(plane.SetReady(first[0], corev1.ConditionTrue)) })
	view.Wait(s, "its pods are of the other rack", func() (bool, string) {
		there := 0
		for _, pod := range view.Pods("moved") {
			if mayUse(pod, second[0]) {
				there++
			}
		}
		return there == members, fmt.Sprintf("%d of %d", there, members)
	})
	s.must(s.StartScheduler())
	s.waitBound("moved", members)
	s.checkExtent(view.Bound("moved"), 1, 1, members)
}
