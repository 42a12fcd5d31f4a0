package scenarios

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// gated are the pods of the batch that have a gate.
func gated(name string) int {
	count := 0
	for _, pod := range view.Pods(name) {
		if len(pod.Spec.SchedulingGates) > 0 {
			count++
		}
	}
	return count
}

// waitGated waits until all pods are there, so many of them behind a gate.
func (s scenario) waitGated(name string, members, behind int) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("%d of %d pods of %s are gated", behind, members, name),
		func() (bool, string) {
			pods, _ := view.Count(name)
			count := gated(name)
			return pods == members && count == behind, fmt.Sprintf("%d of %d", count, pods)
		})
}

// staysGated is that nothing becomes of the pods for a while.
func (s scenario) staysGated(name string, members int) {
	s.Helper()
	view.Never(s, "a pod of "+name+" is released", 2*time.Second, func() (bool, string) {
		count := gated(name)
		return count != members, fmt.Sprintf("%d of %d are gated", count, members)
	})
}

// checkReleased is that each pod of the batch may use so many nodes by name, and was not nominated.
func (s scenario) checkReleased(name string, nodes int) {
	s.Helper()
	for _, pod := range view.Bound(name) {
		if names := namesIn(pod); names != nodes {
			s.Errorf("%s may use %d nodes by name, not %d", pod.Name, names, nodes)
		}
		if pod.Annotations[harness.PinnedKey] == "" {
			s.Errorf("%s does not tell of its pin", pod.Name)
		}
	}
	if nominated := view.Nominated(name); nominated > 0 {
		s.Errorf("%d pods were nominated, though each was released to its place", nominated)
	}
}

// Members that wait behind our gate are planned and released with their place, in one rack.
func TestGatedGangIsReleased(t *testing.T) {
	const members = 40
	s := begin(t, harness.Options{Gates: "gangplan"})
	rack := shape.RackNodes(1, 7)
	s.fill("fill", 8, allNodesBut(rack...)...)
	s.must(plane.CreateJob(harness.GatedJob("trainer", 2, "rack=pack!"), members))
	s.waitBound("trainer", members)
	s.checkExtent(view.Bound("trainer"), 1, 1, 10)
	s.checkReleased("trainer", len(rack))
	for _, pod := range view.Bound("trainer") {
		if len(pod.ManagedFields) > 0 {
			s.Errorf("%s still tells who has written its fields", pod.Name)
		}
	}
}

// Without room for all nobody is released and the scheduler is not asked; when room comes free all
// are. A pod that is lost while the gang runs is replaced.
func TestGatedGangWaits(t *testing.T) {
	s := begin(t, harness.Options{Gates: "gangplan"})
	rack := shape.RackNodes(0, 3)
	s.fill("fill", 8, allNodesBut(rack[:2]...)...)
	s.must(plane.CreateJob(harness.GatedJob("patient", 8, "rack=pack!"), 3))
	s.waitGated("patient", 3, 3)
	s.staysGated("patient", 3)
	if text, err := s.Probe("/v1/explain/default/patient"); err != nil {
		s.Errorf("explain: %v", err)
	} else {
		s.Logf("it waits: %s", text)
	}
	s.must(plane.DeletePods("fill"))
	s.waitBound("patient", 3)
	s.checkExtent(view.Bound("patient"), 1, 1, 3)
	lost := view.Bound("patient")[0]
	s.must(plane.DeletePod(lost.Name))
	view.Wait(s, "the lost pod is replaced", func() (bool, string) {
		bound := view.Bound("patient")
		again := slices.ContainsFunc(bound, func(pod *corev1.Pod) bool { return pod.UID == lost.UID })
		return len(bound) == 3 && !again, fmt.Sprintf("%d bound", len(bound))
	})
	s.checkExtent(view.Bound("patient"), 1, 1, 3)
}

