package main

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// What a namespace may have by default: of more gangs, the rest would not be looked at.
const groupsOfNamespace = 2_000

// waiting is what gangs without room cost those who need none of theirs, and Gangplan itself.
func waiting(b *bench) error {
	if len(b.roads) != 1 {
		return fmt.Errorf("-workload waiting takes one road at a time: who waits stays from run to run")
	}
	if err := b.startCluster(); err != nil {
		return err
	}
	if err := b.plane.Fill("fill", b.shape.GPUs, b.shape.NodeNames()...); err != nil {
		return err
	}
	r := b.roads[0]
	gangs, create, goal := 10_000, b.suspendedJobs, 0.97
	if r.name == "gated" {
		gangs, create, goal = (10_000+b.members-1)/b.members, b.gatedPods, 0.95
	}
	if b.gangs > 0 {
		gangs = b.gangs
	}
	fmt.Printf("%d nodes, all full; %d gangs of %d wait, %s\n", b.shape.Total(), gangs, b.members, r.name)
	if err := create(gangs); err != nil {
		return err
	}
	if err := b.settle(); err != nil {
		return err
	}
	if err := b.rounds(b.foreignWork(gangs)); err != nil {
		return err
	}
	b.report.summarize([]road{{name: r.name}})
	b.report.add(newFigure(r.name, "rate of foreign pods, of bare",
		b.report.ofBare(r.name, rateFigure)).atLeast(goal))
	return nil
}

// suspendedJobs makes Jobs for which there is no room, in as many namespaces as it takes.
func (b *bench) suspendedJobs(count int) error {
	jobs := make([]*batchv1.Job, count)
	for i := range jobs {
		pod := harness.GangJob(fmt.Sprintf("waiting-%05d", i), 1, "rack=pack!")
		jobs[i] = harness.SuspendedJob(pod, b.members)
		jobs[i].Namespace = fmt.Sprintf("waiting-%d", i/groupsOfNamespace)
	}
	for i := 0; i < count; i += groupsOfNamespace {
		if err := b.plane.CreateNamespace(jobs[i].Namespace); err != nil {
			return err
		}
	}
	return harness.InParallel(jobs, b.plane.Submit)
}

// gatedPods makes the members of gangs for which there is no room.
func (b *bench) gatedPods(gangs int) error {
	for i := range gangs {
		pod := harness.Gang(fmt.Sprintf("waiting-%05d", i), b.members, 1, "rack=pack!")
		pod.Gates = []string{harness.GangGate}
		if err := b.plane.CreatePods(pod, 0, b.members); err != nil {
			return err
		}
	}
	return nil
}

// foreignWork is to have pods bound that need none of the GPUs that the gangs wait for.
func (b *bench) foreignWork(gangs int) work {
	b.report.Pods = b.foreign
	return work{
		pods:  b.foreign,
		batch: "foreign",
		prepare: func(r road, pair *harness.Pair) error {
			if pair.Gangplan == nil {
				return nil
			}
			return b.watchIdle(r, pair, gangs)
		},
		create: func(road) error {
			return b.plane.CreatePods(harness.Foreign("foreign", 0), 0, b.foreign)
		},
		clear: func() error { return b.remove("foreign") },
	}
}

// watchIdle is what Gangplan takes while all wait and nothing happens.
func (b *bench) watchIdle(r road, pair *harness.Pair, gangs int) error {
	start := time.Now()
	known := func() (bool, string) {
		metrics, err := pair.Metrics()
		if err != nil {
			return false, err.Error()
		}
		groups := metrics.By("gangplan_groups", label("state"))
		total := 0.0
		for _, count := range groups {
			total += count
		}
		return int(total) >= gangs, fmt.Sprintf("groups by state: %v", groups)
	}
	if err := b.view.Await(fmt.Sprintf("%d groups are known", gangs), patience, known); err != nil {
		return err
	}
	fmt.Printf("all are known %.2f s after Gangplan was ready\n", time.Since(start).Seconds())
	if err := b.settle(); err != nil {
		return err
	}
	before, err := pair.Gangplan.CPU()
	if err != nil {
		return err
	}
	time.Sleep(b.idle)
	after, err := pair.Gangplan.CPU()
	if err != nil {
		return err
	}
	now, most, err := pair.Gangplan.Memory()
	b.report.add(
		newFigure(r.name, "Gangplan's idle CPU, per cent of a core",
			[]float64{100 * (after - before).Seconds() / b.idle.Seconds()}).atMost(1),
		newFigure(r.name, "Gangplan's memory, MB", []float64{float64(now) / 1e6}),
		newFigure(r.name, "Gangplan's memory, the most so far, MB", []float64{float64(most) / 1e6}))
	return err
}
