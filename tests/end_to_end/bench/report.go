package main

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
)

// report is everything that was measured.
type report struct {
	Workload string     `json:"workload"`
	Source   string     `json:"source"`
	Nodes    int        `json:"nodes"`
	Pods     int        `json:"pods"`
	Runs     []measured `json:"runs,omitempty"`
	Figures  []figure   `json:"figures"`
}

// write makes the file; an empty name makes none.
func (r *report) write(file string) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// add keeps the figures and prints them, with their goals beside them.
func (r *report) add(figures ...figure) {
	r.Figures = append(r.Figures, figures...)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	defer out.Flush()
	for _, f := range figures {
		fmt.Fprintf(out, "%s\t%s\t%s", f.Road, f.Name, f.spread())
		if f.Goal != nil {
			fmt.Fprintf(out, "\t%s", f.Goal)
		}
		fmt.Fprintln(out)
	}
}

// values is one figure of a road in every pair.
func (r *report) values(road, name string) []float64 {
	var found []float64
	for _, run := range r.Runs {
		if run.Road == road {
			found = append(found, run.Figures[name])
		}
	}
	return found
}

// ofBare is one figure of a road in parts of the bare scheduler's in the same pair.
func (r *report) ofBare(road, name string) []float64 {
	return r.of(bare.name, road, name)
}

// of is likewise in parts of another road's; nothing where that one was not run.
func (r *report) of(other, road, name string) []float64 {
	before := map[int]float64{}
	for _, run := range r.Runs {
		if run.Road == other {
			before[run.Pair] = run.Figures[name]
		}
	}
	var found []float64
	for _, run := range r.Runs {
		if base, known := before[run.Pair]; known && run.Road == road {
			found = append(found, run.Figures[name]/base)
		}
	}
	return found
}

// summarize prints medians over all pairs, and each road against its goals.
func (r *report) summarize(on []road) {
	fmt.Printf("\nmedians of %d pairs (least to most)\n", len(r.values(bare.name, rateFigure)))
	printTable(append([]road{bare}, on...), r.Runs, func(column road, name string) string {
		f := newFigure(column.name, title(name), r.values(column.name, name))
		r.Figures = append(r.Figures, f)
		return f.spread()
	})
	fmt.Println()
	for _, column := range on {
		r.add(r.judge(column)...)
	}
}

// judge is a road against bare, in its pairs.
func (r *report) judge(on road) []figure {
	rate := newFigure(on.name, "rate, of bare", r.ofBare(on.name, rateFigure))
	cpu := newFigure(on.name, "CPU of all a pod, of bare", r.ofBare(on.name, cpuFigure))
	attempts := newFigure(on.name, "attempts a pod", r.values(on.name, attemptsFigure))
	figures := []figure{rate}
	if on.goals.rate > 0 {
		figures[0] = rate.atLeast(on.goals.rate)
		below := r.below(on.name, on.goals.pair)
		figures = append(figures, newFigure(on.name, fmt.Sprintf("pairs under %.2f of bare's rate",
			on.goals.pair), []float64{below}).atMost(float64(on.goals.below)))
	}
	if on.goals.cpu > 0 {
		cpu = cpu.atMost(on.goals.cpu)
	}
	if on.goals.attempts > 0 {
		attempts = attempts.atMost(on.goals.attempts)
	}
	if beside := r.of(on.beside, on.name, rateFigure); len(beside) > 0 {
		against := newFigure(on.name, "rate, of "+on.beside, beside)
		if on.least > 0 {
			against = against.atLeast(on.least)
		}
		figures = append(figures, against)
	}
	return append(figures, cpu, attempts)
}

// below is how many pairs had less than this of bare's rate.
func (r *report) below(road string, bound float64) float64 {
	count := 0.0
	for _, ratio := range r.ofBare(road, rateFigure) {
		if ratio < bound {
			count++
		}
	}
	return count
}
