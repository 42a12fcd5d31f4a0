package main

import (
	"fmt"

	"gangplan.io/tests/end_to_end/harness"
)

// memory is what Gangplan needs for a cluster that this machine could not store: its lists are made
// by this program while they are read.
func memory(b *bench) error {
	b.report.Pods = b.pods
	fmt.Printf("%d nodes, %d pods; the lists are made by the bench, not stored\n", b.shape.Total(), b.pods)
	var err error
	if b.plane, err = harness.ServeLists(b.env, b.shape, b.pods); err != nil {
		return err
	}
	var most []float64
	for range b.pairs {
		_, megabytes, err := b.startToReady()
		if err != nil {
			return err
		}
		most = append(most, megabytes)
	}
	b.report.add(newFigure("", "Gangplan's memory, the most, MB", most).atMost(500))
	return nil
}
