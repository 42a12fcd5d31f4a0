package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// settings is what the command line says.
type settings struct {
	workload string
	source   string
	roads    []road
	pairs    int
	blocks   int
	gangs    int // that wait
	members  int // of one gang
	foreign  int // pods
	pods     int // that run
	idle     time.Duration
	json     string // the file; empty: none
	against  string // another gangplan, beside which each road is run once more; empty: none
	apart    bool   // pods of no gang have a scheduler of their own
	keep     bool   // the logs
}

// workload is one question, with the sizes at which it is asked.
type workload struct {
	run     func(*bench) error
	blocks  int
	members int
	pods    int
	roads   string
	allowed []string // the roads; none: all
}

// workloads by the names on the command line. A function, because the workloads' own functions need
// none of it.
var workloads = map[string]workload{
	"stream": {run: stream, blocks: 25, roads: "nominated"},
	"lone":   {run: lone, blocks: 25, roads: "nominated"},
	"trickle": {run: trickle, blocks: 25, members: 64, roads: "nominated",
		allowed: []string{"nominated", "gated"}},
	"waiting": {run: waiting, blocks: 25, members: 64, roads: "suspended",
		allowed: []string{"suspended", "gated"}},
	"queue": {run: queue, members: 1, roads: "suspended", allowed: []string{"suspended"}},
	"line": {run: line, blocks: 5, roads: "suspended,strict,backfill",
		allowed: []string{"suspended", "strict", "backfill"}},
	"sync":   {run: syncing, blocks: 25, pods: 50_000},
	"memory": {run: memory, blocks: 256, pods: 500_000},
}

func parseSettings(args []string) (settings, error) {
	var s settings
	var roads string
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.StringVar(&s.workload, "workload", "stream", "what is measured: "+names(workloads))
	flags.StringVar(&s.source, "source", "jobs", "who makes the pods: "+names(sources))
	flags.StringVar(&roads, "road", "", "how gangs wait and go, several with commas: "+
		roadNames()+"; each is run once a pair, beside the bare scheduler")
	flags.IntVar(&s.pairs, "pairs", 5, "how many times each road is run")
	flags.IntVar(&s.blocks, "blocks", 0, "blocks of 200 nodes of 8 GPUs; 0: the workload's own number")
	flags.IntVar(&s.gangs, "gangs", 0, "gangs that wait (waiting: 10000, gated 157; queue: 2000)")
	flags.IntVar(&s.members, "members", 0, "members of such a gang, or of the trickle's")
	flags.IntVar(&s.foreign, "foreign", 2_000, "pods of nobody's gang, while others wait")
	flags.IntVar(&s.pods, "pods", 0, "pods that run, for sync and memory")
	flags.DurationVar(&s.idle, "idle", time.Minute, "how long Gangplan's processor time is watched "+
		"while nothing happens")
	flags.StringVar(&s.json, "json", "", "a file for all runs and figures")
	flags.StringVar(&s.against, "against", "", "another gangplan: each road is run with that one, "+
		"too, and told against it")
	flags.BoolVar(&s.apart, "apart", false, "waiting: pods of no gang have a scheduler of their own, "+
		"as with examples/deployment.yaml")
	flags.BoolVar(&s.keep, "keep", false, "keep the logs, also when all went well")
	flags.Parse(args)
	if flags.NArg() > 0 {
		return s, fmt.Errorf("there is no argument %q", flags.Arg(0))
	}
	return s, s.complete(roads)
}

// complete fills in what the workload decides, and refuses what cannot be.
func (s *settings) complete(roads string) error {
	chosen, known := workloads[s.workload]
	if !known {
		return fmt.Errorf("-workload: expected one of %s, found %q", names(workloads), s.workload)
	}
	if _, known := sources[s.source]; !known {
		return fmt.Errorf("-source: expected one of %s, found %q", names(sources), s.source)
	}
	if s.apart && s.workload != "waiting" {
		return fmt.Errorf("-apart: only with -workload waiting")
	}
	if s.pairs < 1 {
		return fmt.Errorf("-pairs: expected 1 or more, found %d", s.pairs)
	}
	for own, given := range map[*int]int{&s.blocks: chosen.blocks, &s.members: chosen.members,
		&s.pods: chosen.pods} {
		if *own == 0 {
			*own = given
		}
	}
	if roads == "" {
		roads = chosen.roads
	}
	for name := range strings.SplitSeq(roads, ",") {
		if name == "" {
			continue
		}
		if len(chosen.allowed) > 0 && !slices.Contains(chosen.allowed, name) {
			return fmt.Errorf("-workload %s has no road %q; it has %s", s.workload, name,
				strings.Join(chosen.allowed, ", "))
		}
		r, err := roadNamed(name, s.source)
		if err != nil {
			return err
		}
		r.options.Apart = s.apart
		if s.against != "" {
			s.roads = append(s.roads, r.before(s.against))
		}
		s.roads = append(s.roads, r)
	}
	return nil
}

func (s settings) shape() harness.Shape {
	return harness.Shape{Blocks: s.blocks, Racks: 20, Nodes: 10, GPUs: 8}
}

func names[T any](of map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}
