package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

const startWord = "gangplan.io/start"

func startingJob(name, start string) harness.PodSpec {
	job := harness.GangJob(name, 8, "rack=pack!")
	job.Annotation[startWord] = start
	return job
}

// So many of a Job start together, and not fewer; the rest joins them as there is room, and so do
// those that it is scaled up by; nobody is missed when it is scaled down.
func TestElasticJob(t *testing.T) {
	s := begin(t, harness.Options{})
	rack := shape.RackNodes(2, 3)
	s.fill("most", 8, allNodesBut(rack...)...)
	s.fill("fill", 8, rack[1:]...)
	s.must(plane.CreateJob(startingJob("ring", "3"), 4))
	s.staysUnbound("ring")
	for _, pod := range view.Bound("fill")[:2] {
		s.must(plane.DeletePod(pod.Name))
	}
	view.Wait(s, "three of four run", func() (bool, string) {
		pods, bound := view.Count("ring")
		return pods == 4 && bound == 3, fmt.Sprintf("%d of %d", bound, pods)
	})
	s.checkRack(view.Bound("ring"))
	s.checkExplain("ring", "size by "+startWord+", of Job ring (spec.parallelism and completions)")
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.DeletePods("fill"))
	s.oneRack("ring", 4)
	s.must(plane.PatchJob("ring", `{"spec":{"parallelism":6,"completions":6}}`))
	s.oneRack("ring", 6)
	s.must(plane.PatchJob("ring", `{"spec":{"parallelism":2,"completions":2}}`))
	view.Wait(s, "two are left", func() (bool, string) {
		pods, bound := view.Count("ring")
		return pods == 2 && bound == 2, fmt.Sprintf("%d of %d", bound, pods)
	})
	s.must(plane.PatchJob("ring", `{"spec":{"parallelism":5,"completions":5}}`))
	s.oneRack("ring", 5)
}

// A gang of eight that four are enough for lives with six where an urgent one lacks two nodes; the
// other two come back when that has ended.
func TestElasticGangShrinks(t *testing.T) {
	s := begin(t, harness.Options{Preemption: true})
	rack := shape.RackNodes(2, 3)
	s.fillFirm("fill", 8, allNodesBut(rack...)...)
	s.must(plane.CreateJob(startingJob("ring", "4"), 8))
	s.runs("ring", 8)
	before := map[string]bool{}
	for _, pod := range view.Bound("ring") {
		before[pod.Name] = true
	}
	urgent := s.urgent("urgent", "rack=pack!")
	urgent.GPUs = 8
	s.must(plane.CreateJob(urgent, 4))
	s.oneRack("urgent", 4)
	stayed := 0
	for _, pod := range view.Bound("ring") {
		if before[pod.Name] && pod.DeletionTimestamp == nil {
			stayed++
		}
	}
	if stayed != 6 {
		t.Errorf("%d of the eight have stayed, 6 expected", stayed)
	}
	s.checkEvent("involvedObject.kind=Job,involvedObject.name=ring", "GangPreempted",
		"gives up 2 of its pods, which it can do without, to gang default/urgent of 4, priority 1000")
	s.must(plane.DeleteJob("urgent"))
	s.oneRack("ring", 8)
}

// Each starts as it comes, though others of the cluster wait for all.
func TestStartAtFirstMember(t *testing.T) {
	needsNoOperators(t)
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	owner, err := plane.Play(harness.RayCluster, "ray", map[string]string{placeWord: "rack=pack!", startWord: "first-member"},
		map[string]any{"headGroupSpec": map[string]any{"template": map[string]any{}},
			"workerGroupSpecs": []any{map[string]any{"groupName": "small", "replicas": int64(3), "maxReplicas": int64(3)}}})
	s.must(err)
	s.playRange(owner, playedPod("ray", 1, map[string]string{rayGroup: "headgroup"}), "ray-head", "", 0, 1)
	worker := playedPod("ray", 8, map[string]string{rayGroup: "small"})
	s.playRange(owner, worker, "ray-small", "", 0, 1)
	s.oneRack("ray", 2)
	s.playRange(owner, worker, "ray-small", "", 1, 3)
	s.oneRack("ray", 4)
}

// The example, as it is.
func TestElasticExample(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.ApplyExample("elastic-job.yaml", "elastic"))
	s.oneRack("elastic", 4)
}