// What the user asks of nodes stays in each term; whole gangs wait behind another gate, too, and go
// when that has gone.
func TestGatedWithWordsAndGatesOfOthers(t *testing.T) {
	const members = 4
	s := begin(t, harness.Options{Gates: "gangplan"})
	job := harness.Job(harness.GatedJob("picky", 8, "rack=pack!"), members)
	job.Spec.Template.Spec.SchedulingGates = append(job.Spec.Template.Spec.SchedulingGates,
		corev1.PodSchedulingGate{Name: "example.com/quota"})
	own := corev1.NodeSelectorRequirement{Key: harness.BlockLabel,
		Operator: corev1.NodeSelectorOpIn, Values: []string{"block-02"}}
	job.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{own}}}}}}
	s.must(plane.Submit(job))
	s.waitGated("picky", members, members)
	s.staysGated("picky", members)
	for _, pod := range view.Pods("picky") {
		s.must(plane.PatchPod(pod.Name,
			`{"spec":{"schedulingGates":[{"$patch":"delete","name":"example.com/quota"}]}}`))
	}
	s.waitBound("picky", members)
	s.checkExtent(view.Bound("picky"), 1, 1, members)
	for _, pod := range view.Bound("picky") {
		terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		if first := terms.NodeSelectorTerms[0].MatchExpressions[0]; first.Key != own.Key {
			s.Errorf("%s asks for %v", pod.Name, terms)
		}
	}
}

// Kueue's topology gate is Kueue's own, unless the operator says otherwise.
func TestGatedByKueue(t *testing.T) {
	spec := harness.WordedJob("queued", 8, map[string]string{kueueRequired: harness.RackLabel})
	spec.Gates = []string{harness.KueueGate}
	t.Run("left to Kueue", func(t *testing.T) {
		s := begin(t, harness.Options{Gates: "gangplan"})
		s.must(plane.CreateJob(spec, 3))
		s.waitGated("queued", 3, 3)
		s.staysGated("queued", 3)
	})
	t.Run("ours", func(t *testing.T) {
		s := begin(t, harness.Options{Gates: "gangplan-and-kueue"})
		s.must(plane.CreateJob(spec, 3))
		s.waitBound("queued", 3)
		s.checkExtent(view.Bound("queued"), 1, 1, 3)
	})
}

// Gangplan dies in the middle of a release: the next one releases the rest to the same nodes.
func TestGatedOutlivesGangplan(t *testing.T) {
	const members = 64
	s := begin(t, harness.Options{Gates: "gangplan"})
	s.must(plane.CreateJob(harness.GatedJob("orphan", 1, "rack=pack!"), members))
	view.Wait(s, "one of them is released", func() (bool, string) {
		pods, _ := view.Count("orphan")
		count := gated("orphan")
		return pods == members && count < members, fmt.Sprintf("%d of %d are gated", count, pods)
	})
	s.Gangplan.Kill()
	s.Logf("killed with %d of %d behind their gate", gated("orphan"), members)
	s.must(s.StartGangplan())
	s.waitBound("orphan", members)
	s.checkExtent(view.Bound("orphan"), 1, 1, 8)
	first := view.Bound("orphan")[0].Spec.Affinity.NodeAffinity
	for _, pod := range view.Bound("orphan") {
		if pod.Spec.Affinity.NodeAffinity.String() != first.String() {
			s.Errorf("%s was released to other nodes than the others", pod.Name)
		}
	}
}

// All nodes that its members were released to go before the scheduler has looked at them: they are
// made anew, and released to others.
func TestGatedLosesItsNodes(t *testing.T) {
	const members = 10
	s := begin(t, harness.Options{Gates: "gangplan"})
	racks := [][]string{shape.RackNodes(3, 3), shape.RackNodes(3, 4)}
	spare := shape.RackNodes(0, 0)[:1]
	s.fill("fill", 8, allNodesBut(slices.Concat(append(racks, spare)...)...)...)
	s.must(plane.CreateJob(harness.GangJob("primer", 1, "rack=pack!"), 1)) // which makes it active
	s.waitBound("primer", 1)
	s.Scheduler.Kill()
	spec := harness.GatedJob("nomad", 8, "rack=pack!")
	spec.Annotation[harness.SizeKey] = fmt.Sprint(members)
	s.must(plane.CreateReplicaSet(spec, members))
	t.Cleanup(func() { s.must(plane.DeleteReplicaSet("nomad")) })
	s.waitGated("nomad", members, 0)
	s.losesItsRack("nomad", members, racks, harness.Deadline)
	s.must(s.StartScheduler())
	s.waitBound("nomad", members)
}

