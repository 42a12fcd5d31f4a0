package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	scheduler "sigs.k8s.io/kueue/pkg/cache/scheduler"
	utiltas "sigs.k8s.io/kueue/pkg/util/tas"

	"gangplan.io/tests/bench/peers/ask"
)

// bench is a filled cache, and what is asked of it.
type bench struct {
	ctx     context.Context
	cache   *scheduler.Cache
	nodes   int
	cluster string
}

// placement is an assignment as text; equal assignments give equal text.
type placement struct {
	placed bool
	digest string
}

func placementOf(result scheduler.TASAssignmentsResult) placement {
	assignment := result[podSetName].TopologyAssignment
	if result.Failure() != nil || assignment == nil {
		return placement{}
	}
	hostOf := func(d utiltas.TopologyDomainAssignment) string { return d.Values[len(d.Values)-1] }
	domains := slices.Clone(assignment.Domains)
	slices.SortFunc(domains, func(a, b utiltas.TopologyDomainAssignment) int {
		return strings.Compare(hostOf(a), hostOf(b))
	})
	sum := fnv.New64a()
	for _, d := range domains {
		fmt.Fprintf(sum, "%s %d\n", hostOf(d), d.Count)
	}
	return placement{true, fmt.Sprintf("%016x", sum.Sum64())}
}

func (b *bench) snapshot() (*scheduler.ClusterQueueSnapshot, error) {
	snapshot, err := b.cache.Snapshot(b.ctx)
	if err != nil {
		return nil, err
	}
	queue := snapshot.ClusterQueue(queueName)
	if queue == nil || queue.TASFlavors[flavorName] == nil {
		return nil, fmt.Errorf("the snapshot has no topology for queue %s", queueName)
	}
	return queue, nil
}

func (b *bench) place(on *scheduler.ClusterQueueSnapshot, q question) scheduler.TASAssignmentsResult {
	return on.FindTopologyAssignmentsForWorkload(b.ctx, q.requests, scheduler.WithWorkload(q.workload))
}

// answer measures one request.
func (b *bench) answer(r ask.Request) (ask.Answer, error) {
	if err := gates(r.Mode == "balanced", false); err != nil {
		return ask.Answer{}, err
	}
	known, err := questionOf(r)
	if err != nil {
		return ask.Answer{}, err
	}
	m := measure{bench: b, least: time.Duration(r.MinMillis) * time.Millisecond}
	queue, err := m.cycles(known.unseen())
	if err != nil {
		return ask.Answer{}, err
	}
	warm := m.calls(queue, known.unseen())
	again := m.calls(queue, known)
	kept, err := m.keepingTheTree(r, known.unseen())
	if err != nil {
		return ask.Answer{}, err
	}
	return ask.Answer{
		Program: "kueue " + version(), Nodes: b.nodes, Cluster: b.cluster,
		Placed: m.first.placed, Digest: m.first.digest, Steady: !m.differs && m.first == kept.first,
		ColdMin: slices.Min(m.cold), SnapshotMin: slices.Min(m.snapshots),
		WarmMin: slices.Min(warm), WarmMedian: median(warm), AgainMin: slices.Min(again),
		KeptColdMin: slices.Min(kept.cold), KeptSnapshotMin: slices.Min(kept.snapshots),
	}, nil
}

// gates sets what is not at Kueue's default in every request.
func gates(balanced, keptTree bool) error {
	return utilfeature.DefaultMutableFeatureGate.Set(
		fmt.Sprintf("TASBalancedPlacement=%v,TASCacheTopologyTree=%v", balanced, keptTree))
}

// keepingTheTree measures cycles whose snapshots share the topology tree.
func (m *measure) keepingTheTree(r ask.Request, q question) (*measure, error) {
	if err := gates(r.Mode == "balanced", true); err != nil {
		return nil, err
	}
	kept := &measure{bench: m.bench, least: m.least}
	_, err := kept.cycles(q)
	if kept.differs {
		m.differs = true
	}
	return kept, err
}

// measure is one request being measured.
type measure struct {
	*bench
	least           time.Duration
	snapshots, cold []int64
	first           placement
	differs         bool // some call gave another answer than the first
}

// cycles takes snapshots, each with its first call, and returns the last.
func (m *measure) cycles(q question) (*scheduler.ClusterQueueSnapshot, error) {
	runtime.GC()
	for start := time.Now(); ; {
		begin := time.Now()
		queue, err := m.snapshot()
		taken := time.Now()
		if err != nil {
			return nil, err
		}
		result := m.place(queue, q)
		m.cold = append(m.cold, time.Since(taken).Nanoseconds())
		m.snapshots = append(m.snapshots, taken.Sub(begin).Nanoseconds())
		m.check(result)
		if len(m.cold) > 1 && time.Since(start) >= m.least {
			return queue, nil
		}
	}
}

// calls repeats a call on a snapshot that has answered before.
func (m *measure) calls(queue *scheduler.ClusterQueueSnapshot, q question) []int64 {
	m.check(m.place(queue, q))
	runtime.GC()
	var times []int64
	for start := time.Now(); len(times) < 3 || time.Since(start) < m.least; {
		begin := time.Now()
		result := m.place(queue, q)
		times = append(times, time.Since(begin).Nanoseconds())
		if len(times) == 1 {
			m.check(result)
		}
	}
	m.check(m.place(queue, q))
	return times
}

func (m *measure) check(result scheduler.TASAssignmentsResult) {
	got := placementOf(result)
	if len(m.cold) == 1 {
		m.first = got
	}
	m.differs = m.differs || got != m.first
}

func median(times []int64) int64 {
	slices.Sort(times)
	return times[len(times)/2]
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "sigs.k8s.io/kueue" {
			return dependency.Version
		}
	}
	return "unknown"
}
