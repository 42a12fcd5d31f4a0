package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gangplan.io/tests/end_to_end/harness"
)

// training is a JobSet of one driver and 2 Jobs of 4 workers, each of 8 GPUs, all in one rack.
func training(name string, suspended bool) harness.JobSet {
	return harness.JobSet{Name: name, Suspended: suspended, Parts: []harness.ReplicatedJob{
		{Name: "driver", Jobs: 1, Pods: 1, Spec: harness.GangJob(name, 2, "rack=pack!")},
		{Name: "workers", Jobs: 2, Pods: 4, Spec: harness.GangJob(name, 8, "rack=pack!")},
	}}
}

const trainers = 9 // pods of one training, on as many nodes

func (s scenario) submit(set harness.JobSet) {
	s.Helper()
	_, err := plane.SubmitJobSet(set, false)
	s.must(err)
}

// partsOf is the pods of one replicated Job, in the order of their Jobs and their indices there.
func partsOf(name, part string) []*corev1.Pod {
	pods := slices.DeleteFunc(view.Pods(name), func(pod *corev1.Pod) bool {
		return pod.Labels[harness.ReplicatedJobKey] != part
	})
	job := func(pod *corev1.Pod) int { number, _ := strconv.Atoi(pod.Labels[harness.JobIndexKey]); return number }
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return 1000*(job(a)-job(b)) + index(a) - index(b)
	})
	return pods
}

func isSetSuspended(set *unstructured.Unstructured) bool {
	suspended, _, _ := unstructured.NestedBool(set.Object, "spec", "suspend")
	return suspended
}

// checkTraining looks at a training that is bound: one gang in one rack, ranked Job after Job.
func (s scenario) checkTraining(name string) {
	s.Helper()
	s.checkExtent(view.Bound(name), 1, 1, trainers)
	for rank, pod := range partsOf(name, "workers") {
		if got := pod.Annotations[harness.AssignedRankKey]; got != strconv.Itoa(rank) {
			s.Errorf("%s was assigned rank %q, not %d", pod.Name, got, rank)
		}
	}
}

// checkStarted looks at a training that Gangplan has started: each pod may use the rack's nodes
// alone, by name, and none was nominated.
// setWaits is a JobSet that is suspended, and whose Jobs have no pods for a while.
// The pods of all its Jobs are one gang, with a pod set for each replicated Job.
func TestJobSetIsOneGang(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(slices.Concat(shape.RackNodes(1, 3), shape.RackNodes(2, 5)[:8])...)...)
	s.submit(training("train", false))
	s.waitBound("train", trainers)
	s.checkTraining("train")
}

// One that does not fit is nowhere, and says why; with room it starts whole.
func TestJobSetWaits(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 3)[:8]...)...)
	set := training("train", false)
	set.Words = map[string]string{harness.PlaceKey: "rack=pack!"}
	for i := range set.Parts {
		set.Parts[i].Spec.Annotation = nil // the JobSet alone speaks
	}
	s.submit(set)
	view.Wait(s, "its pods are there", func() (bool, string) {
		pods, _ := view.Count("train")
		return pods == trainers, fmt.Sprintf("%d pods", pods)
	})
	view.Never(s, "one of them is bound", 2*time.Second, func() (bool, string) {
		_, bound := view.Count("train")
		return bound > 0, fmt.Sprintf("%d bound", bound)
	})
	if text, err := s.Probe("/v1/explain/default/train"); err != nil {
		s.Errorf("explain: %v", err)
	} else {
		s.Logf("it waits: %s", text)
	}
	s.must(plane.DeletePods("fill"))
	s.waitBound("train", trainers)
	s.checkTraining("train")
}

// Where only one template speaks, the pods of that one are the gang, and the others are nobody's.
func TestJobSetOfWhichOneTemplateSpeaks(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 3)[:7]...)...)
	set := training("train", false)
	set.Parts[0].Spec = harness.PodSpec{Name: "driver", GPUs: 2, Scheduler: harness.GangScheduler}
	s.submit(set)
	s.waitBound("driver", 1)
	view.Never(s, "a worker is bound", 2*time.Second, func() (bool, string) {
		_, bound := view.Count("train")
		return bound > 0, fmt.Sprintf("%d bound", bound)
	})
	s.must(plane.DeletePods("fill"))
	s.waitBound("train", trainers-1)
	s.checkExtent(view.Bound("train"), 1, 1, 8)
}

