package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

const completionIndex = "batch.kubernetes.io/job-completion-index"

// At 1,000 nodes the scheduler offers a sample, unless told otherwise.
const everyNode = 100 // percentageOfNodesToScore

func TestJobInOneRack(t *testing.T) { jobInOneRack(t, harness.Options{}) }

func TestJobInOneRackWhenEveryNodeIsOffered(t *testing.T) {
	jobInOneRack(t, harness.Options{Percentage: everyNode})
}

func TestJobInOneBlock(t *testing.T) { jobInOneBlock(t, harness.Options{}) }

func TestJobInOneBlockWhenEveryNodeIsOffered(t *testing.T) {
	jobInOneBlock(t, harness.Options{Percentage: everyNode})
}

func jobInOneRack(t *testing.T, options harness.Options) {
	s := begin(t, options)
	s.must(plane.CreateJob(harness.GangJob("trainer", 1, "rack=pack!"), 64))
	s.waitBound("trainer", 64)
	s.checkJob("trainer", 1, 1, 8)
}

func jobInOneBlock(t *testing.T, options harness.Options) {
	s := begin(t, options)
	s.must(plane.CreateJob(harness.GangJob("trainer", 1, "block=pack!"), 512))
	s.waitBound("trainer", 512)
	s.checkJob("trainer", 1, 7, 64)
}

// checkJob looks at every pod of a bound Indexed Job: the numbers of blocks, racks and nodes that
// it lies on, ranks that follow the tree, and what Gangplan has written on the pods.
func (s scenario) checkJob(name string, blocks, racks, nodes int) {
	s.Helper()
	pods := view.Bound(name)
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(index(a), index(b)) })
	s.checkExtent(pods, blocks, racks, nodes)
	for i, pod := range pods {
		if index(pod) != i {
			s.Fatalf("the pods' completion indices are not 0..%d", len(pods)-1)
		}
		if got := pod.Annotations[harness.AssignedRankKey]; got != strconv.Itoa(i) {
			s.Errorf("pod with index %d was assigned rank %q", i, got)
		}
		// The names of the nodes sort as the tree does.
		if i > 0 && pod.Spec.NodeName < pods[i-1].Spec.NodeName {
			s.Errorf("rank %d is on %s, before the %s of the rank before it", i,
				pod.Spec.NodeName, pods[i-1].Spec.NodeName)
		}
	}
}

// checkExtent looks at where the pods of one gang are and that their annotations agree.
func (s scenario) checkExtent(pods []*corev1.Pod, blocks, racks, nodes int) {
	s.Helper()
	seen := [3]map[string]bool{{}, {}, {}}
	plan := pods[0].Annotations[harness.PlanKey]
	for _, pod := range pods {
		path := domain(pod.Spec.NodeName)
		for level := range seen {
			seen[level][strings.Join(path[:level+1], "/")] = true
		}
		whole := strings.Join(path, "/")
		if got := pod.Annotations[harness.AssignedDomainKey]; got != whole {
			s.Errorf("%s is in %s, its annotation says %q", pod.Name, whole, got)
		}
		if got := pod.Annotations[harness.PlanKey]; got == "" || got != plan {
			s.Errorf("%s bears plan %q, the first pod %q", pod.Name, got, plan)
		}
	}
	got := fmt.Sprintf("%d blocks, %d racks, %d nodes", len(seen[0]), len(seen[1]), len(seen[2]))
	want := fmt.Sprintf("%d blocks, %d racks, %d nodes", blocks, racks, nodes)
	if got != want {
		s.Errorf("%d pods lie on %s; wanted %s", len(pods), got, want)
	}
	s.Logf("%d pods on %s", len(pods), got)
}

func index(pod *corev1.Pod) int {
	value, err := strconv.Atoi(pod.Annotations[completionIndex])
	if err != nil {
		return -1
	}
	return value
}

// domain is the path of a node in the tree, by the labels that it bears.
func domain(node string) []string {
	labels := view.Node(node).Labels
	return []string{labels[harness.BlockLabel], labels[harness.RackLabel],
		labels[corev1.LabelHostname]}
}

// rackOf names the rack of a node by its whole path.
func rackOf(node string) string { return strings.Join(domain(node)[:2], "/") }
