package main

import (
	"fmt"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

const (
	settleStep  = 2 * time.Second
	settleShare = 0.2 // of a core, of all parts together
	settleMost  = 5 * time.Minute
)

// settle returns when the control plane has done what it was asked for, by its processor times.
func (b *bench) settle() error {
	before, err := b.busy()
	for end := time.Now().Add(settleMost); err == nil; {
		time.Sleep(settleStep)
		var now time.Duration
		if now, err = b.busy(); err != nil {
			break
		}
		share := (now - before).Seconds() / settleStep.Seconds()
		if share < settleShare {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("not quiet within %s: the control plane uses %.2f cores", settleMost, share)
		}
		before = now
	}
	return err
}

func (b *bench) busy() (time.Duration, error) {
	total := time.Duration(0)
	for _, process := range []*harness.Process{b.plane.APIServer, b.plane.Etcd, b.plane.Controllers} {
		used, err := process.CPU()
		if err != nil {
			return 0, err
		}
		total += used
	}
	return total, nil
}
