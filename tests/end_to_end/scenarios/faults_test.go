package scenarios

import (
	"fmt"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// halfBound brings a Job of 64 pods to the moment when 32 are bound and the other Bindings hang in
// an API server that does not answer.
func (s scenario) halfBound(name string) {
	s.Helper()
	s.API.StallAfter(32)
	s.must(plane.CreateJob(harness.GangJob(name, 1, "rack=pack!"), 64))
	s.waitStalled(name, 32)
}

// waitStalled waits until the API server has answered this many Bindings and others hang.
func (s scenario) waitStalled(name string, count int) {
	s.Helper()
	taken := view.Wait(s, fmt.Sprintf("%s: %d members bound, other Bindings under way", name, count),
		func() (bool, string) {
			_, bound := view.Count(name)
			stalled := s.API.Stalled()
			return bound == count && stalled > 0,
				fmt.Sprintf("%d bound, %d on their way", bound, stalled)
		})
	s.Logf("%s: half bound after %s", name, seconds(taken))
}

// restartGangplan kills it while the API server does not answer it, and lets the API server go on.
func (s scenario) restartGangplan() {
	s.Helper()
	s.Gangplan.Kill()
	view.Wait(s, "the dead program's requests are gone", func() (bool, string) {
		return s.API.Stalled() == 0, fmt.Sprintf("%d left", s.API.Stalled())
	})
	s.API.Resume()
	start := time.Now()
	s.must(s.StartGangplan())
	s.Logf("gangplan is ready again after %s", seconds(time.Since(start)))
}

// Gangplan dies with half of a gang bound. Its successor finishes the gang under the same rule.
func TestGangplanKilledHalfWay(t *testing.T) {
	s := begin(t, harness.Options{Proxy: true})
	s.halfBound("trainer")
	s.restartGangplan()
	s.waitBound("trainer", 64)
	s.checkWhole("trainer")
}

// The scheduler dies at that moment, and its held and hanging calls with it.
func TestSchedulerKilledHalfWay(t *testing.T) {
	s := begin(t, harness.Options{Proxy: true})
	s.halfBound("trainer")
	s.Scheduler.Kill()
	s.must(s.StartScheduler())
	s.API.Resume()
	s.waitBound("trainer", 64)
	s.checkWhole("trainer")
}

// checkWhole is checkJob without the plan's name: who continues a gang may name its plan anew.
func (s scenario) checkWhole(name string) {
	s.Helper()
	racks, ranks := map[string]bool{}, map[string]bool{}
	for _, pod := range view.Bound(name) {
		racks[rackOf(pod.Spec.NodeName)] = true
		rank := pod.Annotations[harness.AssignedRankKey]
		if want := pod.Annotations[completionIndex]; rank != want {
			s.Errorf("%s with index %s was assigned rank %q", pod.Name, want, rank)
		}
		ranks[rank] = true
	}
	if len(racks) != 1 || len(ranks) != 64 {
		s.Errorf("the gang lies on %d racks and has %d ranks", len(racks), len(ranks))
	}
}

// A member is deleted while it is held in bind. Its call is answered, and the gang starts with
// another in its place.
func TestMemberDeletedWhileHeld(t *testing.T) { memberDeletedWhileHeld(t, "") }

// With a finalizer the deleted member stays for a while; it is no member any more all the same.
func TestMemberWithFinalizerDeletedWhileHeld(t *testing.T) {
	memberDeletedWhileHeld(t, "e2e.gangplan.io/keep")
}

func memberDeletedWhileHeld(t *testing.T, finalizer string) {
	const members = 8
	s := begin(t, harness.Options{})
	spec := harness.Gang("gang", members, 1, "rack=pack!")
	doomed := spec
	doomed.Finalizer = finalizer
	s.must(plane.CreatePod(doomed, 0))
	t.Cleanup(func() { s.must(plane.DropFinalizer(harness.PodName("gang", 0))) })
	s.must(plane.CreatePods(spec, 1, members-1))
	s.waitHeld("gang", members-1)

	s.must(plane.DeletePod(harness.PodName("gang", 0)))
	s.waitHeld("gang", members-2)
	s.must(plane.CreatePods(spec, members, members+2)) // one in its place, and the missing one
	taken := view.Wait(s, "the eight living members are bound", func() (bool, string) {
		_, bound := view.Count("gang")
		return bound == members, fmt.Sprintf("%d bound", bound)
	})
	s.Logf("bound after %s", seconds(taken))
	s.checkExtent(view.Bound("gang"), 1, 1, 1)
	for _, pod := range view.Bound("gang") {
		if pod.Name == harness.PodName("gang", 0) {
			s.Errorf("the deleted member was bound")
		}
	}
}

// Members are held in bind and one of their nodes goes. None starts before all can.
func TestNodeDeletedUnderHeldMembers(t *testing.T) {
	nodeLostUnderHeldMembers(t, plane.DeleteNode, func(node string) error {
		return plane.CreateNodes(shape, node)
	})
}

func TestNodeCordonedUnderHeldMembers(t *testing.T) {
	nodeLostUnderHeldMembers(t,
		func(node string) error { return plane.Cordon(node, true) },
		func(node string) error { return plane.Cordon(node, false) })
}

func TestNodeFilledUnderHeldMembers(t *testing.T) {
	nodeLostUnderHeldMembers(t,
		func(node string) error { return plane.Fill("intruder", 8, node) },
		func(string) error { return nil })
}

// nodeLostUnderHeldMembers takes a node away and sends the last member right behind, so that the
// commit is decided at about the moment when the node goes.
func nodeLostUnderHeldMembers(t *testing.T, take, giveBack func(node string) error) {
	const members = 16
	s := begin(t, harness.Options{})
	spec := harness.Gang("gang", members, 1, "rack=pack!")
	s.must(plane.CreatePods(spec, 0, members-1))
	s.waitHeld("gang", members-1)
	nodes := s.Verbs.HeldNodes("gang")
	lost := nodes[len(nodes)-1]
	t.Cleanup(func() {
		s.must(giveBack(lost))
		view.Wait(s, "all nodes are back", func() (bool, string) {
			node := view.Node(lost)
			return node != nil && !node.Spec.Unschedulable, ""
		})
	})
	s.must(take(lost))
	s.must(plane.CreatePod(spec, members-1))
	s.waitBound("gang", members)
	s.checkExtent(view.Bound("gang"), 1, 1, 2)
	for _, pod := range view.Bound("gang") {
		if pod.Spec.NodeName == lost {
			s.Errorf("%s is on %s, which was lost before the gang was complete", pod.Name, lost)
		}
	}
}

// The API server takes no Binding until the scheduler has given the calls up. What would come too
// late is not written: the room is no longer ours then. The gang starts with the next calls.
func TestBindingTooLateIsNotWritten(t *testing.T) {
	const members, timeout = 8, 12 * time.Second
	s := begin(t, harness.Options{Proxy: true, BindTimeout: timeout})
	s.API.StallAfter(0)
	s.must(plane.CreatePods(harness.Gang("gang", members, 1, "rack=pack!"), 0, members))
	s.waitHeld("gang", members)
	first := s.Verbs.Calls("bind", "gang")
	view.Wait(s, "the first calls have ended", func() (bool, string) {
		open := 0
		for _, call := range s.Verbs.Calls("bind", "gang")[:len(first)] {
			if call.Ended.IsZero() {
				open++
			}
		}
		return open == 0, fmt.Sprintf("%d open", open)
	})
	if _, bound := view.Count("gang"); bound != 0 {
		s.Fatalf("%d members are bound through a proxy that passes nothing", bound)
	}
	s.API.Resume()
	s.waitBound("gang", members)
	s.checkWritesInTime(timeout)
}

// The last member comes when the first calls are about to run out.
func TestLastMemberAtTheDeadline(t *testing.T) {
	const members, timeout = 8, 12 * time.Second
	s := begin(t, harness.Options{Proxy: true, BindTimeout: timeout})
	spec := harness.Gang("gang", members, 1, "rack=pack!")
	s.must(plane.CreatePods(spec, 0, members-1))
	s.waitHeld("gang", members-1)
	oldest := s.Verbs.Calls("bind", "gang")[0].Started
	view.Wait(s, "the first call is old", func() (bool, string) {
		return time.Since(oldest) > timeout*6/10, ""
	})
	s.must(plane.CreatePod(spec, members-1))
	s.waitBound("gang", members)
	s.checkWritesInTime(timeout)
}

// checkWritesInTime proves for every Binding that reached the API server that the scheduler was
// still waiting for it.
func (s scenario) checkWritesInTime(timeout time.Duration) {
	s.Helper()
	for _, write := range s.API.Writes() {
		if !s.askedFor(write, timeout) {
			s.Errorf("the Binding of %s was written while no call of the scheduler was open", write.Pod)
		}
	}
}

func (s scenario) askedFor(write harness.Write, timeout time.Duration) bool {
	for _, call := range s.Verbs.Calls("bind", "gang") {
		open := call.Started.Before(write.At) && write.At.Before(call.Started.Add(timeout)) &&
			(call.Ended.IsZero() || write.At.Before(call.Ended))
		if open && call.Pod == write.Pod {
			return true
		}
	}
	return false
}
