package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

const (
	everySeconds  = 5                // a gang comes
	keptAfter     = 20 * time.Second // a Job that is complete
	leastRun      = 40               // seconds
	mostRun       = 90
	dayLabel      = "example.com/day"
	seed, seedToo = 1, 2 // each day is the same
)

// What comes, in turns.
var daily = []struct {
	name       string
	pods, gpus int
	place      string
}{
	{"evaluate", 4, 1, "rack=pack!"},
	{"tune", 8, 4, "rack=pack!; node=pack"},
	{"train", 16, 8, "block=pack!; rack=pack"},
	{"serve", 6, 2, "rack=spread"},
}

// day makes gangs that come, run for a while and go: about a dozen at once.
type day struct {
	plane   *harness.ControlPlane
	random  *rand.Rand
	seconds int
	made    int
}

func newDay(plane *harness.ControlPlane) *day {
	return &day{plane: plane, random: rand.New(rand.NewPCG(seed, seedToo))}
}

// second is to be called once a second.
func (d *day) second(ctx context.Context) error {
	d.seconds++
	if d.seconds%everySeconds != 0 {
		return nil
	}
	return errors.Join(d.tidy(ctx), d.come())
}

func (d *day) come() error {
	kind := daily[d.made%len(daily)]
	d.made++
	name := fmt.Sprintf("%s-%03d", kind.name, d.made)
	run := leastRun + d.random.IntN(mostRun-leastRun)
	job := harness.Job(harness.WordedJob(name, kind.gpus, map[string]string{
		harness.PlaceKey: kind.place, harness.RunsFor: fmt.Sprintf("%ds", run)}), kind.pods)
	job.Labels = map[string]string{dayLabel: "true"}
	return d.plane.Submit(job)
}

// tidy deletes what has been complete for a while.
func (d *day) tidy(ctx context.Context) error {
	jobs, err := d.plane.Client.BatchV1().Jobs(harness.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: dayLabel})
	if err != nil {
		return err
	}
	var failed []error
	for _, job := range jobs.Items {
		if isOver(job) {
			failed = append(failed, d.plane.DeleteJob(job.Name))
		}
	}
	return errors.Join(failed...)
}

func isOver(job batchv1.Job) bool {
	return job.Status.CompletionTime != nil && time.Since(job.Status.CompletionTime.Time) > keptAfter &&
		job.DeletionTimestamp == nil
}
