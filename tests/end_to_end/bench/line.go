package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

const (
	lineRuns    = 3 * time.Second        // a Job, from its last Binding on
	lineEvery   = 50 * time.Millisecond  // a Job is submitted
	lineSeen    = 2 * time.Second        // what is done at once is seen within that
	lineLook    = 500 * time.Millisecond // how often promises are read
	linePatient = 8 * time.Minute
	runtimeKey  = "gangplan.io/runtime"
	// More than any of them runs, from its first Binding on.
	lineRuntime = "20s"
)

// lineSizes are pods of 200 Jobs, each of a whole node; the order is mixed by lineJobs.
var lineSizes = []struct{ count, pods int }{{90, 8}, {40, 16}, {32, 32}, {18, 64}, {10, 128}, {6, 256}, {4, 512}}

// lineClasses are the priority classes by their names.
var lineClasses = map[string]int32{"line-low": 0, "line-middle": 100, "line-high": 1000}

type lineJob struct {
	name, class string
	pods        int
	submitted   time.Time
	started     time.Time // its suspension ended
	bound       time.Time // the last of its pods
	ended       bool
	promised    time.Time // the first time that it was told; zero: none
	place       string
}

func (j *lineJob) priority() int32 { return lineClasses[j.class] }

// lineJobs is the same list each time.
func lineJobs() []*lineJob {
	var sizes []int
	for _, s := range lineSizes {
		for range s.count {
			sizes = append(sizes, s.pods)
		}
	}
	jobs := make([]*lineJob, len(sizes))
	for i := range jobs {
		j := &lineJob{name: fmt.Sprintf("line-%03d", i), pods: sizes[i*77%len(sizes)], class: "line-low"}
		switch {
		case i%11 == 0:
			j.class = "line-high"
		case i%3 == 0:
			j.class = "line-middle"
		}
		switch {
		case j.pods <= 8:
			j.place = "rack=pack!"
		case j.pods <= 128:
			j.place = "block=pack!"
		default:
			j.place = "block=pack"
		}
		jobs[i] = j
	}
	return jobs
}

// line is a stream of Jobs of many sizes and three priorities, that wait suspended, in each mode of
// the queue: how fast they go through, and whether the order is the one that the mode promises.
func line(b *bench) error {
	if err := b.startCluster(); err != nil {
		return err
	}
	for class, value := range lineClasses {
		if err := b.plane.CreatePriority(class, value); err != nil {
			return err
		}
	}
	for _, j := range lineJobs() {
		b.report.Pods += j.pods
	}
	fmt.Printf("%d nodes, %d pods in %d Jobs of 8 to 512, a node each\n", b.shape.Total(),
		b.report.Pods, len(lineJobs()))
	rates := map[string][]float64{}
	for i := range b.pairs {
		for j := range b.roads {
			r := b.roads[(i+j)%len(b.roads)]
			run := lineRun{bench: b, road: r, jobs: lineJobs()}
			rate, err := run.run()
			if err != nil {
				return fmt.Errorf("pair %d, %s: %w", i+1, r.name, err)
			}
			rates[r.name] = append(rates[r.name], rate)
		}
	}
	for _, r := range b.roads {
		b.report.add(newFigure(r.name, "pods a second", rates[r.name]))
		if r.name == "suspended" || len(rates["suspended"]) == 0 {
			continue
		}
		var of []float64
		for i, rate := range rates[r.name] {
			of = append(of, rate/rates["suspended"][i])
		}
		b.report.add(newFigure(r.name, "rate, of greedy", of).atLeast(0.9))
	}
	return nil
}

// lineRun is one mode, once.
type lineRun struct {
	*bench
	road road
	jobs []*lineJob
	pair *harness.Pair
}

func (l *lineRun) run() (float64, error) {
	l.view.Forget()
	options := l.road.options
	options.Suspended = true
	options.VacantShare = "100%" // all are of one namespace, which may hold room for all of its pods
	var err error
	if l.pair, err = l.plane.StartPair(options); err != nil {
		return 0, err
	}
	defer l.pair.Stop()
	if err := l.warmUp(); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := l.drive(); err != nil {
		return 0, err
	}
	last := slices.MaxFunc(l.jobs, func(a, b *lineJob) int { return a.bound.Compare(b.bound) })
	took := last.bound.Sub(began).Seconds()
	if violations := l.view.OverCommitted(); len(violations) > 0 {
		return 0, fmt.Errorf("over-committed: %s", violations[0])
	}
	l.judge()
	return float64(l.report.Pods) / took, l.clear()
}

