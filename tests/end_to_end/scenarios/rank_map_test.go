package scenarios

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

const ranksWord = "gangplan.io/ranks"

func nodeOf(node string) string { return node }

// nodesByRank is where the members of an indexed Job are, once all are bound.
func (s scenario) nodesByRank(name string, count int) []string {
	s.Helper()
	s.waitBound(name, count)
	nodes := make([]string, count)
	for _, pod := range view.Bound(name) {
		nodes[index(pod)] = pod.Spec.NodeName
	}
	return nodes
}

// checkUnits looks whether each `size` consecutive ranks are in one domain.
func (s scenario) checkUnits(nodes []string, size int, domainOf func(string) string) {
	s.Helper()
	for first := 0; first < len(nodes); first += size {
		for rank := first + 1; rank < first+size; rank++ {
			if domainOf(nodes[rank]) != domainOf(nodes[first]) {
				s.Errorf("rank %d is on %s, rank %d on %s: they are of one unit of %d", first,
					nodes[first], rank, nodes[rank], size)
			}
		}
	}
}

func (s scenario) podOfRank(name string, rank int) *corev1.Pod {
	s.Helper()
	for _, pod := range view.Bound(name) {
		if index(pod) == rank {
			return pod
		}
	}
	s.Fatalf("no pod of rank %d of %s is bound", rank, name)
	return nil
}

// A rank map of three levels where no node holds two units; members that are lost come back to their
// units, also after Gangplan has started anew; and one whose size is no multiple is told.
func TestRankMap(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("other", 1, allNodesBut()...)
	words := map[string]string{ranksWord: "tp=4 node; pp=3 rack; dp block"}
	s.must(plane.CreateJob(harness.WordedJob("model", 1, words), 36))
	before := s.nodesByRank("model", 36)
	s.checkUnits(before, 4, nodeOf)
	s.checkUnits(before, 12, rackOf)
	s.checkUnits(before, 36, func(node string) string { return domain(node)[0] })
	s.checkExplain("model", "ranks tp=4 node; pp=3 rack; dp block")

	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	for _, rank := range []int{13, 30} {
		lost := s.podOfRank("model", rank)
		s.must(plane.DeletePod(lost.Name))
		view.Wait(s, fmt.Sprintf("rank %d is made anew and bound", rank), func() (bool, string) {
			for _, pod := range view.Bound("model") {
				if index(pod) == rank && pod.UID != lost.UID {
					return true, ""
				}
			}
			return false, "it is not there"
		})
	}
	for rank, node := range s.nodesByRank("model", 36) {
		if node != before[rank] {
			s.Errorf("rank %d has come back on %s, it was on %s", rank, node, before[rank])
		}
	}

	s.must(plane.CreateJob(harness.WordedJob("uneven", 1, words), 10))
	s.waitTold("uneven", 10, "node=pack ranks=4: 10 members are no multiple of 4")
}

// The example, as people apply it.
func TestRankMapExample(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.ApplyExample("job-ranks.yaml", "pipeline"))
	nodes := s.nodesByRank("pipeline", 16)
	s.checkUnits(nodes, 4, nodeOf)
	s.checkUnits(nodes, 8, rackOf)
}
