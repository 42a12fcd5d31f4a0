package scenarios

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// A cluster with a gang that runs and one that waits is saved, once as it is and once without its
// names, and a Gangplan that is served the file says of both gangs what the one of the cluster says.
func TestSnapshotIsServed(t *testing.T) {
	s := begin(t, harness.Options{})
	kept := slices.Concat(shape.RackNodes(3, 7), shape.RackNodes(0, 0)[:1])
	s.must(plane.Fill("fill", 8, allNodesBut(kept...)...))
	s.must(plane.CreateJob(harness.GangJob("red", 1, "rack=pack!"), 80))
	s.waitBound("red", 80)
	s.must(plane.CreateJob(harness.GangJob("blue", 1, "rack=pack!"), 80))
	view.Wait(s, "the second one says why it waits", func() (bool, string) {
		count, text := told("blue", "80 members must share one rack")
		return count == 80, text
	})

	saved := filepath.Join(t.TempDir(), "cluster.json")
	anonymous := s.snapshot("--anonymous")
	if text := s.snapshot("-o", saved); text != "" {
		s.Errorf("the snapshot goes to the file, and to standard output:\n%s", text)
	}
	if text, err := os.ReadFile(saved); err != nil || len(text) == 0 {
		s.Fatalf("%s: %v", saved, err)
	} else if s.snapshot() != string(text) {
		s.Error("two snapshots of the same cluster differ")
	}
	for _, name := range []string{"n-00-00-00", "rack-07", "red-", "blue"} {
		if strings.Contains(anonymous, name) {
			s.Errorf("the anonymous snapshot names %s", name)
		}
	}

	served, err := plane.StartPair(harness.Options{Alone: true, Saved: saved})
	s.must(err)
	defer served.Stop()
	again := scenario{t, served}
	list := strings.Join(strings.Fields(again.command("list")), " ")
	if line := harness.Namespace + "/red Running 80/80 0 block-03/rack-07 (10 nodes)"; !strings.Contains(list, line) {
		s.Errorf("the served list does not say %q", line)
	}
	if live, file := s.withoutRoad("blue"), again.withoutRoad("blue"); !slices.Equal(live, file) {
		s.Errorf("of the waiting gang is said\n%s\nand of the saved one\n%s", strings.Join(live, "\n"),
			strings.Join(file, "\n"))
	}
}

// snapshot is what the command prints.
func (s scenario) snapshot(words ...string) string {
	s.Helper()
	kubeconfig, err := plane.AdminKubeconfig()
	s.must(err)
	words = append([]string{"snapshot", "--kubeconfig", kubeconfig}, words...)
	output, err := exec.Command(plane.Env.Gangplan, words...).Output()
	if err != nil {
		s.Fatalf("gangplan snapshot: %v", err)
	}
	return string(output)
}

// withoutRoad is why a gang waits, but for who has asked for its pods.
func (s scenario) withoutRoad(gang string) []string {
	lines := strings.Split(s.command("why", gang, "-n", harness.Namespace), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  road ") })
}
