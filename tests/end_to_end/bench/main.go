// The program measures how fast gangs are placed: a stream of gang Jobs through a stock
// kube-scheduler with Gangplan beside it, against the same stream through the bare scheduler.
// Both run in turns on one control plane; everything shares this machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// Blocks of 20 racks of 10 nodes of 8 GPUs.
var shape = harness.Shape{Blocks: 25, Racks: 20, Nodes: 10, GPUs: 8}

// load is the stream: gangs that want one block and gangs that want one rack, 2,000 pods in all.
var load = []struct {
	gangs, size int
	place       string
}{
	{4, 260, "block=pack!"},
	{12, 80, "rack=pack!"},
}

func main() {
	pairs := flag.Int("pairs", 5, "how many pairs of runs")
	source := flag.String("source", "jobs", "where the pods come from: jobs, suspended (Jobs that "+
		"Gangplan starts) or pods (the bench makes them)")
	flag.Parse()
	env, err := harness.LoadEnvironment()
	if _, known := sources[*source]; !known && err == nil {
		err = fmt.Errorf("-source: expected jobs, suspended or pods, found %q", *source)
	}
	if err == nil {
		err = run(env, *pairs, *source)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\nlogs: %s\n", err, env.Directory)
		os.Exit(1)
	}
	os.RemoveAll(env.Directory)
}

// sources are who makes the pods, in words.
var sources = map[string]string{
	"jobs":      "the Job controller",
	"suspended": "the Job controller, when Gangplan has started the Jobs",
	"pods":      "the bench",
}

type bench struct {
	plane  *harness.ControlPlane
	view   *harness.View
	source string
}

func run(env harness.Environment, pairs int, source string) error {
	plane, err := harness.StartControlPlane(env)
	if err != nil {
		return err
	}
	defer plane.Stop()
	if err := plane.CreateNodes(shape, shape.NodeNames()...); err != nil {
		return err
	}
	b := bench{plane, harness.NewView(plane.Client), source}
	defer b.view.Stop()
	fmt.Printf("%d nodes, %d pods in %d gangs, created by %s\n", shape.Total(), pods(), gangs(),
		sources[source])
	var bare, gang []figures
	for i := range pairs {
		one, other, err := b.pair(i)
		if err != nil {
			return err
		}
		bare, gang = append(bare, one), append(gang, other)
		fmt.Printf("pair %d: bare %s\n        gang %s\n        rate %.2f of bare, scheduler's CPU %.2f of bare\n",
			i+1, one, other, other.rate()/one.rate(), ratio(other.scheduler, one.scheduler))
	}
	report(bare, gang)
	return nil
}

// pair measures both ways, with the order changing from pair to pair.
func (b bench) pair(i int) (bare, gang figures, err error) {
	first, second := &bare, &gang
	if i%2 == 1 {
		first, second = second, first
	}
	for _, into := range []*figures{first, second} {
		options := harness.Options{Bare: into == &bare, Unrecorded: true,
			Suspended: b.source == "suspended"}
		if *into, err = b.measure(options); err != nil {
			return bare, gang, err
		}
	}
	return bare, gang, nil
}

func (b bench) measure(options harness.Options) (figures, error) {
	b.view.Forget()
	pair, err := b.plane.StartPair(options)
	if err != nil {
		return figures{}, err
	}
	defer pair.Stop()
	if err := b.warmUp(); err != nil {
		return figures{}, err
	}
	before, err := b.processorTimes(pair)
	if err != nil {
		return figures{}, err
	}
	start := time.Now()
	if err := b.create(options.Bare); err != nil {
		return figures{}, err
	}
	if err := b.awaitBound(pods()); err != nil {
		return figures{}, err
	}
	took := time.Since(start)
	after, err := b.processorTimes(pair)
	if err != nil {
		return figures{}, err
	}
	result := after.minus(before)
	result.took = took
	if !options.Bare {
		err = b.checkRules()
	}
	return result, errors.Join(err, b.clear())
}

// warmUp has one pod bound, so that everybody's watches and caches stand.
func (b bench) warmUp() error {
	if err := b.plane.CreatePod(harness.Foreign("warm", 0), 0); err != nil {
		return err
	}
	if err := b.awaitBound(1); err != nil {
		return err
	}
	return b.clear()
}

