package scenarios

import (
	"testing"

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
