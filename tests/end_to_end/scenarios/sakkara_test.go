package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Groups and trees that ConfigMaps of Sakkara's users describe. The racks of their tree are others
// than those of the nodes' labels.

// sakkaraRacks is the first racks of a tree, of four nodes each.
func sakkaraRacks(count int) harness.Racks {
	racks := harness.Racks{}
	for i := range count {
		racks[fmt.Sprintf("rack-%c", 'a'+i)] = shape.RackNodes(2, i)[:4]
	}
	return racks
}

// beginSakkara starts with this text as the tree of the one topology object.
func beginSakkara(t *testing.T, tree string, options harness.Options) scenario {
	t.Helper()
	t.Cleanup(func() {
		if err := plane.DeleteSakkaraObjects(); err != nil {
			t.Error(err)
		}
	})
	if err := plane.Replace(harness.SakkaraTopology("tree", tree)); err != nil {
		t.Fatal(err)
	}
	options.Sakkara = true
	return begin(t, options)
}

// createSakkaraPods makes a group's pods, the master in the middle.
func (s scenario) createSakkaraPods(spec harness.PodSpec, size int) {
	s.Helper()
	half := size / 2
	s.must(plane.CreatePods(spec, 0, half))
	s.must(plane.CreatePodAs(spec, spec.Name+"-master"))
	s.must(plane.CreatePods(spec, half, size-1))
}

// Nodes have room for three members each; their factor lets two in. Results come back when the
// object is replaced, and when it is deleted and made anew.
func TestSakkaraGroup(t *testing.T) {
	racks := sakkaraRacks(8)
	s := beginSakkara(t, racks.Tree(), harness.Options{})
	s.fill("other", 2, slices.Concat(slices.Collect(maps.Values(racks))...)...)
	group := harness.SakkaraGroup("ring", 16,
		`{"rack": {"type": "spread", "partitions": 4}, "node": {"factor": 2}}`)
	s.must(plane.Replace(group))
	s.createSakkaraPods(harness.SakkaraPod("ring", 2), 16)
	s.waitBound("ring", 16)
	s.checkCounts("ring", in(racks), []int{4, 4, 4, 4}, []int{2, 2, 2, 2, 2, 2, 2, 2})
	results := s.waitResults("ring", nil)
	s.checkResults("ring", racks, results)

	s.must(plane.Replace(group))
	s.checkSameData(s.waitResults("ring", nil), results)
	s.must(plane.DeleteSakkaraObjects())
	s.must(plane.Replace(group))
	s.checkSameData(s.waitResults("ring", nil), results)
}

// The tree has three racks and the group wants four. A tree that cannot be read changes nothing.
// With five racks the group starts, and nothing happens to a group that runs.
func TestSakkaraTreeGrows(t *testing.T) {
	s := beginSakkara(t, sakkaraRacks(3).Tree(), harness.Options{})
	s.must(plane.Replace(harness.SakkaraGroup("first", 4, `{"rack": {"type": "spread"}}`)))
	s.must(plane.CreateJob(harness.SakkaraPod("first", 1), 4))
	s.waitBound("first", 4)
	before := places("first")
	results := s.waitResults("first", nil)

	s.must(plane.Replace(harness.SakkaraGroup("wide", 12,
		`{"rack": {"type": "spread", "partitions": 4}}`)))
	s.createSakkaraPods(harness.SakkaraPod("wide", 1), 12)
	s.waitTold("wide", 12, "rack=spread partitions=4")
	s.waitStatus("wide", "Failed")
	s.checkExplain("wide", "rack=spread partitions=4")
	s.must(plane.Replace(harness.SakkaraTopology("tree", `{"rack-a": null}`)))
	s.checkEvent(s.selectorOf(harness.SakkaraTopologyNamespace, "tree"), "TopologyRefused",
		"tree: expected an object for every unit")

	racks := sakkaraRacks(5)
	s.must(plane.Replace(harness.SakkaraTopology("tree", racks.Tree())))
	s.waitBound("wide", 12)
	s.checkCounts("wide", in(racks), []int{3, 3, 3, 3}, []int{3, 3, 3, 3})
	s.checkResults("wide", racks, s.waitResults("wide", nil))
	if after := places("first"); !maps.Equal(before, after) {
		s.Errorf("a running group was at %v and is at %v", before, after)
	}
	s.checkSameData(s.waitResults("first", nil), results)
}

// A group whose object cannot be read: the object and the pods hear of it. It starts when it can.
func TestSakkaraGroupMalformed(t *testing.T) {
	racks := sakkaraRacks(2)
	s := beginSakkara(t, racks.Tree(), harness.Options{})
	s.must(plane.Replace(harness.SakkaraGroup("ring", 4, `{"node": {"partitions": "4"}}`)))
	s.createSakkaraPods(harness.SakkaraPod("ring", 1), 4)
	s.checkEvent(s.selectorOf(harness.Namespace, "ring"), "GroupRefused",
		"constraints.node.partitions")
	s.waitTold("ring", 4, "ConfigMap ring: constraints.node.partitions")
	s.must(plane.Replace(harness.SakkaraGroup("ring", 4, `{"node": {"partitions": 4}}`)))
	s.waitBound("ring", 4)
	s.checkCounts("ring", in(racks), []int{4}, []int{1, 1, 1, 1})
	s.checkResults("ring", racks, s.waitResults("ring", nil))
}

