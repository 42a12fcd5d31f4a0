package scenarios

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Nodes under four gangs stop answering, one, three or eight of them: their pods are deleted after
// repair.after, made anew by their controllers, and bound beside the others, of which none is moved.
// The time from the deletion to the last Binding stands beside that of a lone pod.
func TestFailedNodesAreRepaired(t *testing.T) {
	const after, members = 2 * time.Second, 64
	s := begin(t, harness.Options{Repair: after})
	gangs := []string{"one", "two", "three", "four"}
	for _, name := range gangs {
		s.must(plane.CreateReplicaSet(harness.GangJob(name, 1, "rack=pack!"), members))
		s.Cleanup(func() { s.must(plane.DeleteReplicaSet(name)) })
		s.waitBound(name, members)
	}
	start := time.Now()
	s.must(plane.CreatePods(harness.Gang("lone", 1, 1, "rack=pack!"), 0, 1))
	s.waitBound("lone", 1)
	lone := time.Since(start)
	s.must(plane.DeletePod("lone-0000")) // each rack has room for two nodes more of its gang
	for _, count := range []int{1, 3, 8} {
		if !t.Run(fmt.Sprint(count), func(t *testing.T) {
			s := scenario{t, s.Pair}
			s.loseNodes(gangs, members, count, after, lone)
		}) {
			return
		}
	}
}

// loseNodes takes that many nodes, from one gang after the other, and gives them back in the end.
func (s scenario) loseNodes(gangs []string, members, count int, after, lone time.Duration) {
	s.Helper()
	living := map[string]string{} // pods and their nodes
	var failed []string
	for _, name := range gangs {
		for _, pod := range view.Bound(name) {
			if pod.DeletionTimestamp == nil {
				living[string(pod.UID)] = pod.Spec.NodeName
			}
		}
	}
	for i := range count {
		nodes := nodesOf(gangs[i%len(gangs)])
		failed = append(failed, nodes[i/len(gangs)])
	}
	lost := 0
	for uid, node := range living {
		if slices.Contains(failed, node) {
			delete(living, uid)
			lost++
		}
	}
	start := time.Now()
	s.fail(failed)
	for _, name := range gangs {
		view.Wait(s, name+" runs whole on nodes that answer", func() (bool, string) {
			runs := 0
			for _, pod := range view.Bound(name) {
				if pod.DeletionTimestamp == nil && !slices.Contains(failed, pod.Spec.NodeName) {
					runs++
				}
			}
			return runs == members, fmt.Sprintf("%d run", runs)
		})
		s.checkRepaired(name, members, failed)
	}
	took := time.Since(start) - after
	s.Logf("%d nodes failed with %d pods: all bound again %s after the %s; a lone pod took %s", count, lost,
		seconds(took), after, seconds(lone))
	for _, pod := range view.Pods("") {
		if node, lived := living[string(pod.UID)]; lived {
			delete(living, string(pod.UID))
			if pod.Spec.NodeName != node || pod.DeletionTimestamp != nil {
				s.Errorf("%s was on %s and lived", pod.Name, node)
			}
		}
	}
	if len(living) > 0 {
		s.Errorf("%d pods that lived are gone", len(living))
	}
}

// fail has the nodes not answer until the test ends.
func (s scenario) fail(nodes []string) {
	s.Helper()
	s.must(harness.InParallel(nodes, func(node string) error {
		return plane.SetReady(node, corev1.ConditionUnknown)
	}))
	s.Cleanup(func() {
		s.must(harness.InParallel(nodes, func(node string) error {
			return plane.SetReady(node, corev1.ConditionTrue)
		}))
		for _, pod := range view.Pods("") { // as their kubelets do then
			if pod.DeletionTimestamp != nil {
				s.must(plane.DeletePod(pod.Name))
			}
		}
	})
}

// A gang has all of a rack, and a node of it stops answering: beside the others there is no room for
// what was lost. After repair.timeout all of it is evicted, and runs in another rack.
func TestGangStartsAnewElsewhere(t *testing.T) {
	const after, timeout, members = time.Second, 2 * time.Second, 10
	s := begin(t, harness.Options{Repair: after, Restart: timeout})
	s.must(plane.CreateReplicaSet(harness.GangJob("whole", 8, "rack=pack!"), members))
	s.Cleanup(func() { s.must(plane.DeleteReplicaSet("whole")) })
	s.waitBound("whole", members)
	nodes := nodesOf("whole")
	rack := rackOf(nodes[0])
	s.fail(nodes[:1])
	view.Wait(s, "all of it runs in another rack", func() (bool, string) {
		runs := 0
		for _, pod := range view.Bound("whole") {
			if pod.DeletionTimestamp == nil && rackOf(pod.Spec.NodeName) != rack {
				runs++
			}
		}
		return runs == members, fmt.Sprintf("%d of %d", runs, members)
	})
	s.checkRepaired("whole", members, nodes)
	s.checkEvent("involvedObject.kind=ReplicaSet,involvedObject.name=whole", "GangRestarted",
		"gang default/whole of 10: 9 of it run, and the rest has had no room beside them for 2s: all of it is "+
			"evicted, to start anew where it fits (1 of 3 times within an hour)")
}

func nodesOf(name string) []string {
	var nodes []string
	for _, pod := range view.Bound(name) {
		if pod.DeletionTimestamp == nil {
			nodes = append(nodes, pod.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// checkRepaired: in one rack, with each rank once.
func (s scenario) checkRepaired(name string, members int, failed []string) {
	s.Helper()
	racks, ranks := map[string]bool{}, map[string]bool{}
	for _, pod := range view.Bound(name) {
		if pod.DeletionTimestamp == nil && !slices.Contains(failed, pod.Spec.NodeName) {
			racks[rackOf(pod.Spec.NodeName)] = true
			ranks[pod.Annotations[harness.AssignedRankKey]] = true
		}
	}
	if len(racks) != 1 || len(ranks) != members {
		s.Errorf("%s lies on %d racks and has %d ranks", name, len(racks), len(ranks))
	}
}
