package scenarios

import (
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

func isSuspended(job *batchv1.Job) bool { return job.Spec.Suspend != nil && *job.Spec.Suspend }

// namesIn are the nodes that the pod may use by name.
func namesIn(pod *corev1.Pod) int {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil ||
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return 0
	}
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	count := 0
	for _, term := range terms.NodeSelectorTerms {
		count += len(term.MatchFields)
	}
	return count
}

// mayUse is whether the pod names the node.
func mayUse(pod *corev1.Pod, node string) bool {
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	return slices.ContainsFunc(terms.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
		return len(term.MatchFields) > 0 && term.MatchFields[0].Values[0] == node
	})
}

// hasNoPods is that there are none for a while.
func (s scenario) hasNoPods(name string) {
	s.Helper()
	view.Never(s, name+" has a pod", 2*time.Second, func() (bool, string) {
		pods, _ := view.Count(name)
		return pods > 0, fmt.Sprintf("%d pods", pods)
	})
}

// checkBornWithPlaces is that each pod of a started gang named all nodes of its rack from the
// beginning, so that none was nominated.
func (s scenario) checkBornWithPlaces(name string) {
	s.Helper()
	for _, pod := range view.Bound(name) {
		if names := namesIn(pod); names != shape.Nodes {
			s.Errorf("%s may use %d nodes by name, not the %d of its rack", pod.Name, names, shape.Nodes)
		}
	}
	if nominated := view.Nominated(name); nominated > 0 {
		s.Errorf("%d pods were nominated, though each was born with its place", nominated)
	}
}

// losesItsRack takes all nodes away from the one of two racks that the gang's pods were given, and
// returns when there are as many pods with a node of the other one.
func (s scenario) losesItsRack(name string, members int, racks [][]string, within time.Duration) {
	s.Helper()
	first, second := racks[0], racks[1]
	if mayUse(view.Pods(name)[0], second[0]) {
		first, second = second, first
	}
	for _, node := range first {
		s.must(plane.DeleteNode(node))
	}
	s.Cleanup(func() { s.must(plane.CreateNodes(shape, first...)) })
	s.must(view.Await("its pods are of the other rack", within, func() (bool, string) {
		there := 0
		for _, pod := range view.Pods(name) {
			if len(pod.Spec.SchedulingGates) == 0 && mayUse(pod, second[0]) {
				there++
			}
		}
		return there == members, fmt.Sprintf("%d of %d", there, members)
	}))
}

// waitsWithoutPods is a Job that is suspended and has no pod for a while.
func (s scenario) waitsWithoutPods(name string) {
	s.Helper()
	s.hasNoPods(name)
	job, err := plane.Job(name)
	s.must(err)
	if !isSuspended(job) {
		s.Errorf("%s is not suspended", name)
	}
}

// A Job that waits has no pods. It is planned, and started by one write, on the nodes of its rack;
// its pods are bound in one rack, and none of them is nominated.
func TestSuspendedJobIsStarted(t *testing.T) {
	const members = 40
	s := begin(t, harness.Options{Suspended: true})
	rack := shape.RackNodes(1, 7)
	s.fill("fill", 8, allNodesBut(rack...)...)
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("trainer", 2, "rack=pack!"), members)))
	s.waitBound("trainer", members)
	s.checkExtent(view.Bound("trainer"), 1, 1, 10)
	s.checkBornWithPlaces("trainer")
	job, err := plane.Job("trainer")
	s.must(err)
	if isSuspended(job) || job.Labels[harness.SuspendedKey] != "" || job.Annotations[harness.PinnedKey] == "" {
		s.Errorf("the Job is suspended: %v, labels %v, annotations %v", isSuspended(job), job.Labels,
			job.Annotations)
	}
}

// Without room there are no pods; it says why it waits, may be scaled meanwhile, and starts when
// room comes free.
func TestSuspendedJobWaits(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	rack := shape.RackNodes(0, 3)
	s.fill("fill", 8, allNodesBut(rack[:2]...)...)
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("patient", 8, "rack=pack!"), 4)))
	s.waitsWithoutPods("patient")
	if text, err := s.Probe("/v1/explain/default/patient"); err != nil {
		s.Errorf("explain: %v", err)
	} else {
		s.Logf("it waits: %s", text)
	}
	s.must(plane.PatchJob("patient", `{"spec":{"parallelism":3,"completions":3}}`))
	s.waitsWithoutPods("patient")
	s.must(plane.DeletePods("fill"))
	s.waitBound("patient", 3)
	s.checkExtent(view.Bound("patient"), 1, 1, 3)
}

// All nodes that it was started on go before the scheduler has looked at its pods: it is suspended
// again, and started on others.
func TestSuspendedJobLosesItsNodes(t *testing.T) {
	const members = 10
	s := begin(t, harness.Options{Suspended: true})
	racks := [][]string{shape.RackNodes(3, 3), shape.RackNodes(3, 4)}
	s.fill("fill", 8, allNodesBut(slices.Concat(racks...)...)...)
	s.Scheduler.Kill()
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("nomad", 8, "rack=pack!"), members)))
	view.Wait(s, "its pods are there", func() (bool, string) {
		pods, _ := view.Count("nomad")
		return pods == members, fmt.Sprintf("%d of %d", pods, members)
	})
	s.losesItsRack("nomad", members, racks, harness.Deadline)
	s.must(s.StartScheduler())
	s.waitBound("nomad", members)
}

// A person suspends a gang that runs, for Gangplan to start it again, and then by hand.
func TestSuspendedByHand(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("paused", 8, "rack=pack!"), 3)))
	s.waitBound("paused", 3)
	s.must(plane.PatchJob("paused",
		`{"metadata":{"labels":{"gangplan.io/suspended":"true"}},"spec":{"suspend":true}}`))
	view.Wait(s, "its pods are others", func() (bool, string) {
		bindings := len(view.Bindings("paused"))
		return bindings == 6, fmt.Sprintf("%d Bindings", bindings)
	})
	s.must(plane.PatchJob("paused", `{"spec":{"suspend":true}}`))
	view.Wait(s, "its pods are gone", func() (bool, string) {
		pods, _ := view.Count("paused")
		return pods == 0, fmt.Sprintf("%d pods", pods)
	})
	s.waitsWithoutPods("paused") // without the mark it is not ours
	s.must(plane.PatchJob("paused", `{"spec":{"suspend":false}}`))
	s.waitBound("paused", 3)
	s.checkExtent(view.Bound("paused"), 1, 1, 3)
}

// Gangplan dies when it has started a Job: the next one finds what was planned in the Job's pods.
func TestSuspendedJobOutlivesGangplan(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 2)...)...)
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("orphan", 8, "rack=pack!"), 10)))
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("later", 8, "rack=pack!"), 10)))
	view.Wait(s, "it was started", func() (bool, string) {
		pods, _ := view.Count("")
		return pods > shape.Total()-10, fmt.Sprintf("%d pods", pods)
	})
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	view.Wait(s, "one of them is bound", func() (bool, string) {
		_, first := view.Count("orphan")
		_, second := view.Count("later")
		return first+second == 10, fmt.Sprintf("%d and %d", first, second)
	})
	first, _ := view.Count("orphan")
	second, _ := view.Count("later")
	if first != 0 && second != 0 {
		s.Errorf("both have pods, %d and %d, in room for one", first, second)
	}
}
