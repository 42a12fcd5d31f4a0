package scenarios

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// What is told of a gang that starts, and of one that waits: two Events on its Job, a line of the
// log for each step, how long it took in the metrics, and where it went in the reports.
func TestTrailOfAGang(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateJob(harness.GangJob("train", 1, "rack=pack!"), 64))
	s.waitBound("train", 64)
	const job = "involvedObject.kind=Job,involvedObject.name=train"
	s.checkEvent(job, "GangPlanned", "room for 64 pods in block-")
	s.checkEvent(job, "GangStarted", "64 pods in block-")
	s.checkExplain("train", "no plan is better")
	const gang = `"gang":"` + harness.Namespace + `/train",`
	s.waitLogged(gang + `"from":"New","to":"`)
	s.waitLogged(`"to":"Running","bound":64,"size":64,"why":"64 pods in block-`)

	s.must(plane.CreateJob(harness.GangJob("huge", 8, "rack=pack!"), 64))
	s.waitLogged(`"gang":"` + harness.Namespace + `/huge","from":"New","to":"Blocked"`)
	s.must(plane.DeleteJob("huge"))
	s.waitLogged(`"gang":"` + harness.Namespace + `/huge","from":"Blocked","to":"gone"`)
	counted, err := s.Probe("/metrics")
	s.must(err)
	for _, line := range []string{`gangplan_gang_wait_seconds_count{outcome="planned"} 1`,
		`gangplan_gang_wait_seconds_count{outcome="gone"} 1`, "gangplan_gang_start_seconds_count 1",
		`gangplan_largest_gang{level="rack",shape="nvidia.com/gpu=8"} 10`} {
		if !strings.Contains(counted, line+"\n") {
			s.Errorf("the metrics do not say %s", line)
		}
	}
}

// A configuration that changes while it is in force: the queue's mode does at once, and nothing that
// runs or is planned is lost; a port does not, and a file with a mistake changes nothing.
func TestConfigurationIsReadAgain(t *testing.T) {
	const whole = 64
	s := begin(t, harness.Options{Queue: "strict"})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 7)[:whole/8]...)...)
	s.must(plane.CreateJob(harness.GangJob("first", 1, "rack=pack!"), whole/2))
	s.waitBound("first", whole/2)
	s.must(plane.CreateJob(harness.GangJob("wide", 1, "rack=pack!"), whole))
	s.waitsFor("wide", whole, "64 members must share one rack")
	small := s.lineOf("small", 1, "")
	s.waitsFor(small[0], 1, "")

	file, err := s.Configuration()
	s.must(err)
	text, err := os.ReadFile(file)
	s.must(err)
	change := func(old, changed string) {
		if !strings.Contains(string(text), old) {
			s.Fatalf("%s has no %q:\n%s", file, old, text)
		}
		text = []byte(strings.Replace(string(text), old, changed, 1))
		s.must(os.WriteFile(file, text, 0o600))
	}
	change("mode: strict", "mode: stern")
	s.must(s.Gangplan.Signal(syscall.SIGHUP))
	s.waitLogged("queue.mode: ")
	s.waitLogged("the one before stays in force")
	change("mode: stern", "mode: greedy")
	change("schedulerNames:", "leader:\n  lease: default/other\nschedulerNames:")
	s.waitLogged("leader.lease: needs a restart") // by the file's own change
	s.waitLogged(`"changed":"queue.mode"`)
	s.waitBound(small[0], 1)
	if !s.Gangplan.Running() {
		s.Error("gangplan has ended")
	}
}
