package main

import (
	"errors"
	"fmt"

	"gangplan.io/tests/bench/peers/ask"
)

// result is one case: the least times of all rounds.
type result struct {
	name         string
	goals        goals
	kueue, ours  ask.Answer
	disagreement error
}

// leastOf takes the times of another round over where they are smaller.
func leastOf(a *ask.Answer, b ask.Answer) {
	if a.Program == "" {
		*a = b
		return
	}
	a.Steady = a.Steady && b.Steady && a.Digest == b.Digest && a.Placed == b.Placed
	a.ColdMin = min(a.ColdMin, b.ColdMin)
	a.WarmMin = min(a.WarmMin, b.WarmMin)
	a.WarmMedian = min(a.WarmMedian, b.WarmMedian)
	a.AgainMin = min(a.AgainMin, b.AgainMin)
	a.SnapshotMin = min(a.SnapshotMin, b.SnapshotMin)
	a.KeptColdMin = min(a.KeptColdMin, b.KeptColdMin)
	a.KeptSnapshotMin = min(a.KeptSnapshotMin, b.KeptSnapshotMin)
}

// compare finds what the two do not agree about.
func compare(k kind, kueue, ours ask.Answer) error {
	switch {
	case kueue.Nodes != ours.Nodes || kueue.Cluster != ours.Cluster:
		return fmt.Errorf("other clusters: %d nodes %s and %d nodes %s",
			kueue.Nodes, kueue.Cluster, ours.Nodes, ours.Cluster)
	case !kueue.Steady || !ours.Steady:
		return fmt.Errorf("not the same answer every time: Kueue %v, ours %v",
			kueue.Steady, ours.Steady)
	case kueue.Placed != ours.Placed:
		return fmt.Errorf("placed: Kueue %v, ours %v", kueue.Placed, ours.Placed)
	case kueue.Digest != ours.Digest:
		return fmt.Errorf("assignments: Kueue %s, ours %s", kueue.Digest, ours.Digest)
	case kueue.Placed == k.noFit:
		return errors.New("both agree, but the case does not ask what its name says")
	}
	return nil
}

func (r result) warm() float64  { return ratio(r.kueue.WarmMin, r.ours.WarmMin) }
func (r result) again() float64 { return ratio(r.kueue.AgainMin, r.ours.WarmMin) }
func (r result) cold() float64  { return ratio(r.kueue.ColdMin, r.ours.ColdMin) }
func (r result) cycle() float64 {
	return ratio(r.kueue.SnapshotMin+r.kueue.ColdMin, r.ours.ColdMin)
}

func (r result) keptCycle() float64 {
	return ratio(r.kueue.KeptSnapshotMin+r.kueue.KeptColdMin, r.ours.ColdMin)
}

func ratio(theirs, ours int64) float64 { return float64(theirs) / float64(max(ours, 1)) }

// missed lists the goals that the figures do not reach.
func (r result) missed() []string {
	var list []string
	check := func(what string, got, goal float64) {
		if got < goal {
			list = append(list, fmt.Sprintf("%s %s of %.0f", what, significant(got), goal))
		}
	}
	check("warm", r.warm(), r.goals.warm)
	check("cold", r.cold(), r.goals.cold)
	check("cycle", r.cycle(), r.goals.cycle)
	return list
}
