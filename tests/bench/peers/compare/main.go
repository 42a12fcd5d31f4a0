// Command compare asks two programs the same questions about the same clusters, turn by turn, and
// prints their least times side by side. It fails when their answers differ.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"gangplan.io/tests/bench/peers/ask"
)

type options struct {
	kueue, ours string
	rounds      int
	minMillis   int
	quick       bool
	nodes       int
}

func main() {
	var o options
	flag.StringVar(&o.kueue, "kueue", "", "the program that times Kueue")
	flag.StringVar(&o.ours, "ours", "", "gangplan_tas_bench")
	flag.IntVar(&o.rounds, "rounds", 3, "turns of each program at each case; the least time counts")
	flag.IntVar(&o.minMillis, "min-ms", 60, "how long a program measures each figure in a turn")
	flag.BoolVar(&o.quick, "quick", false, "fewer cases, half used clusters of up to 5,120 nodes")
	flag.IntVar(&o.nodes, "nodes", 0, "only the cluster of so many nodes")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	begin := time.Now()
	var results []result
	for _, s := range sizes {
		if (o.nodes != 0 && s.nodes() != o.nodes) || (o.quick && s.nodes() > 5120) {
			continue
		}
		for _, load := range loads {
			if o.quick && load.permille == 0 {
				continue
			}
			some, err := o.measure(s, load.name, load.permille)
			if err != nil {
				return err
			}
			results = append(results, some...)
		}
	}
	if len(results) == 0 {
		return fmt.Errorf("there is no cluster of %d nodes", o.nodes)
	}
	printTable(os.Stdout, results)
	return summary(results, time.Since(begin))
}

// measure asks all cases of one cluster.
func (o options) measure(s size, load string, permille int) ([]result, error) {
	fmt.Fprintf(os.Stderr, "%d nodes, %s\n", s.nodes(), load)
	kueue, err := start(o.kueue, s, permille)
	if err != nil {
		return nil, err
	}
	ours, err := start(o.ours, s, permille)
	if err != nil {
		return nil, cmp.Or(err, kueue.stop())
	}
	var results []result
	for _, k := range kinds {
		if o.quick && !k.quick {
			continue
		}
		request := k.request(s)
		request.GPUs, request.MinMillis = 8, o.minMillis
		r := result{name: fmt.Sprintf("%d, %s: %s", s.nodes(), load, k.name), goals: s.goals(k)}
		for range o.rounds {
			if err = r.turn(kueue, ours, request); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
		r.disagreement = compare(k, r.kueue, r.ours)
		results = append(results, r)
	}
	return results, errors.Join(err, kueue.stop(), ours.stop())
}

func (r *result) turn(kueue, ours *peer, request ask.Request) error {
	theirs, err := kueue.ask(request)
	if err != nil {
		return err
	}
	own, err := ours.ask(request)
	if err != nil {
		return err
	}
	leastOf(&r.kueue, theirs)
	leastOf(&r.ours, own)
	return nil
}

func summary(results []result, took time.Duration) error {
	missed, differ := 0, []error(nil)
	for _, r := range results {
		if len(r.missed()) > 0 {
			missed++
		}
		if r.disagreement != nil {
			differ = append(differ, fmt.Errorf("%s: %w", r.name, r.disagreement))
		}
	}
	fmt.Printf("\n%s; %d cases, %d with another answer, %d miss a goal; %.0f s\n",
		results[0].kueue.Program, len(results), len(differ), missed, took.Seconds())
	return errors.Join(differ...)
}
