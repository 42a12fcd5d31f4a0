package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// loneStarts is how many Jobs start while nobody else waits.
const loneStarts = 20

// queue is a node for each of many suspended Jobs, and all nodes full: they come free one by one.
// First some Jobs start the same way while nobody else waits.
func queue(b *bench) error {
	count := 2_000
	if b.gangs > 0 {
		count = b.gangs
	}
	b.shape.Blocks = (count + loneStarts + 199) / 200
	b.report.Nodes, b.report.Pods = b.shape.Total(), count*b.members
	if err := b.startCluster(); err != nil {
		return err
	}
	nodes := b.shape.NodeNames()
	if err := b.plane.Fill("fill", b.shape.GPUs, nodes...); err != nil {
		return err
	}
	binding, err := b.bindingTime()
	if err != nil {
		return err
	}
	pair, err := b.plane.StartPair(b.roads[0].options)
	if err != nil {
		return err
	}
	defer pair.Stop()
	q := queueRun{b, pair}
	fmt.Printf("%d nodes, all full; Jobs of %d, suspended, one node each\n", b.shape.Total(), b.members)
	return q.run(count, binding)
}

type queueRun struct {
	*bench
	pair *harness.Pair
}

func (q queueRun) run(count int, binding figure) error {
	var alone []float64
	for i := range loneStarts {
		if err := q.submit("lone", i); err != nil {
			return err
		}
		if err := q.awaitGroups(1); err != nil {
			return err
		}
		took, err := q.free(i, "lone", i)
		if err != nil {
			return err
		}
		alone = append(alone, took)
	}
	for i := range count {
		if err := q.submit("queued", i); err != nil {
			return err
		}
	}
	if err := q.awaitGroups(count); err != nil {
		return err
	}
	if err := q.settle(); err != nil {
		return err
	}
	var queued []float64
	for i := range count {
		took, err := q.free(loneStarts+i, "queued", i)
		if err != nil {
			return err
		}
		queued = append(queued, took)
	}
	q.judge(newFigure("suspended", "a lone Job, from the room to the last Binding, seconds", alone),
		newFigure("suspended", fmt.Sprintf("each of %d Jobs, likewise, seconds", count), queued),
		binding, queued)
	return nil
}

// judge also counts who was late; that all started in order is known, else it had ended.
func (q queueRun) judge(alone, queued, binding figure, each []float64) {
	late := 0.0
	for _, seconds := range each {
		if seconds > alone.Median+binding.Median {
			late++
		}
	}
	q.report.add(binding, alone, queued,
		newFigure("suspended", "beyond a lone Job's, in times of a Binding",
			[]float64{(queued.Median - alone.Median) / binding.Median}).atMost(1),
		newFigure("suspended", "Jobs later than that", []float64{late}).atMost(0))
}

func jobName(batch string, i int) string { return fmt.Sprintf("%s-%04d", batch, i) }

// submit makes a Job that takes a node.
func (q queueRun) submit(batch string, i int) error {
	pod := harness.GangJob(jobName(batch, i), q.shape.GPUs/q.members, "node=pack!")
	return q.plane.Submit(harness.SuspendedJob(pod, q.members))
}

// awaitGroups waits until so many are known that have no room.
func (q queueRun) awaitGroups(count int) error {
	return q.view.Await(fmt.Sprintf("%d groups wait", count), patience, func() (bool, string) {
		metrics, err := q.pair.Metrics()
		if err != nil {
			return false, err.Error()
		}
		groups := metrics.By("gangplan_groups", label("state"))
		return int(groups["Blocked"]) >= count, fmt.Sprintf("groups by state: %v", groups)
	})
}

// free takes the pod from the full node, and returns how long it takes until this Job's pods are all
// bound; it is an error when another one's are before.
func (q queueRun) free(node int, batch string, i int) (float64, error) {
	name := jobName(batch, i)
	start := time.Now()
	if err := q.plane.DeletePod(harness.PodName("fill", node)); err != nil {
		return 0, err
	}
	err := q.view.Await(name+" started", patience, func() (bool, string) {
		_, bound := q.view.Count(name)
		return bound == q.members, fmt.Sprintf("%d bound", bound)
	})
	took := time.Since(start).Seconds()
	if _, next := q.view.Count(jobName(batch, i+1)); err == nil && next > 0 {
		err = fmt.Errorf("%s started before it was its turn", jobName(batch, i+1))
	}
	return took, err
}

// bindingTime is how long a Binding takes from being posted to being seen.
func (b *bench) bindingTime() (figure, error) {
	var took []float64
	pod := harness.Foreign("bound", 0)
	pod.Scheduler = "another-scheduler"
	for i := range loneStarts {
		if err := b.plane.CreatePod(pod, i); err != nil {
			return figure{}, err
		}
		name := harness.PodName("bound", i)
		start := time.Now()
		err := b.plane.Client.CoreV1().Pods(harness.Namespace).Bind(context.Background(),
			&corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name},
				Target: corev1.ObjectReference{Kind: "Node", Name: b.shape.NodeNames()[0]}},
			metav1.CreateOptions{})
		if err == nil {
			err = b.awaitBound("bound", i+1)
		}
		if err != nil {
			return figure{}, err
		}
		took = append(took, time.Since(start).Seconds())
	}
	return newFigure("", "a Binding, seconds", took), b.remove("bound")
}
