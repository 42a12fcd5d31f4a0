package scenarios

import (
	"os"
	"strings"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

const hostname = "kubernetes.io/hostname"

func TestKueueTopology(t *testing.T) {
	for _, version := range []string{"v1beta2", "v1beta1"} {
		t.Run(version, func(t *testing.T) { kueueTopology(t, version) })
	}
}

// Gangplan starts before Kueue's resources are there, and is ready once the object is. A gang whose
// level is missing waits until the object is made anew with it.
func kueueTopology(t *testing.T, version string) {
	t.Cleanup(func() {
		if err := plane.RemoveTopologies(); err != nil {
			t.Error(err)
		}
	})
	s := begin(t, harness.Options{Kueue: true, Unready: true})
	s.waitLogged("Kueue's custom resources are not installed")
	if _, err := s.Probe("/readyz"); err == nil {
		s.Error("ready without a Topology")
	}
	s.must(plane.InstallTopologies(version))
	s.must(plane.CreateTopology(version, "another", "example.com/other"))
	s.must(plane.CreateTopology(version, "default", harness.BlockLabel, hostname))
	s.must(s.AwaitReady())
	s.checkLevels(2)

	s.must(plane.CreateJob(harness.WordedJob("first", 1,
		map[string]string{kueueRequired: harness.BlockLabel}), 64))
	s.waitBound("first", 64)

	s.must(plane.CreateJob(harness.WordedJob("trainer", 1,
		map[string]string{kueueRequired: harness.RackLabel}), 64))
	view.Wait(s, "the gang waits for its level", func() (bool, string) {
		count, text := told("trainer", `has no level "`+harness.RackLabel+`"`)
		return count == 64, text
	})
	before := places("first")
	s.must(plane.DeleteTopology(version, "default"))
	s.waitLogged("its last levels stay in force")
	s.must(plane.CreateTopology(version, "default", harness.BlockLabel, harness.RackLabel))
	s.waitBound("trainer", 64)
	s.checkJob("trainer", 1, 1, 8)
	s.checkLevels(3) // the node's was added
	for pod, node := range places("first") {
		if before[pod] != node {
			s.Errorf("%s was on %s and is on %s", pod, before[pod], node)
		}
	}
}

// places is the node of every bound pod of the batch.
func places(name string) map[string]string {
	nodes := map[string]string{}
	for _, pod := range view.Bound(name) {
		nodes[pod.Name] = pod.Spec.NodeName
	}
	return nodes
}

func (s scenario) waitLogged(words string) {
	s.Helper()
	taken := view.Wait(s, "gangplan logs: "+words, func() (bool, string) {
		text, err := os.ReadFile(s.Gangplan.Log)
		s.must(err)
		return strings.Contains(string(text), words), "another log"
	})
	s.Logf("logged after %s: %s", seconds(taken), words)
}

func (s scenario) checkLevels(want float64) {
	s.Helper()
	levels, err := s.Metric("gangplan_topology_levels", "")
	s.must(err)
	if levels != want {
		s.Errorf("%v levels are in force, wanted %v", levels, want)
	}
}
