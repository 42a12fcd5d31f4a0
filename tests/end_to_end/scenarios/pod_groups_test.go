package scenarios

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gangplan.io/tests/end_to_end/harness"
)

// PodGroups of coscheduling, whose controller the tests play.

const podGroupLabel = "scheduling.x-k8s.io/pod-group"

func podOfGroup(name string) harness.PodSpec {
	return playedPod(name, 8, map[string]string{podGroupLabel: name})
}

func (s scenario) playPodGroup(name string, spec map[string]any) {
	s.Helper()
	_, err := plane.Play(harness.PodGroup, name, inOneRack, spec)
	s.must(err)
}

// So many start together, the rest joins them.
func TestCoschedulingPodGroup(t *testing.T) {
	s := begin(t, harness.Options{})
	s.playPodGroup("ring", map[string]any{"minMember": int64(3)})
	pod := podOfGroup("ring")
	s.must(plane.CreatePods(pod, 0, 2))
	s.staysUnbound("ring")
	s.must(plane.CreatePods(pod, 2, 3))
	s.oneRack("ring", 3)
	s.must(plane.CreatePods(pod, 3, 6))
	s.oneRack("ring", 6)
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.CreatePods(pod, 6, 7))
	s.oneRack("ring", 7)
}

// Of a StatefulSet's pods minMember start together; the rest joins them as there is room.
func TestCoschedulingStatefulSet(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:2]...)...)
	s.playPodGroup("web", map[string]any{"minMember": int64(3)})
	s.must(plane.CreateStatefulSet(podOfGroup("web"), 5, false))
	s.staysUnbound("web")
	s.must(plane.DeletePods("fill"))
	s.oneRack("web", 5)
}

// waitPhase waits until the status of the PodGroup says so.
func (s scenario) waitPhase(name, phase string, running, failed int64) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("PodGroup %s is %s, %d run", name, phase, running), func() (bool, string) {
		object, err := plane.Played(harness.PodGroup, name)
		if err != nil {
			return false, err.Error()
		}
		got, _, _ := unstructured.NestedMap(object.Object, "status")
		runs, _, _ := unstructured.NestedInt64(got, "running")
		fails, _, _ := unstructured.NestedInt64(got, "failed")
		return got["phase"] == phase && runs == running && fails == failed, fmt.Sprint(got)
	})
}

// Its status says how its pods are, as its own controller would have it, over a restart, too.
func TestPodGroupStatus(t *testing.T) {
	s := begin(t, harness.Options{})
	s.playPodGroup("ring", map[string]any{"minMember": int64(2)})
	pod := podOfGroup("ring")
	s.must(plane.CreatePods(pod, 0, 1))
	s.waitPhase("ring", "Pending", 0, 0)
	s.must(plane.CreatePods(pod, 1, 3))
	s.oneRack("ring", 3)
	s.waitPhase("ring", "Scheduling", 0, 0)
	for i := 0; i < 2; i++ {
		s.must(plane.Run(harness.PodName("ring", i)))
	}
	s.waitPhase("ring", "Running", 2, 0)
	s.Gangplan.Kill()
	s.must(plane.FailPod(harness.PodName("ring", 0)))
	s.must(s.StartGangplan())
	s.waitPhase("ring", "Failed", 1, 1)
	s.playPodGroup("alone", map[string]any{"minMember": int64(2)})
	s.must(plane.CreatePods(podOfGroup("alone"), 0, 1))
	s.waitPhase("alone", "Pending", 0, 0)
	s.must(plane.DeletePods("alone"))
	s.must(plane.CreatePods(podOfGroup("alone"), 0, 2))
	s.waitPhase("alone", "Scheduling", 0, 0)
}

// Whoever else writes it has it to himself, whether he comes first or later.
func TestPodGroupStatusOfAnother(t *testing.T) {
	s := begin(t, harness.Options{})
	his := func(name, phase string) {
		s.must(plane.PatchPlayedStatus(harness.PodGroup, name,
			fmt.Sprintf(`{"status":{"phase":%q}}`, phase), "controller"))
	}
	for _, name := range []string{"first", "later"} {
		s.playPodGroup(name, map[string]any{"minMember": int64(1)})
	}
	his("first", "Pending")
	for _, name := range []string{"first", "later"} {
		s.must(plane.CreatePods(podOfGroup(name), 0, 1))
		s.waitBound(name, 1)
	}
	s.waitPhase("later", "Scheduling", 0, 0)
	his("later", "Unknown")
	for _, name := range []string{"first", "later"} {
		s.must(plane.Run(harness.PodName(name, 0)))
	}
	view.Never(s, "another's status is written", 4*time.Second, func() (bool, string) {
		for name, phase := range map[string]string{"first": "Pending", "later": "Unknown"} {
			object, err := plane.Played(harness.PodGroup, name)
			s.must(err)
			if got, _, _ := unstructured.NestedString(object.Object, "status", "phase"); got != phase {
				return true, name + " is " + got
			}
		}
		return false, ""
	})
}

// Nobody starts before the cluster has so much free, though the gang itself would have room.
func TestPodGroupMinResources(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	s.playPodGroup("ring", map[string]any{"minMember": int64(2),
		"minResources": map[string]any{string(harness.GPU): "33"}})
	s.must(plane.CreatePods(podOfGroup("ring"), 0, 2))
	view.Wait(s, "both are told", func() (bool, string) {
		count, text := told("ring", "wants 33 "+string(harness.GPU)+" free in the cluster, which has 32")
		return count == 2, text
	})
	s.staysUnbound("ring")
	s.must(plane.DeletePods("fill"))
	s.oneRack("ring", 2)
}

// Room waits for who is missing as long as the PodGroup says, and not as long as others' does.
func TestPodGroupTimeout(t *testing.T) {
	s := begin(t, harness.Options{GatherTimeout: time.Hour})
	s.playPodGroup("ring", map[string]any{"minMember": int64(2), "scheduleTimeoutSeconds": int64(2)})
	s.must(plane.CreatePods(podOfGroup("ring"), 0, 1))
	view.Wait(s, "it is told that its room was given back", func() (bool, string) {
		count, text := told("ring", "its room was given back")
		return count == 1, text
	})
	s.must(plane.CreatePods(podOfGroup("ring"), 1, 2))
	s.oneRack("ring", 2)
}
