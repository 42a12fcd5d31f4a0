package scenarios

import (
	"fmt"
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
