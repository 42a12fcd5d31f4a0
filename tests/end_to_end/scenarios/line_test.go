package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

const runtimeKey = "gangplan.io/runtime"

// lineOf makes so many Jobs of one pod each, which run so long; "" is
// unknown.
func (s scenario) lineOf(name string, count int, runtime string) []string {
	s.Helper()
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("%s-%02d", name, i))
		words := map[string]string{harness.PlaceKey: "rack=pack!"}
		if runtime != "" {
			words[runtimeKey] = runtime
		}
		s.must(plane.CreateJob(harness.WordedJob(names[i], 1, words), 1))
	}
	return names
}

// bound waits until so many of the Jobs have their pod bound.
func (s scenario) bound(names []string, want int) {
	s.Helper()
	count := 0
	view.Wait(s, fmt.Sprintf("%d of %d Jobs bound", want, len(names)), func() (bool, string) {
		count = 0
		for _, name := range names {
			_, bound := view.Count(name)
			count += bound
		}
		return count == want, fmt.Sprintf("%d", count)
	})
}

// Half a rack runs, and a gang waits for a whole one. Of 38 Jobs that come then, each of a pod that
// would fit, nobody passes it in a strict queue. With backfill those pass that are gone in time; the
// others do when it has begun and ended.
func TestFortyJobsInLine(t *testing.T) {
	const half, whole, later = 32, 64, 19
	for _, mode := range []string{"strict", "backfill"} {
		t.Run(mode, func(t *testing.T) {
			s := begin(t, harness.Options{Queue: mode})
			s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 7)[:whole/8]...)...)
			long := harness.GangJob("long", 1, "rack=pack!")
			long.Annotation[runtimeKey] = "1h"
			s.must(plane.CreateJob(long, half))
			s.runs("long", half)
			s.must(plane.CreateJob(harness.GangJob("wide", 1, "rack=pack!"), whole))
			s.waitsFor("wide", whole, "64 members must share one rack")
			quick, endless := s.lineOf("quick", later, "10m"), s.lineOf("endless", later, "")

			passing := 0
			if mode == "backfill" {
				passing = later
			}
			s.bound(quick, passing)
			for _, name := range endless {
				s.waitsFor(name, 1, "")
			}
			s.bound(endless, 0)
			s.must(plane.DeleteJob("long"))
			if passing > 0 {
				if _, bound := view.Count("wide"); bound > 0 {
					s.Errorf("%d of the gang are bound while others stand in its rack", bound)
				}
				for _, name := range quick {
					s.must(plane.DeleteJob(name))
				}
			}
			s.waitBound("wide", whole)
			s.checkExtent(view.Bound("wide"), 1, 1, whole/8)
			s.bound(endless, 0)
			s.must(plane.DeleteJob("wide"))
			s.bound(endless, later)
			s.bound(quick, later-passing)
		})
	}
}

// waitsFor waits until all pods of the gang say why they wait.
func (s scenario) waitsFor(name string, members int, words string) {
	s.Helper()
	view.Wait(s, name+" says why it waits", func() (bool, string) {
		count, text := told(name, words)
		return count == members, fmt.Sprintf("%d pods: %s", count, text)
	})
}
