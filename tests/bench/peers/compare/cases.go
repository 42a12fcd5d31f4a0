package main

import "gangplan.io/tests/bench/peers/ask"

// size is a cluster: blocks x racks x nodes, and how many pods fill the larger requests there.
type size struct {
	blocks, racks, hosts int
	inBlock, overBlocks  int // pods
}

var sizes = []size{
	{4, 10, 16, 64, 256},
	{16, 20, 16, 128, 512},
	{50, 64, 16, 128, 512},
}

func (s size) nodes() int { return s.blocks * s.racks * s.hosts }

// loads are how many of 1,000 nodes carry something already.
var loads = []struct {
	name     string
	permille int
}{{"empty", 0}, {"half used", 500}}

// kind is what is asked; pods of 8 gpus each.
type kind struct {
	name    string
	quick   bool // in the quick subset too
	noFit   bool // must be refused
	request func(size) ask.Request
}

var kinds = []kind{
	{"required rack", true, false, func(size) ask.Request {
		return ask.Request{Mode: "required", Level: "rack", Pods: 8}
	}},
	{"required block", false, false, func(s size) ask.Request {
		return ask.Request{Mode: "required", Level: "block", Pods: s.inBlock}
	}},
	{"preferred rack", true, false, func(s size) ask.Request {
		return ask.Request{Mode: "preferred", Level: "rack", Pods: s.overBlocks}
	}},
	{"unconstrained", true, false, func(s size) ask.Request {
		return ask.Request{Mode: "unconstrained", Pods: s.overBlocks}
	}},
	{"balanced rack", true, false, func(s size) ask.Request {
		return ask.Request{Mode: "balanced", Level: "rack", Pods: s.inBlock}
	}},
	{"slices of 4 in a rack", true, false, func(s size) ask.Request {
		return ask.Request{Mode: "slices", Pods: s.inBlock, SliceSize: 4, SliceLevel: "rack"}
	}},
	{"required block, slices of 4 in a rack", false, false, func(s size) ask.Request {
		return ask.Request{Mode: "required", Level: "block", Pods: s.inBlock,
			SliceSize: 4, SliceLevel: "rack"}
	}},
	{"required rack, 1000 pods: does not fit", true, true, func(size) ask.Request {
		return ask.Request{Mode: "required", Level: "rack", Pods: 1000}
	}},
}

// goals are the least ratios of Kueue's time to ours; 0 is none.
type goals struct {
	warm  float64 // calls on counts and snapshots that have answered before
	cold  float64 // the first request of a new shape against the first call on a fresh snapshot
	cycle float64 // ... against the snapshot and that call, which is what a cycle of Kueue costs
}

func (s size) goals(k kind) goals {
	g := goals{cold: 5, cycle: 50}
	switch {
	case s.nodes() > 5120:
		g.warm, g.cold = 200, 10
		if k.noFit {
			g.warm = 1000
		}
	case s.nodes() == 5120:
		g.warm = 100
	}
	return g
}
