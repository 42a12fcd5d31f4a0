package scenarios

import (
	"fmt"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// tellsReservation waits until the reservation's object has an Event of this reason.
func (s scenario) tellsReservation(name, reason string) {
	s.Helper()
	note := ""
	view.Wait(s, name+" is told "+reason, func() (bool, string) {
		events, err := plane.ReservationEvents(name)
		s.must(err)
		note = events[reason]
		return note != "", fmt.Sprintf("%d Events", len(events))
	})
	s.Logf("%s: %s", reason, note)
}

// The only two racks with room are reserved a minute and a half ahead. Until then a gang passes that
// has ended by then, one of which nobody knows that goes elsewhere or waits, and the gang that asks
// for the reservation waits for its time. Then it has both racks, and they are its own until it ends;
// with the reservation the room goes to whoever waits.
func TestReservationOfTwoRacks(t *testing.T) {
	s := begin(t, harness.Options{Reservations: true, GatherTimeout: 10 * time.Second})
	s.must(plane.GrantReservations())
	s.Cleanup(func() { s.must(plane.DeleteConfigMap(harness.ReservationNamespace, "evening")) })
	racks := append(shape.RackNodes(1, 6), shape.RackNodes(1, 7)...)
	elsewhere := shape.RackNodes(0, 0)[:1]
	members := len(racks)
	s.fill("fill", 8, allNodesBut(append(racks, elsewhere...)...)...)

	begins := time.Now().Add(90 * time.Second)
	at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	s.must(plane.Replace(harness.Reservation("evening", map[string]string{
		"from": at(begins), "until": at(begins.Add(time.Hour)), "lead": "1h",
		"count": fmt.Sprint(members), "requests": "nvidia.com/gpu=8",
		"place": "block=pack!; rack=pack", "namespaces": harness.Namespace})))
	s.tellsReservation("evening", "ReservationPlanned")

	user := harness.GangJob("user", 8, "block=pack!")
	user.Annotation[harness.ReservationKey] = "evening"
	s.must(plane.CreateJob(user, members))
	s.waitsFor("user", members, "reservation evening: it begins at ")
	s.must(plane.CreateJob(harness.GangJob("endless", 8, "node=pack"), 1))
	s.waitBound("endless", 1)
	if got := view.Bound("endless")[0].Spec.NodeName; got != elsewhere[0] {
		s.Errorf("who may run for ever is on %s, which is reserved; expected %s", got, elsewhere[0])
	}
	s.must(plane.CreateJob(harness.GangJob("waits", 8, "node=pack"), 1))
	quick := harness.GangJob("quick", 8, "block=pack!")
	quick.Annotation[runtimeKey] = "5s"
	s.must(plane.CreateJob(quick, members))
	s.waitBound("quick", members)
	s.must(plane.DeleteJob("quick"))
	if _, bound := view.Count("waits"); bound > 0 {
		s.Error("who may run for ever is bound in room that is reserved")
	}

	<-time.After(time.Until(begins)) // nothing tells it sooner
	s.waitBound("user", members)
	if early := time.Until(begins); early > 0 {
		s.Errorf("the user's gang has begun %s too early", seconds(early))
	}
	s.checkExtent(view.Bound("user"), 1, 2, members)
	s.tellsReservation("evening", "ReservationStarted")
	s.must(plane.DeleteJob("user"))
	s.must(plane.CreateJob(func() harness.PodSpec {
		next := harness.GangJob("next", 8, "node=pack")
		next.Annotation[harness.ReservationKey] = "evening"
		return next
	}(), members))
	s.waitBound("next", members)
	if _, bound := view.Count("waits"); bound > 0 {
		s.Error("who does not ask for the reservation is bound in its room")
	}
	s.must(plane.DeleteJob("next"))
	s.must(plane.DeleteConfigMap(harness.ReservationNamespace, "evening"))
	s.waitBound("waits", 1)
}
