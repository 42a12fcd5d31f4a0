package main

import (
	"fmt"
	"io"
	"strings"
)

const header = `| case | Kueue warm, ms | ours warm, us | ratio | of a workload seen before | ` +
	`Kueue first, ms | Kueue snapshot, ms | ours first, us | ratio | of snapshot and first | ` +
	`the same with the tree kept | same answer | goals |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|
`

func millis(nanos int64) string { return significant(float64(nanos) / 1e6) }
func micros(nanos int64) string { return significant(float64(nanos) / 1e3) }

// significant writes about three figures.
func significant(value float64) string {
	switch {
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	case value >= 1:
		return fmt.Sprintf("%.2f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

func (r result) row() string {
	same, reached := "yes", "met"
	if r.disagreement != nil {
		same = "NO"
	}
	if list := r.missed(); len(list) > 0 {
		reached = "MISSED: " + strings.Join(list, ", ")
	}
	cells := []string{r.name,
		millis(r.kueue.WarmMin), micros(r.ours.WarmMin), significant(r.warm()), significant(r.again()),
		millis(r.kueue.ColdMin), millis(r.kueue.SnapshotMin), micros(r.ours.ColdMin),
		significant(r.cold()), significant(r.cycle()), significant(r.keptCycle()), same, reached}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func printTable(out io.Writer, results []result) {
	fmt.Fprint(out, header)
	for _, r := range results {
		fmt.Fprint(out, r.row())
	}
}
