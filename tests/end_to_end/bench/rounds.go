package main

import (
	"errors"
	"fmt"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// work is what one run does.
type work struct {
	pods    int
	batch   string                                 // whose pods count; empty: all
	prepare func(r road, pair *harness.Pair) error // before it is measured; may be nil
	create  func(r road) error                     // has pods come that are to be bound
	check   func() error                           // of a road that keeps Gangplan's rules; may be nil
	clear   func() error                           // leaves the cluster as it was
}

const patience = 2 * time.Minute

// rounds does the work on each road and with the bare scheduler, as often as asked. The order turns
// from pair to pair, so that nobody is always the first.
func (b *bench) rounds(w work) error {
	columns := append([]road{bare}, b.roads...)
	for i := range b.pairs {
		var runs []measured
		for j := range columns {
			r := columns[(i+j)%len(columns)]
			result, err := b.measure(r, w)
			if err != nil {
				return fmt.Errorf("pair %d, %s: %w", i+1, r.name, err)
			}
			result.Pair = i + 1
			runs = append(runs, result)
		}
		b.report.Runs = append(b.report.Runs, runs...)
		fmt.Printf("\npair %d\n", i+1)
		printRuns(columns, runs)
	}
	return nil
}

// measure does the work once, from the first creation to the last Binding.
func (b *bench) measure(r road, w work) (measured, error) {
	b.view.Forget()
	pair, err := b.plane.StartPair(r.options)
	if err != nil {
		return measured{}, err
	}
	defer pair.Stop()
	if err := b.warmUp(); err != nil {
		return measured{}, err
	}
	if w.prepare != nil {
		if err := w.prepare(r, pair); err != nil {
			return measured{}, err
		}
	}
	reader := reader{b.plane, pair}
	before, err := reader.before()
	if err != nil {
		return measured{}, err
	}
	start := time.Now()
	if err := w.create(r); err != nil {
		return measured{}, err
	}
	if err := b.awaitBound(w.batch, w.pods); err != nil {
		return measured{}, err
	}
	took := time.Since(start)
	after, err := reader.after()
	if err != nil {
		return measured{}, err
	}
	return newMeasured(r, w.pods, took, after.minus(before)), errors.Join(b.isRight(r, w), w.clear())
}

func (b *bench) isRight(r road, w work) error {
	if violations := b.view.OverCommitted(); len(violations) > 0 {
		return fmt.Errorf("over-committed: %s", violations[0])
	}
	if !r.own || w.check == nil {
		return nil
	}
	return w.check()
}

// warmUp has one pod bound, so that everybody's watches and caches stand.
func (b *bench) warmUp() error {
	if err := b.plane.CreatePod(harness.Foreign("warm", 0), 0); err != nil {
		return err
	}
	if err := b.awaitBound("warm", 1); err != nil {
		return err
	}
	return b.remove("warm")
}

func (b *bench) awaitBound(batch string, count int) error {
	return b.view.Await(fmt.Sprintf("%d pods bound", count), patience, func() (bool, string) {
		_, bound := b.view.Count(batch)
		return bound == count, fmt.Sprintf("%d bound", bound)
	})
}

// remove deletes the pods of one batch.
func (b *bench) remove(batch string) error {
	if err := b.plane.DeletePods(batch); err != nil {
		return err
	}
	return b.awaitGone(batch)
}

// clear deletes everything but the nodes.
func (b *bench) clear() error {
	if err := b.plane.DeleteEverythingWithin(patience); err != nil {
		return err
	}
	if hasRoad(b.roads, "native") {
		if err := b.plane.DeletePodGroups(); err != nil {
			return err
		}
	}
	return b.awaitGone("")
}

func (b *bench) awaitGone(batch string) error {
	return b.view.Await("no pod is left", patience, func() (bool, string) {
		count, _ := b.view.Count(batch)
		return count == 0, fmt.Sprintf("%d pods", count)
	})
}
