package main

import (
	"fmt"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

const (
	trickleEvery = 50 * time.Millisecond
	lonePods     = 20
)

// trickle is a gang whose pods come one by one: when the last of them is bound. It is compared with
// the time of a pod that is alone.
func trickle(b *bench) error {
	if err := b.startCluster(); err != nil {
		return err
	}
	fmt.Printf("%d nodes, a gang of %d, a pod each %s\n", b.shape.Total(), b.members, trickleEvery)
	var alone []float64
	w := b.gangWork([]gang{{"trickle", b.members, "block=pack!"}})
	w.create = b.trickleGang
	w.prepare = func(r road, _ *harness.Pair) error {
		if r.name != bare.name {
			return nil
		}
		took, err := b.lonePods()
		alone = append(alone, took...)
		return err
	}
	if err := b.rounds(w); err != nil {
		return err
	}
	b.judgeTrickle(newFigure(bare.name, "a lone pod, seconds", alone))
	return nil
}

// judgeTrickle tells how much later than bare's the last Binding is, in times of a lone pod.
func (b *bench) judgeTrickle(alone figure) {
	fmt.Println()
	b.report.add(alone)
	before := b.report.values(bare.name, timeFigure)
	for _, r := range b.roads {
		var beyond []float64
		for i, seconds := range b.report.values(r.name, timeFigure) {
			beyond = append(beyond, (seconds-before[i])/alone.Median)
		}
		b.report.add(newFigure(r.name, "last Binding beyond bare's, in times of a lone pod", beyond).
			atMost(2))
	}
}

func (b *bench) trickleGang(r road) error {
	pod := r.dress(harness.Gang("trickle", b.members, 1, "block=pack!"))
	ticker := time.NewTicker(trickleEvery)
	defer ticker.Stop()
	for i := range b.members {
		if err := b.plane.CreatePod(pod, i); err != nil {
			return err
		}
		if i+1 < b.members {
			<-ticker.C
		}
	}
	return nil
}

// lonePods is how long pods of nobody's gang take that come one after the other, each when the last
// one is bound.
func (b *bench) lonePods() ([]float64, error) {
	var took []float64
	for i := range lonePods {
		start := time.Now()
		if err := b.plane.CreatePod(harness.Foreign("alone", 1), i); err != nil {
			return nil, err
		}
		if err := b.awaitBound("alone", i+1); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start).Seconds())
	}
	return took, b.remove("alone")
}
