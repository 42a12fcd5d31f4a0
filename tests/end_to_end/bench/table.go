package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// kinds of figures in the order of the table, with what stands before their names.
var kinds = []struct{ name, title string }{
	{"rate", ""},
	{"time", ""},
	{"cpu", "CPU a pod, ms: "},
	{"write", "writes a pod: "},
	{"conflict", "409 a pod: "},
	{"attempt", "attempts a pod: "},
	{"call", "calls of Gangplan a pod: "},
	{"watch", "watched a pod: "},
}

// parts in the order of the table.
var parts = []string{"API server", "etcd", "controllers", "scheduler", "gangplan", "all"}

func kindOf(figure string) int {
	kind, _, _ := strings.Cut(figure, "/")
	for i, known := range kinds {
		if known.name == kind {
			return i
		}
	}
	return len(kinds)
}

func title(figure string) string {
	_, name, _ := strings.Cut(figure, "/")
	return kinds[kindOf(figure)].title + name
}

// inOrder is every figure of the runs, as the table lists them.
func inOrder(runs []measured) []string {
	seen := map[string]bool{}
	var all []string
	for _, run := range runs {
		for figure := range run.Figures {
			if !seen[figure] {
				seen[figure] = true
				all = append(all, figure)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		_, one, _ := strings.Cut(a, "/")
		_, other, _ := strings.Cut(b, "/")
		return cmp.Or(cmp.Compare(kindOf(a), kindOf(b)),
			cmp.Compare(slices.Index(parts, one), slices.Index(parts, other)), strings.Compare(a, b))
	})
	return all
}

// printRuns is one pair, a road in each column, and what the rate and all the work are of bare's.
func printRuns(columns []road, runs []measured) {
	by := map[string]measured{}
	for _, run := range runs {
		by[run.Road] = run
	}
	printTable(columns, runs, func(r road, figure string) string {
		text := number(by[r.name].Figures[figure])
		if r.name != bare.name && (figure == rateFigure || figure == cpuFigure) {
			text += fmt.Sprintf(" (%.2f of bare)",
				by[r.name].Figures[figure]/by[bare.name].Figures[figure])
		}
		return text
	})
}

func printTable(columns []road, runs []measured, cell func(road, string) string) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	defer out.Flush()
	for _, column := range columns {
		fmt.Fprintf(out, "\t%s", column.name)
	}
	fmt.Fprintln(out)
	for _, figure := range inOrder(runs) {
		if tooSmall(runs, figure) {
			continue
		}
		fmt.Fprint(out, title(figure))
		for _, column := range columns {
			fmt.Fprintf(out, "\t%s", cell(column, figure))
		}
		fmt.Fprintln(out)
	}
}

// tooSmall leaves out what happens to one pod of hundreds, on whatever road.
func tooSmall(runs []measured, figure string) bool {
	return !slices.ContainsFunc(runs, func(run measured) bool { return run.Figures[figure] >= 0.005 })
}

// number has three digits that mean something.
func number(value float64) string {
	switch {
	case value == math.Trunc(value):
		return fmt.Sprintf("%.0f", value)
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	case value >= 0.01:
		return fmt.Sprintf("%.2f", value)
	default:
		return fmt.Sprintf("%.4f", value)
	}
}
