// Package ask holds the words between the comparison and the programs compared: a line of
// `key=value` words is a request, a line of JSON is the answer.
package ask

import (
	"fmt"
	"strconv"
	"strings"
)

// Request is one question to a program that has its cluster already.
type Request struct {
	Mode       string // required, preferred, balanced, unconstrained or slices
	Level      string // block, rack or hostname; empty for unconstrained and slices
	Pods       int
	GPUs       int    // of each pod, beside 1 cpu
	SliceSize  int    // pods of a slice, 0 for no slices
	SliceLevel string // where a slice must be whole
	MinMillis  int    // how long each figure is measured, at least
}

// Answer is what a program prints. Times are nanoseconds of one call.
type Answer struct {
	Program string `json:"program"`
	Nodes   int    `json:"nodes"`
	Cluster string `json:"cluster_digest"`
	Placed  bool   `json:"placed"`
	Digest  string `json:"assignment_digest"` // empty when not placed
	Steady  bool   `json:"steady"`            // every call gave this answer

	// Cold: the first request of a new shape, or the first call on a fresh snapshot.
	ColdMin int64 `json:"cold_ns_min"`
	// Warm: the counts are kept, or the snapshot has answered before.
	WarmMin    int64 `json:"warm_ns_min"`
	WarmMedian int64 `json:"warm_ns_median"`
	// Kueue alone: a workload whose matching nodes it keeps, and the snapshot of each cycle.
	AgainMin    int64 `json:"again_ns_min,omitempty"`
	SnapshotMin int64 `json:"snapshot_ns_min,omitempty"`
	// The same of a cycle that keeps the topology tree of the one before.
	KeptColdMin     int64 `json:"kept_cold_ns_min,omitempty"`
	KeptSnapshotMin int64 `json:"kept_snapshot_ns_min,omitempty"`
}

// String is the line of the request.
func (r Request) String() string {
	words := []string{"mode=" + r.Mode}
	if r.Level != "" {
		words = append(words, "level="+r.Level)
	}
	words = append(words, fmt.Sprintf("pods=%d gpus=%d", r.Pods, r.GPUs))
	if r.SliceSize > 0 {
		words = append(words, fmt.Sprintf("slice-size=%d slice-level=%s", r.SliceSize, r.SliceLevel))
	}
	return strings.Join(append(words, fmt.Sprintf("min-ms=%d", r.MinMillis)), " ")
}

// Parse reads such a line.
func Parse(line string) (Request, error) {
	var r Request
	numbers := map[string]*int{"pods": &r.Pods, "gpus": &r.GPUs, "slice-size": &r.SliceSize,
		"min-ms": &r.MinMillis}
	texts := map[string]*string{"mode": &r.Mode, "level": &r.Level, "slice-level": &r.SliceLevel}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		if text := texts[key]; text != nil {
			*text = value
			continue
		}
		number := numbers[key]
		if number == nil {
			return r, fmt.Errorf("%q: no such key", word)
		}
		var err error
		if *number, err = strconv.Atoi(value); err != nil || *number < 0 {
			return r, fmt.Errorf("%q: expected a number of 0 or more", word)
		}
	}
	return r, nil
}
