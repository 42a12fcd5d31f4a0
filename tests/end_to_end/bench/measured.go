package main

import (
	"strings"
	"time"
)

// measured is one run. Its figures are of one pod, but for the rate and the time.
type measured struct {
	Road    string             `json:"road"`
	Pair    int                `json:"pair"`
	Figures map[string]float64 `json:"figures"`
}

// The figures that goals are about.
const (
	rateFigure     = "rate/pods a second"
	timeFigure     = "time/seconds"
	cpuFigure      = "cpu/all"
	attemptsFigure = "attempt/pods"
)

func newMeasured(r road, pods int, took time.Duration, grown counters) measured {
	m := measured{Road: r.name, Figures: map[string]float64{
		rateFigure: float64(pods) / took.Seconds(),
		timeFigure: took.Seconds(),
	}}
	for name, count := range grown {
		each := count / float64(pods)
		if strings.HasPrefix(name, "cpu/") {
			each *= 1000
			m.Figures[cpuFigure] += each
		}
		m.Figures[name] = each
	}
	return m
}
