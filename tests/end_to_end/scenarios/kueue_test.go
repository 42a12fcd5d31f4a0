package scenarios

import (
	"fmt"
	"maps"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// The words of Kueue's Topology Aware Scheduling, as its users write them on a Job's template.
const (
	kueueRequired   = "kueue.x-k8s.io/podset-required-topology"
	kueuePreferred  = "kueue.x-k8s.io/podset-preferred-topology"
	kueueSliceLevel = "kueue.x-k8s.io/podset-slice-required-topology"
	kueueSliceSize  = "kueue.x-k8s.io/podset-slice-size"
	kueueGroupName  = "kueue.x-k8s.io/podset-group-name"
	workerIndex     = "leaderworkerset.sigs.k8s.io/worker-index"
)

func TestKueueRequired(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateJob(harness.WordedJob("trainer", 1,
		map[string]string{kueueRequired: harness.RackLabel}), 64))
	s.waitBound("trainer", 64)
	s.checkJob("trainer", 1, 1, 8)
}

// A rack holds 80: 200 members are spread over the fewest racks of one block.
func TestKueuePreferred(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateJob(harness.WordedJob("trainer", 1,
		map[string]string{kueuePreferred: harness.RackLabel}), 200))
	s.waitBound("trainer", 200)
	s.checkJob("trainer", 1, 3, 25)
}

// Slices of 32 stay in a rack, which has room for two of them and not for two and a half.
func TestKueueSlices(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateJob(harness.WordedJob("trainer", 1, map[string]string{
		kueueRequired:   harness.BlockLabel,
		kueueSliceLevel: harness.RackLabel,
		kueueSliceSize:  "32",
	}), 96))
	s.waitBound("trainer", 96)
	s.checkJob("trainer", 1, 2, 12)
	s.checkSlices("trainer", 32)
}

// All racks are empty; the pods would rather have a seventh one.
func TestKueuePreferredAffinity(t *testing.T) {
	s := begin(t, harness.Options{Affinity: true})
	job := harness.WordedJob("trainer", 1, map[string]string{kueueRequired: harness.RackLabel})
	job.Prefers = &corev1.NodeSelectorRequirement{Key: harness.RackLabel,
		Operator: corev1.NodeSelectorOpIn, Values: []string{"rack-07"}}
	s.must(plane.CreateJob(job, 64))
	s.waitBound("trainer", 64)
	s.checkJob("trainer", 1, 1, 8)
	if rack := domain(view.Bound("trainer")[0].Spec.NodeName)[1]; rack != "rack-07" {
		s.Errorf("the gang lies in %s", rack)
	}
}

// Two slices of eight whole nodes lie in two racks of a block; both racks have two nodes to spare. A
// node that is not heard of any more loses its pod, as the taint manager would have it, and the Job's
// new pod joins its slice.
func TestKueueFailedNode(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateJob(harness.WordedJob("trainer", shape.GPUs, map[string]string{
		kueueRequired:   harness.BlockLabel,
		kueueSliceLevel: harness.RackLabel,
		kueueSliceSize:  "8",
	}), 16))
	s.waitBound("trainer", 16)
	s.checkSlices("trainer", 8)
	lost := view.Bound("trainer")[0]
	failed := lost.Spec.NodeName
	t.Cleanup(func() {
		s.must(plane.SetReady(failed, corev1.ConditionTrue))
		view.Wait(s, "the node is back", func() (bool, string) { return isReady(failed), "" })
	})

	s.must(plane.SetReady(failed, corev1.ConditionUnknown))
	s.must(plane.DeletePod(lost.Name))
	taken := view.Wait(s, "the lost pod is replaced", func() (bool, string) {
		bound := view.Bound("trainer")
		for _, pod := range bound {
			if pod.UID == lost.UID {
				return false, "the lost pod is still there"
			}
		}
		return len(bound) == 16, fmt.Sprintf("%d bound", len(bound))
	})
	s.Logf("the new pod is bound after %s", seconds(taken))
	s.checkSlices("trainer", 8)
	for _, pod := range view.Bound("trainer") {
		if pod.Spec.NodeName == failed {
			s.Errorf("%s is on %s, which has failed", pod.Name, failed)
		}
		if index(pod) == index(lost) && rackOf(pod.Spec.NodeName) != rackOf(failed) {
			s.Errorf("%s is in another rack than its slice: %s", pod.Name, pod.Spec.NodeName)
		}
	}
}

