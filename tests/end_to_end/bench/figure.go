package main

import (
	"fmt"
	"slices"
	"strconv"
)

// figure is a number over all pairs, with its goal where it has one.
type figure struct {
	Road   string  `json:"road,omitempty"`
	Name   string  `json:"name"`
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
	Goal   *goal   `json:"goal,omitempty"`
}

// goal bounds a figure's median.
type goal struct {
	Bound   float64 `json:"bound"`
	AtLeast bool    `json:"atLeast"` // else at most
	Met     bool    `json:"met"`
}

func newFigure(road, name string, values []float64) figure {
	sorted := slices.Sorted(slices.Values(values))
	f := figure{Road: road, Name: name}
	if len(sorted) > 0 {
		f.Least, f.Most = sorted[0], sorted[len(sorted)-1]
		f.Median = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	}
	return f
}

func (f figure) atLeast(bound float64) figure {
	f.Goal = &goal{bound, true, f.Median >= bound}
	return f
}

func (f figure) atMost(bound float64) figure {
	f.Goal = &goal{bound, false, f.Median <= bound}
	return f
}

// spread is the median, and the least and the most where they differ.
func (f figure) spread() string {
	if f.Least == f.Most {
		return number(f.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", number(f.Median), number(f.Least), number(f.Most))
}

func (g goal) String() string {
	word, met := "at most", "met"
	if g.AtLeast {
		word = "at least"
	}
	if !g.Met {
		met = "missed"
	}
	return fmt.Sprintf("goal: %s %s, %s", word, strconv.FormatFloat(g.Bound, 'g', -1, 64), met)
}