// drive submits, looks and ends Jobs until all have been bound.
func (l *lineRun) drive() error {
	watch, err := l.plane.Client.BatchV1().Jobs(harness.Namespace).Watch(context.Background(),
		metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer watch.Stop()
	byName := map[string]*lineJob{}
	for _, j := range l.jobs {
		byName[j.name] = j
	}
	ticks := time.NewTicker(lineEvery)
	defer ticks.Stop()
	next, looked, end := 0, time.Time{}, time.Now().Add(linePatient)
	for left := len(l.jobs); left > 0; {
		select {
		case event, open := <-watch.ResultChan():
			if !open {
				return fmt.Errorf("the watch of Jobs has ended")
			}
			l.note(event.Object, byName)
		case now := <-ticks.C:
			if now.After(end) {
				return fmt.Errorf("%d Jobs are not done within %s", left, linePatient)
			}
			if next < len(l.jobs) {
				if err := l.submit(l.jobs[next]); err != nil {
					return err
				}
				next++
			}
			if now.Sub(looked) >= lineLook {
				looked = now
				if err := l.readPromise(); err != nil {
					return err
				}
			}
			done, err := l.endSome(now)
			if err != nil {
				return err
			}
			left -= done
		}
	}
	return nil
}

func (l *lineRun) submit(j *lineJob) error {
	pod := harness.WordedJob(j.name, l.shape.GPUs, map[string]string{harness.PlaceKey: j.place, runtimeKey: lineRuntime})
	pod.Priority = j.class
	j.submitted = time.Now()
	return l.plane.Submit(harness.SuspendedJob(pod, j.pods))
}

func (l *lineRun) note(object any, byName map[string]*lineJob) {
	job, is := object.(*batchv1.Job)
	if !is || byName[job.Name] == nil || job.Spec.Suspend == nil || *job.Spec.Suspend {
		return
	}
	if j := byName[job.Name]; j.started.IsZero() {
		j.started = time.Now()
	}
}

// endSome deletes those that have run long enough. Returns how many have ended.
func (l *lineRun) endSome(now time.Time) (int, error) {
	ended := 0
	for _, j := range l.jobs {
		if j.ended || j.started.IsZero() {
			continue
		}
		if _, bound := l.view.Count(j.name); j.bound.IsZero() && bound == j.pods {
			j.bound = now
			if strings.HasSuffix(j.place, "!") {
				if err := l.checkPlaces([]gang{{j.name, j.pods, j.place}}); err != nil {
					return 0, err
				}
			}
		}
		if j.bound.IsZero() || now.Before(j.bound.Add(lineRuns)) {
			continue
		}
		j.ended = true
		ended++
		if err := l.plane.DeleteJob(j.name); err != nil {
			return 0, err
		}
	}
	return ended, nil
}

// readPromise notes what the first in line is told.
func (l *lineRun) readPromise() error {
	var first *lineJob
	for _, j := range l.jobs {
		waits := !j.submitted.IsZero() && j.started.IsZero()
		if waits && (first == nil || j.priority() > first.priority()) {
			first = j
		}
	}
	if first == nil || !first.promised.IsZero() {
		return nil
	}
	text, err := l.pair.Probe("/v1/groups/" + harness.Namespace + "/" + first.name)
	if err != nil {
		return nil // it is not known yet, or has gone
	}
	var group struct {
		Line struct {
			Expected int64 `json:"expectedByUnix"`
		} `json:"line"`
	}
	if err := json.Unmarshal([]byte(text), &group); err != nil {
		return err
	}
	if group.Line.Expected > 0 {
		first.promised = time.Unix(group.Line.Expected, 0)
	}
	return nil
}

// judge counts who was passed by somebody who comes after him, and promises that were not kept.
func (l *lineRun) judge() {
	passed, told, late, early := 0, 0, 0, 0
	for _, j := range l.jobs {
		passedBy := slices.ContainsFunc(l.jobs, func(other *lineJob) bool { return l.passes(other, j) })
		if passedBy {
			passed++
		}
		if !j.promised.IsZero() {
			told++
			if j.started.After(j.promised.Add(lineSeen)) {
				late++
			}
		}
		for _, binding := range l.view.Bindings(j.name) {
			if binding.At.Before(j.started.Add(-lineSeen)) {
				early++
			}
		}
	}
	name := l.road.name
	figures := []figure{newFigure(name, "Jobs passed by one that comes after them", []float64{float64(passed)}),
		newFigure(name, "pods bound before their Job had its turn", []float64{float64(early)}).atMost(0)}
	switch name {
	case "strict":
		figures[0] = figures[0].atMost(0)
	case "backfill":
		figures = append(figures, newFigure(name, fmt.Sprintf("of %d that were told a time, later", told),
			[]float64{float64(late)}))
	}
	l.report.add(figures...)
}

// passes is whether one started though the other, which comes before it, had waited for a while and
// did not start.
func (l *lineRun) passes(one, other *lineJob) bool {
	before := other.priority() > one.priority() ||
		other.priority() == one.priority() && other.submitted.Add(lineSeen).Before(one.submitted)
	waited := other.submitted.Add(lineSeen).Before(one.started)
	return before && waited && other.started.After(one.started.Add(lineSeen))
}
