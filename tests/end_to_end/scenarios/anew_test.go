package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Of each kind that has no other test of it: a gang waits whole over a Gangplan that is killed, starts, is
// deleted, and another one of its name starts likewise.

// overAKillAndAnew is about a gang of so many pods, each of which wants a node of a rack.
func (s scenario) overAKillAndAnew(name string, count int, submit, remove func()) {
	s.Helper()
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:count-1]...)...)
	submit()
	s.waitsAndStarts(name, count)
	remove()
	view.Wait(s, "its pods are gone", func() (bool, string) {
		pods, _ := view.Count(name)
		return pods == 0, fmt.Sprintf("%d", pods)
	})
	submit()
	s.oneRack(name, count)
}

func TestStatefulSetAnew(t *testing.T) {
	s := begin(t, harness.Options{})
	s.overAKillAndAnew("web", 4,
		func() { s.must(plane.CreateStatefulSet(harness.GangJob("web", 8, "rack=pack!"), 4, false)) },
		func() { s.must(plane.DeleteApp("statefulsets", "web")) })
}

func TestDeploymentAnew(t *testing.T) {
	s := begin(t, harness.Options{})
	s.overAKillAndAnew("web", 4,
		func() { s.must(plane.CreateDeployment(harness.GangJob("web", 8, "rack=pack!"), 4)) },
		func() { s.must(plane.DeleteApp("deployments", "web")) })
}

func TestBarePodsAnew(t *testing.T) {
	s := begin(t, harness.Options{})
	s.overAKillAndAnew("ring", 4,
		func() { s.must(plane.CreatePods(harness.Gang("ring", 4, 8, "rack=pack!"), 0, 4)) },
		func() { s.must(plane.DeletePods("ring")) })
}

// A run's executors, and those of the next run, which Spark labels otherwise.
func TestSparkAnew(t *testing.T) {
	s := begin(t, harness.Options{})
	runs := 0
	executor := playedPod("executor", 8, map[string]string{"spark-role": "executor"})
	executor.Annotation = map[string]string{placeWord: "rack=pack!", harness.SizeKey: "3"}
	s.overAKillAndAnew("executor", 3,
		func() {
			runs++
			executor.Label["spark-app-selector"] = fmt.Sprintf("spark-%d", runs)
			s.must(plane.CreatePods(executor, 0, 3))
		},
		func() { s.must(plane.DeletePods("executor")) })
}

// In the words of Kueue's pod groups.
func TestKueuePodGroupAnew(t *testing.T) {
	s := begin(t, harness.Options{})
	ring := harness.WordedJob("ring", 8, map[string]string{kueueRequired: harness.RackLabel, kueueTotalCount: "4"})
	ring.Label = map[string]string{kueuePodGroup: "ring"}
	s.overAKillAndAnew("ring", 4,
		func() { s.must(plane.CreatePods(ring, 0, 4)) },
		func() { s.must(plane.DeletePods("ring")) })
}

// One replica, by its own controller: the name, the revision and so the key of both are the same.
func TestLeaderWorkerSetAnew(t *testing.T) {
	s := begin(t, harness.Options{})
	set := servers(map[string]string{placeWord: "rack=pack!"})
	set.Replicas, set.Size = 1, 4
	set.Leader.GPUs = set.Worker.GPUs
	s.overAKillAndAnew("serve", 4,
		func() { s.must(plane.SubmitLeaderWorkerSet(set)) },
		func() { s.must(plane.DeleteLeaderWorkerSet("serve")) })
	s.checkReplica(s.waitReplicas("serve", 1, 4)["0"], 4)
}