// The tree has a node that the cluster does not have yet. The group starts when it comes.
func TestSakkaraNodeComes(t *testing.T) {
	racks := sakkaraRacks(1)
	missing := racks["rack-a"][2]
	t.Cleanup(func() {
		if view.Node(missing) != nil {
			return
		}
		if err := plane.CreateNodes(shape, missing); err != nil {
			t.Error(err)
		}
		view.Wait(t, "the node is back", func() (bool, string) { return view.Node(missing) != nil, "" })
	})
	s := beginSakkara(t, racks.Tree(), harness.Options{})
	s.must(plane.DeleteNode(missing))
	s.must(plane.Replace(harness.SakkaraGroup("ring", 4,
		`{"node": {"type": "spread", "hard": true}}`)))
	s.createSakkaraPods(harness.SakkaraPod("ring", 1), 4)
	s.waitTold("ring", 4, "node=spread!")
	s.must(plane.CreateNodes(shape, missing))
	s.waitBound("ring", 4)
	s.checkCounts("ring", in(racks), []int{4}, []int{1, 1, 1, 1})
}

// Without a tree that can be read Gangplan is not ready, and says which key is to blame.
func TestSakkaraTopologyMalformed(t *testing.T) {
	racks := sakkaraRacks(2)
	s := beginSakkara(t, `{"rack-a": ["n-02-00-00"]}`, harness.Options{Unready: true})
	s.must(plane.Replace(harness.SakkaraGroup("ring", 4, `{}`)))
	s.createSakkaraPods(harness.SakkaraPod("ring", 1), 4)
	s.checkEvent(s.selectorOf(harness.SakkaraTopologyNamespace, "tree"), "TopologyRefused",
		"tree.rack-a")
	s.waitTold("ring", 4, "topology ConfigMap tree: tree.rack-a")
	if _, err := s.Probe("/readyz"); err == nil {
		s.Error("ready without a tree")
	}
	s.must(plane.Replace(harness.SakkaraTopology("tree", racks.Tree())))
	s.must(s.AwaitReady())
	s.waitBound("ring", 4)
	s.checkCounts("ring", in(racks), []int{4}, []int{4})
}

// Pods wait for their object. When the group runs, a pod is lost and Gangplan killed; its successor
// leaves all as it is, and gives the rank of the lost pod to a new one.
func TestSakkaraPodsBeforeTheirObject(t *testing.T) {
	racks := sakkaraRacks(4)
	s := beginSakkara(t, racks.Tree(), harness.Options{})
	spec := harness.SakkaraPod("ring", 4)
	s.createSakkaraPods(spec, 8)
	s.waitTold("ring", 8, "sakkara.group.name: namespace default has no ConfigMap")
	s.must(plane.Replace(harness.SakkaraGroup("ring", 8,
		`{"rack": {"type": "spread", "partitions": 2}, "node": {"type": "spread"}}`)))
	s.waitBound("ring", 8)
	s.checkCounts("ring", in(racks), []int{4, 4}, []int{1, 1, 1, 1, 1, 1, 1, 1})
	results := s.waitResults("ring", nil)
	s.checkResults("ring", racks, results)
	before := places("ring")

	s.Gangplan.Kill()
	lost := s.withRank("ring", 5)
	s.must(plane.DeletePod(lost.Name))
	s.must(s.StartGangplan())
	view.Never(s, "the object says something else", 2*time.Second, func() (bool, string) {
		object, err := plane.ConfigMap(harness.Namespace, "ring")
		s.must(err)
		return !maps.Equal(object.Data, results.Data), fmt.Sprint(object.Data)
	})
	s.must(plane.CreatePodAs(spec, "ring-late"))
	s.waitBound("ring", 8)
	s.checkResults("ring", racks, s.waitResults("ring", func(o *corev1.ConfigMap) bool {
		return strings.Contains(o.Data["rank"], "(ring-late,5)")
	}))
	s.checkSameTimes(s.waitResults("ring", nil), results)
	for pod, node := range places("ring") {
		if pod != "ring-late" && before[pod] != node {
			s.Errorf("%s was on %q and is on %q", pod, before[pod], node)
		}
	}
}

// Gangplan is killed with half of the group bound. Its successor binds the rest under the same
// rules and with the ranks that are left.
func TestSakkaraGangplanKilledHalfWay(t *testing.T) {
	racks := sakkaraRacks(6)
	s := beginSakkara(t, racks.Tree(), harness.Options{Proxy: true})
	s.API.StallAfter(8)
	s.must(plane.Replace(harness.SakkaraGroup("ring", 16,
		`{"rack": {"type": "spread", "partitions": 4}, "node": {"max": 2, "min": 2}}`)))
	s.createSakkaraPods(harness.SakkaraPod("ring", 1), 16)
	s.waitStalled("ring", 8)
	s.restartGangplan()
	s.waitBound("ring", 16)
	s.checkCounts("ring", in(racks), []int{4, 4, 4, 4}, []int{2, 2, 2, 2, 2, 2, 2, 2})
	s.checkPlacement("ring", racks, s.waitResults("ring", nil))
}