func isReady(node string) bool {
	for _, condition := range view.Node(node).Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// A leader that takes a whole node and 72 workers of one GPU each fill a rack: they need one that is
// empty, and the leader comes last.
func TestKueueLeaderAndWorkers(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("other", 1, shape.RackNodes(0, 0)[3], shape.RackNodes(0, 1)[0])
	words := map[string]string{
		harness.GroupKey: "ring", harness.SizeKey: "73", harness.PodSetsKey: "leader=1,workers=72",
		kueueRequired: harness.RackLabel, kueueGroupName: "lw",
	}
	member := func(set string, gpus, index int) {
		own := maps.Clone(words)
		own[harness.PodSetKey] = set
		own[workerIndex] = strconv.Itoa(index)
		s.must(plane.CreatePod(harness.WordedJob("ring", gpus, own), index))
	}
	for i := 1; i <= 72; i++ {
		member("workers", 1, i)
	}
	member("leader", 8, 0)
	s.waitBound("ring", 73)
	s.checkExtent(view.Bound("ring"), 1, 1, 10)
	s.checkLeaderAndWorkers("ring")
	if rack := rackOf(view.Bound("ring")[0].Spec.NodeName); rack != "block-00/rack-02" {
		s.Errorf("the gang is in %s, not in the first rack that is empty", rack)
	}
}

// checkLeaderAndWorkers looks at whether the leader has its node alone, and whether each pod was
// told its rank within its pod set: workers count from 1.
func (s scenario) checkLeaderAndWorkers(name string) {
	s.Helper()
	pods := map[string]int{}
	leaders := map[string]bool{}
	for _, pod := range view.Bound(name) {
		pods[pod.Spec.NodeName]++
		first := 1
		if pod.Annotations[harness.PodSetKey] == "leader" {
			first = 0
			leaders[pod.Spec.NodeName] = true
		}
		index, _ := strconv.Atoi(pod.Annotations[workerIndex])
		if got := pod.Annotations[harness.AssignedRankKey]; got != strconv.Itoa(index-first) {
			s.Errorf("%s with index %d was assigned rank %q", pod.Name, index, got)
		}
	}
	for node := range leaders {
		if pods[node] != 1 {
			s.Errorf("%d pods are on %s, which the leader needs alone", pods[node], node)
		}
	}
	if len(leaders) != 1 {
		s.Errorf("leaders are on %d nodes", len(leaders))
	}
}

// 100 members need 13 nodes: 12 full ones and half of another, or 7 and 8 on each.
func TestKueueBalanced(t *testing.T) {
	s := begin(t, harness.Options{Balanced: true})
	s.must(plane.CreateJob(harness.WordedJob("trainer", 1,
		map[string]string{kueuePreferred: harness.RackLabel}), 100))
	s.waitBound("trainer", 100)
	s.checkJob("trainer", 1, 2, 13)
	pods := map[string]int{}
	for _, pod := range view.Bound("trainer") {
		pods[pod.Spec.NodeName]++
	}
	for node, count := range pods {
		if count < 7 {
			s.Errorf("%d of 100 members are on %s, wanted 7 or 8", count, node)
		}
	}
}

// checkSlices looks at whether members of consecutive ranks, `size` at a time, share a rack.
func (s scenario) checkSlices(name string, size int) {
	s.Helper()
	racks := map[int]string{}
	for _, pod := range view.Bound(name) {
		slice := index(pod) / size
		rack := view.Node(pod.Spec.NodeName).Labels[harness.BlockLabel] + "/" +
			view.Node(pod.Spec.NodeName).Labels[harness.RackLabel]
		if seen, ok := racks[slice]; ok && seen != rack {
			s.Errorf("slice %d lies in %s and in %s", slice, seen, rack)
		}
		racks[slice] = rack
	}
}