// Two Jobs of 16, each in a rack of its own by our words, and a driver that needs none. By JobSet's own
// word for it, whose webhook holds all pods of a Job but the first back, the pods that are there are told
// which words these are, though JobSet's controller put that word on them.
func TestJobSetOfExclusiveRacks(t *testing.T) {
	s := begin(t, harness.Options{RejectMax: 1000})
	set := harness.JobSet{Name: "racks", Parts: []harness.ReplicatedJob{
		{Name: "driver", Jobs: 1, Pods: 1, Spec: harness.PodSpec{Name: "driver", GPUs: 2, Scheduler: harness.GangScheduler}},
		{Name: "workers", Jobs: 2, Pods: 16, Spec: harness.WordedJob("racks", 2,
			map[string]string{"gangplan.io/ranks": "job=16 rack", placeWord: "rack=pack max=16"})},
	}}
	s.submit(set)
	s.waitBound("driver", 1)
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.waitBound("racks", 32)
	s.checkExtent(view.Bound("racks"), 1, 2, 8)
	of := map[string]string{} // the Job that has the rack
	for rank, pod := range partsOf("racks", "workers") {
		if got := pod.Annotations[harness.AssignedRankKey]; got != strconv.Itoa(rank) {
			s.Errorf("%s was assigned rank %q, not %d", pod.Name, got, rank)
		}
		rack, job := rackOf(pod.Spec.NodeName), pod.Labels[harness.JobIndexKey]
		if other, taken := of[rack]; taken && other != job {
			s.Errorf("%s of Job %s is in %s, where Job %s is", pod.Name, job, rack, other)
		}
		of[rack] = job
	}
	set.Name, set.Words = "held", map[string]string{harness.JobSetExclusive: harness.RackLabel}
	set.Parts[0].Spec.Name, set.Parts[1].Spec.Name = "guide", "held"
	set.Parts[1].Spec.Annotation = map[string]string{placeWord: "rack=pack!"}
	s.submit(set)
	s.waitBound("guide", 1)
	view.Wait(s, "its pods say what to write instead", func() (bool, string) {
		count, text := told("held", harness.JobSetExclusive+": the pods of a Job of workers are made when its first "+
			`one has a node, so they never wait for each other; expected gangplan.io/ranks: "job=16 rack" and `+
			`gangplan.io/place: "rack=pack max=16" on the template of workers alone in its place`)
		return count == 32, fmt.Sprintf("%d of 32: %s", count, text)
	})
}

// Of one that starts its Jobs in order each replicated Job is a gang: the next one comes when it
// runs.
func TestJobSetInOrder(t *testing.T) { jobSetInOrder(t, false) }

// Such a JobSet is started at once where it waits suspended: never are all of its pods there.
func TestSuspendedJobSetInOrder(t *testing.T) { jobSetInOrder(t, true) }

func jobSetInOrder(t *testing.T, suspended bool) {
	s := begin(t, harness.Options{Suspended: suspended})
	set := training("train", suspended)
	set.InOrder = true
	for i := range set.Parts {
		set.Parts[i].Spec.Name = set.Parts[i].Name
	}
	s.submit(set)
	s.waitBound("driver", 1)
	if pods, _ := view.Count("workers"); pods > 0 {
		s.Errorf("%d workers are there before the driver runs", pods)
	}
	s.must(plane.Run(view.Pods("driver")[0].Name))
	s.waitBound("workers", trainers-1)
	s.checkExtent(view.Bound("workers"), 1, 1, 8)
}

