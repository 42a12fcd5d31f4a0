package main

import (
	"fmt"
	"slices"
	"strings"

	"gangplan.io/tests/end_to_end/harness"
)

// road is how gangs wait and get their nodes.
type road struct {
	name    string
	options harness.Options
	own     bool // gangs keep Gangplan's rules on it
	goals   goals
	beside  string  // the road against whose rate its own is told, where that is run too
	least   float64 // of that rate, the median of the pairs; zero: no goal
}

// goals of a stream of gangs, against the bare scheduler; zero: none.
type goals struct {
	rate     float64 // the median of the pairs, at least
	pair     float64 // one pair, at least
	below    int     // so many pairs may be below that
	cpu      float64 // of all parts, at most
	attempts float64 // a pod, at most
}

var bare = road{name: "bare", options: harness.Options{Bare: true, Unrecorded: true}}

// roads in the order in which people read of them.
var roads = []road{
	{name: "nominated", own: true, options: harness.Options{Unrecorded: true},
		goals: goals{rate: 0.85, pair: 0.8, attempts: 1.1}},
	{name: "tls", own: true, options: harness.Options{Unrecorded: true, TLS: true},
		beside: "nominated", least: 0.97},
	{name: "suspended", own: true, options: harness.Options{Unrecorded: true, Suspended: true},
		goals: goals{rate: 1.05, pair: 1, below: 1, cpu: 0.9, attempts: 1.02}},
	{name: "gated", own: true, options: harness.Options{Unrecorded: true, Gates: "gangplan"},
		goals: goals{rate: 0.9, pair: 0.85}},
	{name: "strict", own: true, options: harness.Options{Unrecorded: true, Queue: "strict"}},
	{name: "backfill", own: true, options: harness.Options{Unrecorded: true, Queue: "backfill"}},
	{name: "native", options: harness.Options{Bare: true, Unrecorded: true, NativeGangs: true}},
}

// before is the same road with another gangplan, which it is told against.
func (r *road) before(program string) road {
	other := *r
	other.name = r.name + "-before"
	other.options.Program = program
	other.goals, other.beside, other.least = goals{}, "", 0
	r.beside, r.least = other.name, 0
	return other
}

func roadNames() string {
	var all []string
	for _, r := range roads {
		all = append(all, r.name)
	}
	return strings.Join(all, ", ")
}

func hasRoad(of []road, name string) bool {
	return slices.ContainsFunc(of, func(r road) bool { return r.name == name })
}

// roadNamed also refuses a road that pods of this source cannot take.
func roadNamed(name, source string) (road, error) {
	i := slices.IndexFunc(roads, func(r road) bool { return r.name == name })
	if i < 0 {
		return road{}, fmt.Errorf("-road: expected one of %s, found %q", roadNames(), name)
	}
	if name == "suspended" && source == "pods" {
		return road{}, fmt.Errorf("-road suspended: bare pods have no owner that could wait suspended")
	}
	if name == "suspended" && source == "jobsets" {
		return road{}, fmt.Errorf("-road suspended: a JobSet is suspended and resumed by its own " +
			"controller, which does not run here; the bench makes the child Jobs itself")
	}
	return roads[i], nil
}

// check is an error when this Gangplan does not know the road.
func (r road) check(plane *harness.ControlPlane) error {
	if r.options.Bare {
		return nil
	}
	return plane.CheckGangplan(r.options)
}

// dress gives the pods of a gang what the road asks of them.
func (r road) dress(pod harness.PodSpec) harness.PodSpec {
	switch strings.TrimSuffix(r.name, "-before") {
	case "gated":
		pod.Gates = []string{harness.GangGate}
	case "native":
		pod.PodGroup = pod.Name
	}
	return pod
}