// A Job's pods that are made anew since their nodes have gone are evicted: they count as failed, but
// for a Job that says not to count disruptions.
func TestGatedJobLosesItsNodes(t *testing.T) {
	const members = 3
	never := func(job *batchv1.Job) *batchv1.Job {
		job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
				{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
		}}}
		none := int32(0)
		job.Spec.BackoffLimit = &none
		return job
	}
	asIs := func(job *batchv1.Job) *batchv1.Job { return job }
	for _, one := range []struct {
		name   string
		policy func(*batchv1.Job) *batchv1.Job
		failed int32
	}{{"counted", asIs, members}, {"not counted", never, 0}} {
		t.Run(one.name, func(t *testing.T) {
			s := begin(t, harness.Options{Gates: "gangplan"})
			racks := [][]string{shape.RackNodes(3, 3)[:members], shape.RackNodes(3, 4)[:members]}
			spare := shape.RackNodes(0, 0)[:1]
			s.fill("fill", 8, allNodesBut(slices.Concat(append(racks, spare)...)...)...)
			s.must(plane.CreateJob(harness.GangJob("primer", 1, "rack=pack!"), 1)) // which makes it active
			s.waitBound("primer", 1)
			s.Scheduler.Kill()
			s.must(plane.Submit(one.policy(harness.Job(harness.GatedJob("nomad", 8, "rack=pack!"), members))))
			s.waitGated("nomad", members, 0)
			s.losesItsRack("nomad", members, racks, 3*time.Minute) // the Job pauses first
			s.must(s.StartScheduler())
			s.waitBound("nomad", members)
			job, err := plane.Job("nomad")
			s.must(err)
			if job.Status.Failed != one.failed {
				s.Errorf("%d of its pods count as failed, not %d", job.Status.Failed, one.failed)
			}
		})
	}
}

// Who waits behind our gate and is of no gang stays, and is told why by an Event on the pod.
func TestGatedWithoutAGang(t *testing.T) {
	s := begin(t, harness.Options{Gates: "gangplan"})
	s.must(plane.CreateJob(harness.GangJob("primer", 1, "rack=pack!"), 1)) // which makes it active
	s.waitBound("primer", 1)
	spec := harness.Foreign("lost", 1)
	spec.Scheduler, spec.Gates = harness.GangScheduler, []string{harness.GangGate}
	s.must(plane.CreateJob(spec, 2))
	s.waitGated("lost", 2, 2)
	view.Wait(s, "one Event on a pod says why", func() (bool, string) {
		events, err := plane.Client.EventsV1().Events(harness.Namespace).List(context.Background(),
			metav1.ListOptions{FieldSelector: "reason=GateStays,regarding.kind=Pod"})
		if err != nil {
			return false, err.Error()
		}
		return len(events.Items) == 1, fmt.Sprintf("%d Events", len(events.Items))
	})
	text, err := s.Probe("/v1/explain/default/" + view.Pods("lost")[1].Name)
	s.must(err)
	s.Logf("it waits: %s", text)
	s.staysGated("lost", 2)
}

// What the API server adds to pods counts before they are planned.
func TestGatedWithLimitRange(t *testing.T) {
	s := begin(t, harness.Options{Gates: "gangplan"})
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "defaults"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type:           corev1.LimitTypeContainer,
			Default:        corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("40")},
			DefaultRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("40")},
		}}}}
	ranges := plane.Client.CoreV1().LimitRanges(harness.Namespace)
	_, err := ranges.Create(context.Background(), limits, metav1.CreateOptions{})
	s.must(err)
	defer ranges.Delete(context.Background(), limits.Name, metav1.DeleteOptions{})
	job := harness.Job(harness.GatedJob("ranged", 1, "rack=pack!"), 6)
	resources := job.Spec.Template.Spec.Containers[0].Resources
	delete(resources.Requests, corev1.ResourceCPU)
	delete(resources.Limits, corev1.ResourceCPU)
	s.must(plane.Submit(job))
	s.waitBound("ranged", 6)
	s.checkExtent(view.Bound("ranged"), 1, 1, 6)
}
