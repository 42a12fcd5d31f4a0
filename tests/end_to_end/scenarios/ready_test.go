package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

const holdWord = "gangplan.io/hold"

// A pod of a gang is not ready in time: all of it is evicted, others have its rack, and what its
// controller makes anew is told when it is planned again.
func TestGangThatIsNotReadyRests(t *testing.T) {
	const members, timeout = 10, 3 * time.Second
	s := begin(t, harness.Options{NotReady: timeout})
	rack := shape.RackNodes(1, 7)
	s.fill("fill", 8, allNodesBut(rack...)...)
	s.must(plane.CreateReplicaSet(harness.GangJob("ill", 8, "rack=pack!"), members))
	s.Cleanup(func() { s.must(plane.DeleteReplicaSet("ill")) })
	s.waitBound("ill", members)
	first := map[string]bool{}
	for i, pod := range view.Bound("ill") {
		first[pod.Name] = true
		if i > 0 {
			s.must(plane.Run(pod.Name))
		}
	}
	view.Wait(s, "all of it is made anew and waits", func() (bool, string) {
		waits := 0
		for _, pod := range view.Pods("ill") {
			if pod.DeletionTimestamp != nil { // its kubelet has stopped it
				_ = plane.DeletePod(pod.Name)
			}
			if !first[pod.Name] && pod.DeletionTimestamp == nil && pod.Spec.NodeName == "" {
				waits++
			}
		}
		return waits == members, fmt.Sprintf("%d of %d", waits, members)
	})
	s.checkEvent("involvedObject.kind=ReplicaSet,involvedObject.name=ill", "GangRestarted",
		"gang default/ill of 10: 1 of its pods was not ready within 3s of its start (gang.readyTimeout): all of "+
			"it is evicted, to start anew after a while; not ready: ill-")
	s.must(plane.CreateJob(harness.GangJob("other", 8, "rack=pack!"), members))
	s.waitBound("other", members)
	text, err := s.Probe("/v1/explain/default/ill")
	s.must(err)
	if !strings.Contains(text, "gang default/ill was evicted, since not all of its pods were ready in time (1 time): "+
		"it is planned again at ") {
		s.Errorf("it rests, but explain says %s", text)
	}
}

// What a gang has lost has no room in its rack: after a while it may go anywhere.
func TestLostMemberGoesAnywhere(t *testing.T) {
	const after, timeout, members = time.Second, 2 * time.Second, 10
	s := begin(t, harness.Options{Repair: after, Relax: timeout})
	s.must(plane.CreateReplicaSet(harness.GangJob("apart", 8, "rack=pack!"), members))
	s.Cleanup(func() { s.must(plane.DeleteReplicaSet("apart")) })
	s.waitBound("apart", members)
	nodes := nodesOf("apart")
	rack := rackOf(nodes[0])
	s.fail(nodes[:1])
	view.Wait(s, "the others stay, and one runs in another rack", func() (bool, string) {
		here, elsewhere := 0, 0
		for _, pod := range view.Bound("apart") {
			if pod.DeletionTimestamp != nil {
				continue
			}
			if rackOf(pod.Spec.NodeName) == rack {
				here++
			} else {
				elsewhere++
			}
		}
		return here == members-1 && elsewhere == 1, fmt.Sprintf("%d and %d", here, elsewhere)
	})
	s.checkEvent("involvedObject.kind=ReplicaSet,involvedObject.name=apart", "GangRelaxed",
		"gang default/apart of 10: 9 of it run, and the rest has had no room beside them for 2s: it may go "+
			"anywhere now (repair.onFailure: relax)")
}

// A Job that is held is not started; nor are pods that say so, until they do not any more.
func TestHeldGangs(t *testing.T) {
	const members = 4
	s := begin(t, harness.Options{Suspended: true})
	job := harness.SuspendedJob(harness.GangJob("held", 8, "rack=pack!"), members)
	job.Annotations = map[string]string{holdWord: "waits for its data"}
	s.must(plane.Submit(job))
	s.waitsWithoutPods("held")
	const told = "is held (gangplan.io/hold: waits for its data): it is planned when that word is gone"
	text, err := s.Probe("/v1/explain/default/held")
	s.must(err)
	if !strings.Contains(text, told) {
		s.Errorf("explain says %s", text)
	}
	s.must(plane.PatchJob("held", `{"metadata":{"annotations":{"gangplan.io/hold":null}}}`))
	s.waitBound("held", members)

	pods := harness.WordedJob("pods", 8, map[string]string{harness.PlaceKey: "rack=pack!", holdWord: "waits for its data"})
	s.must(plane.CreateJob(pods, members))
	s.waitsFor("pods", members, told)
	for _, pod := range view.Pods("pods") {
		s.must(plane.PatchPod(pod.Name, `{"metadata":{"annotations":{"gangplan.io/hold":null}}}`))
	}
	s.waitBound("pods", members)
}
