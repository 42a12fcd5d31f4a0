package scenarios

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// MPIJobs, RayClusters and RayJobs by their operators' own controllers: with `run --all`.

func needsOperators(t *testing.T) {
	t.Helper()
	if !plane.HasOperators() {
		t.Skip("the operators of MPIJobs and RayClusters are built with --all")
	}
}

var inOneRack = map[string]string{placeWord: "rack=pack!"}

// needsNoOperators skips what is played: its own controller would make the pods twice.
func needsNoOperators(t *testing.T) {
	t.Helper()
	if plane.HasOperators() {
		t.Skip("its own controller runs: operators_test.go")
	}
}

// waitsAndStarts is a gang of so many that waits for room, over a Gangplan that dies, and starts when
// what is called "fill" goes.
func (s scenario) waitsAndStarts(name string, count int) []*corev1.Pod {
	s.Helper()
	view.Wait(s, "all of them say why they wait", func() (bool, string) {
		told, text := told(name, "gang default/")
		return told == count, fmt.Sprintf("%d of %d: %s", told, count, text)
	})
	if _, bound := view.Count(name); bound != 0 {
		s.Fatalf("%d of %d are bound where there is no room for all", bound, count)
	}
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.DeletePods("fill"))
	return s.oneRack(name, count)
}

// isMadeAnew deletes a bound pod with this label, and waits until there are so many again, in the
// rack of the others.
func (s scenario) isMadeAnew(name, label, value string, count int) {
	s.Helper()
	bound := view.Bound(name)
	lost := bound[slices.IndexFunc(bound, func(pod *corev1.Pod) bool { return pod.Labels[label] == value })]
	s.must(plane.DeletePod(lost.Name))
	view.Wait(s, "another one is bound in its place", func() (bool, string) {
		bound := view.Bound(name)
		old := slices.ContainsFunc(bound, func(pod *corev1.Pod) bool { return pod.UID == lost.UID })
		return len(bound) == count && !old, fmt.Sprintf("%d bound", len(bound))
	})
	s.checkRack(view.Bound(name))
}

func (s scenario) isGone(kind harness.PlayedKind, name string) {
	s.Helper()
	s.must(plane.DeletePlayed(kind, name))
	view.Wait(s, "its pods are gone", func() (bool, string) {
		pods, _ := view.Count(name)
		return pods == 0, fmt.Sprintf("%d", pods)
	})
}

// Launcher and workers are whole or nothing, with the ranks of their names; a worker that is lost
// comes back beside the others, and the next job of that name is another gang.
func TestMPIOperator(t *testing.T) {
	needsOperators(t)
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	submit := func() {
		s.must(plane.SubmitMPI("pi", "AtStartup", inOneRack, playedPod("pi", 1, nil), playedPod("pi", 8, nil), 4))
	}
	submit()
	ranks := func(pods []*corev1.Pod) {
		for _, pod := range pods {
			want := "0"
			if pod.Labels[mpiRole] == "worker" {
				want = pod.Labels[replicaIndex]
			}
			if got := pod.Annotations[harness.AssignedRankKey]; got != want {
				s.Errorf("%s was assigned rank %q, not %s", pod.Name, got, want)
			}
		}
	}
	ranks(s.waitsAndStarts("pi", 5))
	s.isMadeAnew("pi", replicaIndex, "2", 5)
	s.isGone(harness.MPIJob, "pi")
	submit()
	ranks(s.oneRack("pi", 5))
}

// A launcher that comes when the workers are ready finds the room that is kept for it.
func TestMPIOperatorLauncherLast(t *testing.T) {
	needsOperators(t)
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:3]...)...)
	s.must(plane.SubmitMPI("pi", "WaitForWorkersReady", inOneRack, playedPod("pi", 1, nil),
		playedPod("pi", 8, nil), 2))
	s.lastJoinsTwo("pi")
}

// Head and workers are whole or nothing; workers that are scaled up go beside those that run, and
// leave again.
func TestKubeRay(t *testing.T) {
	needsOperators(t)
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	submit := func() {
		s.must(plane.SubmitRay("ray", inOneRack, playedPod("ray", 1, nil), playedPod("ray", 8, nil), 4))
	}
	submit()
	s.waitsAndStarts("ray", 5)
	for _, workers := range []int{8, 4, 6} {
		s.must(plane.ScaleRay("ray", workers))
		s.oneRack("ray", workers+1)
	}
	s.isMadeAnew("ray", rayGroup, "small", 7)
	s.isGone(harness.RayCluster, "ray")
	submit()
	s.oneRack("ray", 5)
}

// The cluster of a RayJob has the words of the job, and so has that of the next one of its name.
func TestRayJob(t *testing.T) {
	needsOperators(t)
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:2]...)...)
	submit := func() {
		s.must(plane.SubmitRayJob("ray", inOneRack, playedPod("ray", 1, nil), playedPod("ray", 8, nil), 2))
	}
	submit()
	s.waitsAndStarts("ray", 3)
	s.isGone(harness.RayJob, "ray")
	submit()
	s.oneRack("ray", 3)
}