// create makes the stream; the bare scheduler has nobody who starts a Job that waits.
func (b bench) create(bare bool) error {
	serial := 0
	for _, kind := range load {
		for range kind.gangs {
			name := fmt.Sprintf("gang%02d-%d", serial, kind.size)
			serial++
			if err := b.createGang(name, kind.size, kind.place, bare); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b bench) createGang(name string, size int, place string, bare bool) error {
	job := harness.GangJob(name, 1, place)
	switch {
	case b.source == "pods":
		return b.plane.CreatePods(harness.Gang(name, size, 1, place), 0, size)
	case b.source == "suspended" && !bare:
		return b.plane.Submit(harness.SuspendedJob(job, size))
	default:
		return b.plane.CreateJob(job, size)
	}
}

const patience = 2 * time.Minute

func (b bench) awaitBound(count int) error {
	return b.view.Await(fmt.Sprintf("%d pods bound", count), patience, func() (bool, string) {
		_, bound := b.view.Count("")
		return bound == count, fmt.Sprintf("%d bound", bound)
	})
}

func (b bench) clear() error {
	if err := b.plane.DeleteEverything(); err != nil {
		return err
	}
	return b.view.Await("an empty cluster", patience, func() (bool, string) {
		count, _ := b.view.Count("")
		return count == 0, fmt.Sprintf("%d pods", count)
	})
}

// checkRules makes sure that what was fast was also right.
func (b bench) checkRules() error {
	if violations := b.view.OverCommitted(); len(violations) > 0 {
		return fmt.Errorf("over-committed: %s", violations[0])
	}
	domains := map[string]map[string]bool{}
	for _, pod := range b.view.Pods("") {
		labels := b.view.Node(pod.Spec.NodeName).Labels
		domain := labels[harness.BlockLabel]
		if pod.Annotations[harness.PlaceKey] == "rack=pack!" {
			domain += "/" + labels[harness.RackLabel]
		}
		name := pod.Labels[harness.NameLabel]
		if domains[name] == nil {
			domains[name] = map[string]bool{}
		}
		domains[name][domain] = true
	}
	for name, seen := range domains {
		if len(seen) != 1 {
			return fmt.Errorf("%s lies in %d domains", name, len(seen))
		}
	}
	return nil
}

func pods() int {
	total := 0
	for _, kind := range load {
		total += kind.gangs * kind.size
	}
	return total
}

func gangs() int {
	total := 0
	for _, kind := range load {
		total += kind.gangs
	}
	return total
}

// figures is one run: the time from the first creation to the last binding, and processor times.
type figures struct {
	took, scheduler, gangplan, apiServer time.Duration
}

func (b bench) processorTimes(pair *harness.Pair) (figures, error) {
	var f figures
	var err, second, third error
	f.scheduler, err = pair.Scheduler.CPU()
	f.apiServer, second = b.plane.APIServer.CPU()
	if pair.Gangplan != nil {
		f.gangplan, third = pair.Gangplan.CPU()
	}
	return f, errors.Join(err, second, third)
}

func (f figures) minus(before figures) figures {
	return figures{0, f.scheduler - before.scheduler, f.gangplan - before.gangplan,
		f.apiServer - before.apiServer}
}

func (f figures) rate() float64 { return float64(pods()) / f.took.Seconds() }

func (f figures) String() string {
	return fmt.Sprintf("%.0f pods/s (%.2f s), CPU a pod: scheduler %s, gangplan %s, API server %s",
		f.rate(), f.took.Seconds(), each(f.scheduler), each(f.gangplan), each(f.apiServer))
}

func each(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", d.Seconds()*1000/float64(pods()))
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

func report(bare, gang []figures) {
	one, other := medians(bare), medians(gang)
	fmt.Printf("median of %d pairs\n  bare %s\n  gang %s\n", len(bare), one, other)
	fmt.Printf("  rate %.2f of bare (goal: at least 0.85), scheduler's CPU %.2f of bare (goal: at most 0.50)\n",
		other.rate()/one.rate(), ratio(other.scheduler, one.scheduler))
}

// medians takes each figure's own median.
func medians(runs []figures) figures {
	pick := func(of func(figures) time.Duration) time.Duration {
		values := make([]time.Duration, len(runs))
		for i, run := range runs {
			values[i] = of(run)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return figures{
		took:      pick(func(f figures) time.Duration { return f.took }),
		scheduler: pick(func(f figures) time.Duration { return f.scheduler }),
		gangplan:  pick(func(f figures) time.Duration { return f.gangplan }),
		apiServer: pick(func(f figures) time.Duration { return f.apiServer }),
	}
}
