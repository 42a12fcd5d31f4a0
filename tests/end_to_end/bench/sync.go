package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"gangplan.io/tests/end_to_end/harness"
)

// pageItems is how Gangplan asks for lists.
const pageItems = 500

// alone is Gangplan without a scheduler, which would read the same lists at the same time.
var alone = harness.Options{Alone: true, Unready: true, Unrecorded: true}

// syncing is how long Gangplan takes from its start until it is ready, against the time that it
// takes to read the same lists and throw them away.
func syncing(b *bench) error {
	if err := b.startCluster(); err != nil {
		return err
	}
	nodes := b.shape.NodeNames()
	var places []string
	for i := range b.pods {
		places = append(places, nodes[i%len(nodes)])
	}
	fmt.Printf("%d nodes, %d pods\n", len(nodes), b.pods)
	b.report.Pods = b.pods
	if err := b.plane.Fill("running", 0, places...); err != nil {
		return err
	}
	var pages, whole, ready, memory []float64
	for range b.pairs {
		one, err := b.download(pageItems)
		if err != nil {
			return err
		}
		other, err := b.download(0)
		if err != nil {
			return err
		}
		took, most, err := b.startToReady()
		if err != nil {
			return err
		}
		pages, whole = append(pages, one), append(whole, other)
		ready, memory = append(ready, took), append(memory, most)
	}
	b.judgeSync(pages, whole, ready, memory)
	return nil
}

func (b *bench) judgeSync(pages, whole, ready, memory []float64) {
	var ratios []float64
	for i := range ready {
		ratios = append(ratios, ready[i]/pages[i])
	}
	b.report.add(
		newFigure("", fmt.Sprintf("both lists at once, in pages of %d, seconds", pageItems), pages),
		newFigure("", "both lists at once, each as a whole, seconds", whole),
		newFigure("", "Gangplan, from start to ready, seconds", ready),
		newFigure("", "Gangplan's memory, the most, MB", memory),
		newFigure("", "Gangplan, in times of the pages", ratios).atMost(1.2))
}

// download reads both lists at once, as Gangplan does.
func (b *bench) download(limit int) (float64, error) {
	start := time.Now()
	group, ctx := errgroup.WithContext(context.Background())
	var sizes [2]int64
	for i, path := range []string{"/api/v1/nodes", "/api/v1/pods"} {
		group.Go(func() error {
			var err error
			sizes[i], err = b.plane.Download(ctx, path, limit)
			return err
		})
	}
	err := group.Wait()
	took := time.Since(start).Seconds()
	fmt.Printf("pages of %d: %.1f MB of nodes and %.1f MB of pods in %.2f s\n", limit,
		float64(sizes[0])/1e6, float64(sizes[1])/1e6, took)
	return took, err
}

// startToReady is also how much memory it took, in MB.
func (b *bench) startToReady() (seconds, megabytes float64, err error) {
	start := time.Now()
	pair, err := b.plane.StartPair(alone)
	if err != nil {
		return 0, 0, err
	}
	defer pair.Stop()
	if err := pair.AwaitReadyWithin(patience); err != nil {
		return 0, 0, err
	}
	seconds = time.Since(start).Seconds()
	used, err := pair.Gangplan.CPU()
	if err != nil {
		return 0, 0, err
	}
	now, most, err := pair.Gangplan.Memory()
	fmt.Printf("Gangplan is ready after %.2f s, of which it worked %.2f s; %.0f MB, at most %.0f MB\n",
		seconds, used.Seconds(), float64(now)/1e6, float64(most)/1e6)
	return seconds, float64(most) / 1e6, err
}
