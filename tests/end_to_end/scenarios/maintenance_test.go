package scenarios

import (
	"fmt"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

const maintenanceKey = "gangplan.io/maintenance"

// The only rack with room is to be empty in an hour: a gang that is gone by then starts there, one
// that tells nothing waits and is told so, until the annotation goes.
func TestMaintenanceKeepsLongGangsOff(t *testing.T) {
	const members = 8
	s := begin(t, harness.Options{})
	rack := shape.RackNodes(1, 7)
	s.fill("fill", 8, allNodesBut(rack...)...)
	at := time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04Z")
	annotate := func(value string) {
		s.must(harness.InParallel(rack, func(node string) error {
			return plane.AnnotateNode(node, maintenanceKey, value)
		}))
	}
	s.Cleanup(func() { annotate("") })
	annotate(at)
	s.must(plane.CreateJob(harness.GangJob("endless", 1, "rack=pack!"), members))
	s.waitsFor("endless", members, fmt.Sprintf("maintenance keeps it off %d nodes: it begins at ", len(rack)))
	short := harness.GangJob("short", 1, "rack=pack!")
	short.Annotation[runtimeKey] = "10m"
	s.must(plane.CreateJob(short, members))
	s.waitBound("short", members)
	if _, bound := view.Count("endless"); bound > 0 {
		s.Errorf("%d pods that may run for ever are bound where maintenance begins in an hour", bound)
	}
	annotate("")
	s.waitBound("endless", members)
}
