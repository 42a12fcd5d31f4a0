// The program measures Gangplan beside a real control plane, against the bare scheduler with the
// same pods on the same control plane in the same run. Everything shares this machine.
package main

import (
	"fmt"
	"os"

	"gangplan.io/tests/end_to_end/harness"
)

func main() {
	asked, err := parseSettings(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	env, err := harness.LoadEnvironment()
	if err == nil {
		err = run(env, asked)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\nlogs: %s\n", err, env.Directory)
		os.Exit(1)
	}
	if asked.keep {
		fmt.Printf("logs: %s\n", env.Directory)
		return
	}
	os.RemoveAll(env.Directory)
}

// bench is what all workloads use; plane and view are there once the workload has started them.
type bench struct {
	settings
	env    harness.Environment
	shape  harness.Shape
	plane  *harness.ControlPlane
	view   *harness.View
	report report
}

func run(env harness.Environment, asked settings) error {
	b := &bench{settings: asked, env: env, shape: asked.shape()}
	b.report = report{Workload: asked.workload, Source: asked.source, Nodes: b.shape.Total()}
	defer b.stop()
	if err := workloads[asked.workload].run(b); err != nil {
		return err
	}
	return b.report.write(asked.json)
}

// startCluster has the control plane run, with all nodes of the shape and a view of them.
func (b *bench) startCluster() error {
	var flags []string
	if hasRoad(b.roads, "native") {
		flags = harness.NativeGangFlags()
	}
	var err error
	if b.plane, err = harness.StartControlPlane(b.env, flags...); err != nil {
		return err
	}
	if err := b.leaveOut(); err != nil {
		return err
	}
	if err := b.plane.CreateNodes(b.shape, b.shape.NodeNames()...); err != nil {
		return err
	}
	b.view = harness.NewView(b.plane.Quiet)
	return nil
}

// leaveOut takes away the roads that this Gangplan does not know, and says so; one must be left.
func (b *bench) leaveOut() error {
	var known []road
	for _, r := range b.roads {
		if err := r.check(b.plane); err != nil {
			fmt.Printf("-road %s is left out, this gangplan does not know it: %v\n", r.name, err)
			continue
		}
		known = append(known, r)
	}
	if len(known) == 0 && len(b.roads) > 0 {
		return fmt.Errorf("no road is left")
	}
	b.roads = known
	return nil
}

func (b *bench) stop() {
	if b.view != nil {
		b.view.Stop()
	}
	if b.plane != nil {
		b.plane.Stop()
	}
}
