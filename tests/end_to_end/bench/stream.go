package main

import (
	"fmt"

	"gangplan.io/tests/end_to_end/harness"
)

// The stream: gangs that want one block and gangs that want one rack, 2,000 pods in all.
func load() []gang {
	var all []gang
	add := func(count, size int, place string) {
		for range count {
			all = append(all, gang{fmt.Sprintf("gang%02d-%d", len(all), size), size, place})
		}
	}
	add(4, 260, "block=pack!")
	add(12, 80, "rack=pack!")
	return all
}

func members(of []gang) int {
	total := 0
	for _, g := range of {
		total += g.size
	}
	return total
}

// stream is how fast gangs are bound that come one after the other.
func stream(b *bench) error {
	if err := b.startCluster(); err != nil {
		return err
	}
	gangs := load()
	b.report.Pods = members(gangs)
	fmt.Printf("%d nodes, %d pods in %d gangs, created by %s\n", b.shape.Total(), b.report.Pods,
		len(gangs), sources[b.source].words)
	if err := b.rounds(b.gangWork(gangs)); err != nil {
		return err
	}
	b.report.summarize(b.roads)
	return nil
}

// gangWork is to have these gangs bound.
func (b *bench) gangWork(gangs []gang) work {
	return work{
		pods: members(gangs),
		create: func(r road) error {
			for _, g := range gangs {
				if err := b.make(r, g); err != nil {
					return err
				}
			}
			return nil
		},
		check: func() error { return b.checkPlaces(gangs) },
		clear: b.clear,
	}
}

// checkPlaces makes sure that what was fast was also right.
func (b *bench) checkPlaces(gangs []gang) error {
	for _, g := range gangs {
		domains := map[string]bool{}
		for _, pod := range b.view.Pods(g.name) {
			labels := b.view.Node(pod.Spec.NodeName).Labels
			domain := labels[harness.BlockLabel]
			if g.place == "rack=pack!" {
				domain += "/" + labels[harness.RackLabel]
			}
			domains[domain] = true
		}
		if len(domains) != 1 {
			return fmt.Errorf("%s lies in %d domains", g.name, len(domains))
		}
	}
	return nil
}
