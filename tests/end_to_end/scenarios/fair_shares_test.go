package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// comesIn makes a gang of two whole nodes in a namespace.
func (s scenario) comesIn(namespace, name string) {
	s.Helper()
	job := harness.Job(harness.GangJob(name, 8, "rack=pack!"), 2)
	job.Namespace = namespace
	s.must(plane.Submit(job))
}

// One namespace has the only rack with room, and two gangs of it wait; then another namespace sends
// its first one. In both modes that one is the next where namespaces share room, and the last where
// they do not.
func TestNamespacesShareRoom(t *testing.T) {
	for _, c := range []struct {
		mode string
		fair bool
		next []string
	}{
		{"greedy", true, []string{"first", "waits-0"}},
		{"strict", true, []string{"first", "waits-0"}},
		{"strict", false, []string{"waits-0", "waits-1"}},
	} {
		t.Run(fmt.Sprintf("%s,fair=%t", c.mode, c.fair), func(t *testing.T) {
			s := begin(t, harness.Options{Queue: c.mode, Fair: c.fair})
			for _, namespace := range []string{"many", "few"} {
				s.must(plane.CreateNamespace(namespace))
				s.Cleanup(func() { s.must(plane.DeleteJobsIn(namespace)) })
			}
			rack := shape.RackNodes(1, 7)
			s.fill("fill", 8, allNodesBut(rack...)...)
			running := len(rack) / 2
			for i := range running {
				s.comesIn("many", fmt.Sprintf("runs-%d", i))
				s.waitBound(fmt.Sprintf("runs-%d", i), 2)
			}
			for i := range 2 {
				s.comesIn("many", fmt.Sprintf("waits-%d", i))
				s.waitsFor(fmt.Sprintf("waits-%d", i), 2, "")
			}
			s.comesIn("few", "first")
			s.waitsFor("first", 2, "")
			for i, next := range c.next {
				s.must(plane.DeleteJobIn("many", fmt.Sprintf("runs-%d", i)))
				s.waitBound(next, 2)
			}
			for _, name := range []string{"waits-0", "waits-1", "first"} {
				if _, bound := view.Count(name); bound > 0 && name != c.next[0] && name != c.next[1] {
					s.Errorf("%s is bound; expected %v alone", name, c.next)
				}
			}
		})
	}
}
