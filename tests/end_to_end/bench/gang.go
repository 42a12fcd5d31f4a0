package main

import (
	"fmt"

	"gangplan.io/tests/end_to_end/harness"
)

// gang is one of the stream. Its members ask for one GPU each.
type gang struct {
	name  string
	size  int
	place string
}

// sources are who makes a gang's pods, by the names on the command line.
var sources = map[string]struct {
	words string
	make  func(*harness.ControlPlane, road, gang) error
}{
	"jobs":    {"the Job controller", makeJob},
	"pods":    {"the bench", makePods},
	"jobsets": {"the Job controller, for the child Jobs of JobSets", makeJobSet},
}

// make makes the gang; the members come by themselves, or are there.
func (b *bench) make(r road, g gang) error {
	if r.name == "native" {
		if err := b.plane.CreatePodGroup(g.name, g.size, nil); err != nil {
			return err
		}
	}
	return sources[b.source].make(b.plane, r, g)
}

// makeJob leaves the Job running where nobody is there who would start it.
func makeJob(plane *harness.ControlPlane, r road, g gang) error {
	pod := r.dress(harness.GangJob(g.name, 1, g.place))
	if r.name == "suspended" {
		return plane.Submit(harness.SuspendedJob(pod, g.size))
	}
	return plane.CreateJob(pod, g.size)
}

func makePods(plane *harness.ControlPlane, r road, g gang) error {
	return plane.CreatePods(r.dress(harness.Gang(g.name, g.size, 1, g.place)), 0, g.size)
}

// childMembers is the members of one child Job; every gang is a multiple of it.
const childMembers = 20

// makeJobSet makes what the controller of JobSets makes of one: child Jobs, all at once, which are
// one gang together.
func makeJobSet(plane *harness.ControlPlane, r road, g gang) error {
	pod := r.dress(harness.Gang(g.name, g.size, 1, g.place))
	var children []string
	for i := range g.size / childMembers {
		children = append(children, fmt.Sprintf("%s-workers-%d", g.name, i))
	}
	return harness.InParallel(children, func(name string) error {
		job := harness.Job(pod, childMembers)
		job.Name = name
		return plane.Submit(job)
	})
}
