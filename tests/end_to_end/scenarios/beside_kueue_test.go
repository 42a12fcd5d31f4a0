package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Kueue's own controllers beside Gangplan: Kueue admits by quota, Gangplan places.

func beginBesideKueue(t *testing.T, start func() error) scenario {
	t.Helper()
	s := begin(t, harness.Options{})
	s.must(start())
	t.Cleanup(func() { s.must(plane.StopKueue()) })
	return s
}

// withQueue has Kueue's queue of so many GPUs.
func withQueue(gpus int) func() error { return func() error { return plane.StartKueue(gpus) } }

// The queue and the Job of docs/kueue.md, as they stand there, are a gang in one rack.
func TestBesideKueueAsDocumented(t *testing.T) {
	s := beginBesideKueue(t, plane.StartKueueAlone)
	text, err := os.ReadFile(filepath.Join(plane.Env.Examples, "..", "docs", "kueue.md"))
	s.must(err)
	blocks := strings.Split(string(text), "```yaml\n")[1:]
	if len(blocks) != 2 {
		s.Fatalf("the page has %d manifests", len(blocks))
	}
	for _, block := range blocks {
		manifest, _, _ := strings.Cut(block, "```")
		_, err := plane.ApplyOwner(manifest)
		s.must(err)
	}
	s.oneRack("train", 4)
}

// queued makes a Job for the queue: suspended, as Kueue's webhook would.
func (s scenario) queued(name string, words map[string]string, pods int) {
	s.Helper()
	job := harness.Job(harness.WordedJob(name, 8, words), pods)
	suspend := true
	job.Spec.Suspend = &suspend
	job.Labels = map[string]string{harness.QueueLabel: "team"}
	s.must(plane.Submit(job))
}

// A Job with quota is placed as a gang, by its own words; one without has no pods and holds no room,
// and comes when the first one goes.
func TestBesideKueue(t *testing.T) {
	s := beginBesideKueue(t, withQueue(5*8))
	s.queued("first", inOneRack, 4)
	s.oneRack("first", 4)
	s.queued("second", inOneRack, 4)
	view.Wait(s, "Kueue says that the second one has no quota", func() (bool, string) {
		why, err := plane.WhyNotAdmitted("second")
		return err == nil && strings.Contains(why, "quota"), why
	})
	if pods, _ := view.Count("second"); pods != 0 {
		s.Fatalf("%d pods of a Job without quota", pods)
	}
	s.must(plane.DeleteJob("first"))
	s.oneRack("second", 4)
}

// Admitted, a gang that finds no room waits for it whole, over a Gangplan that dies.
func TestBesideKueueWithoutRoom(t *testing.T) {
	s := beginBesideKueue(t, withQueue(4*8))
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:3]...)...)
	s.queued("train", inOneRack, 4)
	s.waitsAndStarts("train", 4)
}

// Kueue's topology words ask Kueue for a placement: where its flavors have no topology, it admits
// nobody who uses them. So beside it a gang says Gangplan's.
func TestBesideKueueItsTopologyWords(t *testing.T) {
	s := beginBesideKueue(t, withQueue(4*8))
	s.queued("train", map[string]string{"kueue.x-k8s.io/podset-required-topology": harness.RackLabel}, 4)
	view.Wait(s, "Kueue says why it does not admit it", func() (bool, string) {
		why, err := plane.WhyNotAdmitted("train")
		return err == nil && strings.Contains(why, "opology"), fmt.Sprintf("%q", why)
	})
	if pods, _ := view.Count("train"); pods != 0 {
		s.Fatalf("%d pods of a Job that is not admitted", pods)
	}
}

// Kueue's own Topology Aware Scheduling has given the last four free nodes to a Job whose pods wait
// behind a gate of somebody else: a gang has no room there, also after a restart, and starts when that
// Job has gone.
func TestBesideKueuePlacing(t *testing.T) {
	free := shape.RackNodes(2, 3)[:4]
	if err := plane.StartKueuePlacing(4*8, "block-02"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.StopKueue(); err != nil {
			t.Error(err)
		}
	})
	s := begin(t, harness.Options{Kueue: true})
	s.fill("fill", 8, allNodesBut(free...)...)
	rack := map[string]string{kueueRequired: harness.RackLabel}
	spec := harness.WordedJob("placed", 8, rack)
	spec.Scheduler, spec.Gates = harness.ForeignScheduler, []string{"example.com/hold"}
	job, suspend := harness.Job(spec, 4), true
	job.Spec.Suspend = &suspend
	job.Labels = map[string]string{harness.QueueLabel: "team"}
	s.must(plane.Submit(job))
	view.Wait(s, "Kueue places it", func() (bool, string) {
		status, why, err := plane.WorkloadCondition("placed", "Admitted")
		quota, words, _ := plane.WorkloadCondition("placed", "QuotaReserved")
		pods, _ := view.Count("placed")
		return err == nil && status == "True" && pods == 4,
			fmt.Sprintf("admitted: %s %q, quota: %s %q, %d pods", status, why, quota, words, pods)
	})

	s.must(plane.CreateJob(harness.WordedJob("train", 8, rack), 4))
	waits := func() {
		s.Helper()
		view.Wait(s, "the gang is told of Kueue's Workload", func() (bool, string) {
			count, text := told("train", "Kueue's Workload default/job-placed-")
			return count == 4, fmt.Sprintf("%d: %s", count, text)
		})
	}
	waits()
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	waits()
	if _, bound := view.Count("train"); bound != 0 {
		s.Fatalf("%d are bound in Kueue's room", bound)
	}
	s.must(plane.DeleteJob("placed"))
	s.oneRack("train", 4)
}