// A JobSet that waits has Jobs, suspended, and no pods. It is planned from its templates; its Jobs
// are given the nodes of its rack, and it is resumed.
// While it waits it may be changed, and its parts may be scaled; it says why it waits.
// The policy of examples/ suspends and marks JobSets that carry our words, and not their Jobs.
// pinned is how many Jobs of the JobSet have nodes of ours in their template.
// Gangplan dies when it has written one of three Jobs, or all of them, and not the JobSet. The next
// one plans it anew, elsewhere, and gives the Jobs its own nodes.
// All nodes that it was started on go before the scheduler has looked at its pods: it is suspended
// again, and started on others.
// A person suspends one that runs, for Gangplan to start it again.
// It is deleted while it waits, and another one of its name is started.
// A Job of it fails: the JobSet deletes all and makes them anew, which are a gang again.
// Beside one that Gangplan does not know as a kind nothing changes: without the option a JobSet that
// waits is left alone.
// What the road of a suspended JobSet stands on, of its controller alone: its Jobs are there,
// suspended; resuming merges node selectors of its templates into them, and no affinity; one that
// was patched into a Job stays, and its pods are born with it.
func TestJobSetControllerResumes(t *testing.T) {
	s := begin(t, harness.Options{})
	set := training("train", true)
	for i := range set.Parts {
		set.Parts[i].Spec = harness.Foreign("train", 1)
	}
	s.submit(set)
	s.must(harness.Eventually("its Jobs are there, and it says so", func() error {
		object, err := plane.JobSet("train")
		if err != nil {
			return err
		}
		statuses, _, _ := unstructured.NestedSlice(object.Object, "status", "replicatedJobsStatus")
		suspended := int64(0)
		for _, status := range statuses {
			count, _, _ := unstructured.NestedInt64(status.(map[string]any), "suspended")
			suspended += count
		}
		if suspended != 3 {
			return fmt.Errorf("%d of 3 Jobs are suspended", suspended)
		}
		return nil
	}))
	rack := shape.RackNodes(2, 2)
	pin := func(key string) string {
		return fmt.Sprintf(`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":`+
			`{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["%s"]}]}]}}}`, key)
	}
	s.must(plane.PatchJob("train-workers-1", `{"spec":{"template":{"spec":{"affinity":`+pin(rack[0])+`}}}}`))
	s.changeTemplates("train", func(template map[string]any) error {
		affinity := map[string]any{}
		if err := json.Unmarshal([]byte(pin(rack[1])), &affinity); err != nil {
			return err
		}
		if err := unstructured.SetNestedMap(template, affinity, "spec", "affinity"); err != nil {
			return err
		}
		return unstructured.SetNestedField(template, domain(rack[0])[0], "spec", "nodeSelector", harness.BlockLabel)
	})
	s.must(plane.PatchJobSet("train", `{"spec":{"suspend":false}}`))
	s.waitBound("train", trainers)
	for _, pod := range view.Bound("train") {
		if pod.Spec.NodeSelector[harness.BlockLabel] == "" {
			s.Errorf("%s has no node selector", pod.Name)
		}
		patched := pod.Labels["batch.kubernetes.io/job-name"] == "train-workers-1"
		if names := namesIn(pod); patched != (names == 1) {
			s.Errorf("%s may use %d nodes by name", pod.Name, names)
		}
		if patched && pod.Spec.NodeName != rack[0] {
			s.Errorf("%s is on %s", pod.Name, pod.Spec.NodeName)
		}
	}
}

// changeTemplates changes the template of the pods of each replicated Job.
func (s scenario) changeTemplates(name string, change func(template map[string]any) error) {
	s.Helper()
	set, err := plane.JobSet(name)
	s.must(err)
	parts, _, err := unstructured.NestedSlice(set.Object, "spec", "replicatedJobs")
	s.must(err)
	for _, part := range parts {
		template, _, err := unstructured.NestedMap(part.(map[string]any), "template", "spec", "template")
		s.must(err)
		s.must(change(template))
		s.must(unstructured.SetNestedMap(part.(map[string]any), template, "template", "spec", "template"))
	}
	text, err := json.Marshal(map[string]any{"spec": map[string]any{"replicatedJobs": parts}})
	s.must(err)
	s.must(plane.PatchJobSet(name, string(text)))
}

// What docs/suspended-jobs.md shows starts as it is shown there.
