package scenarios

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"gangplan.io/tests/end_to_end/harness"
)

// Nodes under four gangs stop answering, one, three or eight of them: their pods are deleted after
// repair.after, made anew by their controllers, and bound beside the others, of which none is moved:
// within twice the time in which as many lone pods that are deleted come back, or 300 ms more.
func TestFailedNodesAreRepaired(t *testing.T) {
	const after, members = 2 * time.Second, 64
	s := begin(t, harness.Options{Repair: after})
	gangs := []string{"one", "two", "three", "four"}
	for _, name := range gangs {
		s.must(plane.CreateReplicaSet(harness.GangJob(name, 1, "rack=pack!"), members))
		s.Cleanup(func() { s.must(plane.DeleteReplicaSet(name)) })
		s.waitBound(name, members)
	}
	for _, count := range []int{1, 3, 8} {
		if !t.Run(fmt.Sprint(count), func(t *testing.T) {
			s := scenario{t, s.Pair}
			s.loseNodes(gangs, members, count, after)
		}) {
			return
		}
	}
}

// loseNodes takes that many nodes, from one gang after the other, and gives them back in the end.
func (s scenario) loseNodes(gangs []string, members, count int, after time.Duration) {
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
	lone := s.lonePodsComeBack(lost)
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
	s.Logf("%d nodes failed with %d pods: all bound again %s after the %s; %d lone pods took %s: %.1f times as long",
		count, lost, seconds(took), after, lost, seconds(lone), took.Seconds()/lone.Seconds())
	// Below this it is whose turn on the machine it was that is compared.
	if took > 2*lone && took-lone > 300*time.Millisecond {
		s.Errorf("that is more than twice as long")
	}
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

// lonePodsComeBack is the time in which so many pods of no gang, deleted at once, are made anew and bound.
// They are gone when it returns: each rack has room for two nodes more of its gang.
func (s scenario) lonePodsComeBack(count int) time.Duration {
	s.Helper()
	s.must(plane.CreateReplicaSet(harness.PodSpec{Name: "lone", GPUs: 1, Scheduler: harness.GangScheduler}, count))
	s.waitBound("lone", count)
	old := map[types.UID]bool{}
	for _, pod := range view.Bound("lone") {
		old[pod.UID] = true
	}
	start := time.Now()
	s.must(plane.DeletePods("lone"))
	view.Wait(s, "all of them are bound anew", func() (bool, string) {
		anew := 0
		for _, pod := range view.Bound("lone") {
			if !old[pod.UID] {
				anew++
			}
		}
		return anew == count, fmt.Sprintf("%d of %d", anew, count)
	})
	took := time.Since(start)
	s.must(plane.DeleteReplicaSet("lone"))
	s.must(plane.DeletePods("lone"))
	view.Wait(s, "they are gone", func() (bool, string) {
		pods, _ := view.Count("lone")
		return pods == 0, fmt.Sprintf("%d pods", pods)
	})
	return took
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
