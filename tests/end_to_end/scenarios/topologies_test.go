package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// ringConf names two rings, the second with so many nodes from the fourth on.
func ringConf(last int) string {
	return fmt.Sprintf("SwitchName=ring-1 Nodes=n-04-19-[00-03]\n"+
		"SwitchName=ring-2 Nodes=n-04-19-[04-%02d] # the newer ones\nSwitchName=core Switches=ring-[1-2]\n", last)
}

func ringJob(name, place string) harness.PodSpec {
	job := harness.GangJob(name, 8, place)
	job.Annotation[harness.TopologyKey] = "rings"
	return job
}

// metricIs waits until a metric without labels has this value.
func (s scenario) metricIs(name string, want float64) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("%s is %v", name, want), func() (bool, string) {
		got, err := s.Metric(name, "")
		return err == nil && got == want, fmt.Sprintf("%v, %v", got, err)
	})
}

// onRing is the ring of a gang that lies on one, and on as many nodes as it has members.
func (s scenario) onRing(name string, members int) string {
	s.Helper()
	nodes, ring := map[string]bool{}, ""
	for _, pod := range view.Bound(name) {
		nodes[pod.Spec.NodeName] = true
		own := "1"
		if pod.Spec.NodeName >= "n-04-19-04" {
			own = "2"
		}
		if !strings.HasPrefix(pod.Spec.NodeName, "n-04-19-") || (ring != "" && ring != own) {
			s.Errorf("%s: %s is on %s", name, pod.Name, pod.Spec.NodeName)
		}
		ring = own
	}
	if len(nodes) != members {
		s.Errorf("%s is on %d nodes, wanted %d", name, len(nodes), members)
	}
	return ring
}

// One Gangplan, two topologies: racks by labels, which are the default, and rings of eight nodes that
// a topology.conf names. Gangs have the room of their own alone; a node in neither is named, takes
// pods of no gang, and comes to the rings when the file names it.
func TestTwoTopologies(t *testing.T) {
	rings := shape.RackNodes(4, 19)[:9]
	stray, free := rings[8], shape.RackNodes(0, 0)
	file := filepath.Join(t.TempDir(), "topology.conf")
	write := func(last int) error { return os.WriteFile(file, []byte(ringConf(last)), 0o600) }
	if err := write(7); err != nil {
		t.Fatal(err)
	}
	for _, node := range rings {
		if err := plane.LabelNode(node, harness.RackLabel, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := plane.LabelNode(node, harness.RackLabel, "rack-19"); err != nil {
				t.Error(err)
			}
		})
	}
	s := begin(t, harness.Options{Rings: file})
	s.waitLogged("1 of 1000 nodes are in no topology and take no members: " + stray + " for one")
	s.metricIs("gangplan_unplaced_nodes", 1)
	s.fill("fill", 8, allNodesBut(append(append([]string{}, rings...), free...)...)...)

	s.must(plane.CreateJob(harness.GangJob("racked", 8, "rack=pack!"), len(free)))
	s.waitBound("racked", len(free))
	s.checkExtent(view.Bound("racked"), 1, 1, len(free))
	s.must(plane.CreateJob(ringJob("first", "switch=pack!"), 4))
	s.waitBound("first", 4)
	s.must(plane.CreateJob(ringJob("second", "switch=pack!"), 4))
	s.waitBound("second", 4)
	if s.onRing("first", 4) == s.onRing("second", 4) {
		s.Error("two gangs of four nodes each are on one ring of four")
	}
	s.checkExplain("second", "in topology: rings")

	// What is free elsewhere is no room for them.
	s.must(plane.DeleteJob("racked"))
	s.must(plane.CreateJob(ringJob("third", "switch=pack!"), 4))
	s.waitsFor("third", 4, "in topology rings: ")
	s.must(plane.CreateJob(ringJob("large", "switch=pack!"), 9))
	s.waitsFor("large", 9, "in topology rings: impossible: ")
	unknown := ringJob("unknown", "switch=pack!")
	unknown.Annotation[harness.TopologyKey] = "tori"
	s.must(plane.CreateJob(unknown, 2))
	s.waitsFor("unknown", 2, `there is no topology "tori", only "default" and "rings"`)
	s.must(plane.DeleteJob("large"))
	s.must(plane.DeleteJob("unknown"))

	// A pod of no gang goes anywhere: all is taken but the node in neither.
	s.must(plane.CreateJob(harness.GangJob("again", 8, "rack=pack!"), len(free)))
	s.waitBound("again", len(free))
	s.must(plane.CreatePods(harness.PodSpec{Name: "lone", GPUs: 8, Scheduler: harness.GangScheduler}, 0, 1))
	s.waitBound("lone", 1)
	if node := view.Bound("lone")[0].Spec.NodeName; node != stray {
		s.Errorf("the lone pod is on %s, wanted %s", node, stray)
	}
	s.must(plane.DeletePods("lone"))

	// The file names it now, and it is in a ring.
	s.must(write(8))
	s.metricIs("gangplan_unplaced_nodes", 0)
	s.must(plane.CreateJob(ringJob("late", "switch=pack!"), 1))
	s.waitBound("late", 1)
	if node := view.Bound("late")[0].Spec.NodeName; node != stray {
		s.Errorf("the gang of one is on %s, wanted %s", node, stray)
	}
	s.must(plane.DeleteJob("first"))
	s.waitBound("third", 4)
	s.onRing("third", 4)
}
