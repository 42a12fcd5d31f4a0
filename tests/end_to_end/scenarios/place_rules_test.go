package scenarios

import (
	"maps"
	"slices"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Rules at three levels: two racks of one block, half of the members in each, and an even number on
// every node. One GPU of each node is taken, so that seven members would fit.
func TestRulesAtThreeLevels(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("other", 1, allNodesBut()...)
	s.must(plane.CreateJob(harness.GangJob("trainer", 1,
		"block=pack!; rack=spread partitions=2; node=pack factor=2"), 32))
	s.waitBound("trainer", 32)
	s.checkJob("trainer", 1, 2, 6)
	s.checkCounts("trainer", rackOf, []int{16, 16}, []int{6, 6, 6, 6, 4, 4})
}

// One rack in each of two blocks is free: two racks, but not of one block. Then another rack of the
// first block is given back, node by node: two of them are enough.
func TestRulesThatDoNotFit(t *testing.T) {
	const rules = "block=pack!; rack=spread partitions=2 max=16; node=pack factor=4"
	s := begin(t, harness.Options{})
	next := shape.RackNodes(1, 9)
	kept := slices.Concat(shape.RackNodes(1, 3), shape.RackNodes(4, 0), next)
	s.fill("fill", 8, allNodesBut(kept...)...)
	s.fill("fill-next", 8, next...)
	s.must(plane.CreateJob(harness.GangJob("trainer", 1, rules), 32))
	s.waitTold("trainer", 32, "rack=spread partitions=2 max=16")
	s.checkExplain("trainer", "rack=spread partitions=2 max=16")

	s.must(plane.DeletePods("fill-next"))
	s.waitBound("trainer", 32)
	s.checkJob("trainer", 1, 2, 4)
	s.checkCounts("trainer", rackOf, []int{16, 16}, []int{8, 8, 8, 8})
}

// checkCounts looks at how many members lie in each rack and on each node that is used; both counts
// are in descending order.
func (s scenario) checkCounts(name string, rackOf func(string) string, inRacks, onNodes []int) {
	s.Helper()
	racks, nodes := map[string]int{}, map[string]int{}
	for _, node := range places(name) {
		racks[rackOf(node)]++
		nodes[node]++
	}
	if got := descending(racks); !slices.Equal(got, inRacks) {
		s.Errorf("%s has %v members in racks, wanted %v", name, got, inRacks)
	}
	if got := descending(nodes); !slices.Equal(got, onNodes) {
		s.Errorf("%s has %v members on nodes, wanted %v", name, got, onNodes)
	}
}

func descending(counts map[string]int) []int {
	sorted := slices.Sorted(maps.Values(counts))
	slices.Reverse(sorted)
	return sorted
}
