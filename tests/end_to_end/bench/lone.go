package main

import "fmt"

// lone is how long a gang takes that comes alone to a quiet cluster, from the creation of what makes
// its pods to the last Binding.
func lone(b *bench) error {
	if err := b.startCluster(); err != nil {
		return err
	}
	for _, g := range []gang{{"lone-60", 60, "rack=pack!"}, {"lone-64", 64, "rack=pack!"},
		{"lone-512", 512, "block=pack!"}, {"lone-520", 520, "block=pack!"}} {
		if (g.size%childMembers == 0) != (b.source == "jobsets") {
			continue
		}
		if err := b.loneGang(g); err != nil {
			return err
		}
	}
	return nil
}

const loneGoal = 1.3

func (b *bench) loneGang(g gang) error {
	fmt.Printf("\na lone gang of %d on %d quiet nodes, created by %s\n", g.size, b.shape.Total(),
		sources[b.source].words)
	from := len(b.report.Runs)
	if err := b.rounds(b.gangWork([]gang{g})); err != nil {
		return err
	}
	own := report{Runs: b.report.Runs[from:]}
	fmt.Println()
	for _, r := range append([]road{bare}, b.roads...) {
		b.report.add(newFigure(r.name, fmt.Sprintf("%s, seconds", g.name), own.values(r.name, timeFigure)))
	}
	for _, r := range b.roads {
		f := newFigure(r.name, g.name+", time of bare", own.ofBare(r.name, timeFigure))
		if r.own {
			f = f.atMost(loneGoal)
		}
		b.report.add(f)
	}
	return nil
}
