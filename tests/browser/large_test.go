package browser

import (
	"sort"
	"testing"
)

// frame is one drawing of the map: times are told, and not judged but for the first of all, generously, since the
// machine is shared; what it costs is counted.
type frame struct {
	At, Took       float64 // milliseconds
	Boxes, Painted float64 // places worked out, pixels written
}

// A cluster of 51,200 nodes, and what the page may do for it.
const (
	blocks, racks, nodes = 32, 40, 40

	domains       = blocks + blocks*racks + blocks*racks*nodes
	mostBoxes     = domains * 11 / 10 // each domain once, and the names
	mostPaints    = 5                 // of a pixel in one frame: ground, block, rack, and a bar's parts
	mostInARack   = 2_000             // places, where one rack is seen: nothing is done for what is not
	mostRequests  = 45                // until the map is painted: its own files, the tree, the figures
	mostKilobytes = 1_200             // ... and what they weigh
	mostToPaint   = 5_000             // ... and how long that takes, in milliseconds: measured are 0.8 s
)

// What a cluster of 51,200 nodes takes.
func TestLargeCluster(t *testing.T) {
	address, stop, err := start("demo", "--serve", "--blocks", "32", "--racks", "40", "--nodes", "40")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, visit := range []string{"first", "second"} {
		page := open(t, address)
		loaded := value[[]float64](page, `performance.getEntriesByType('resource').filter(
			(one) => one.startTime < gangplan.map.firstPaint).reduce(
			([count, bytes], one) => [count + 1, bytes + one.transferSize], [0, 0])`)
		page.has("#summary", "51,200 nodes")
		paint := value[float64](page, "gangplan.map.firstPaint")
		t.Logf("%s visit: first paint of the map after %.0f ms, %.0f requests, %.0f KB", visit, paint, loaded[0],
			loaded[1]/1000)
		if paint > mostToPaint {
			t.Errorf("%s visit: the first paint of the map comes after %.0f ms", visit, paint)
		}
		if loaded[0] > mostRequests || loaded[1] > mostKilobytes*1000 {
			t.Errorf("until the first paint: %.0f requests, %.0f bytes", loaded[0], loaded[1])
		}
	}
	page := open(t, address)
	page.shoot("large")
	value[bool](page, "gangplan.map.frames.length = 0, true")
	for _, path := range []string{"block-12", "block-12/rack-30", ""} {
		value[bool](page, "gangplan.map.open("+quote(path)+"), true")
		page.await("gangplan.map.camera.move === null && !gangplan.map.wanted")
		if last := value[frame](page, "gangplan.map.frames.at(-1)"); path == "block-12/rack-30" && last.Boxes > mostInARack {
			t.Errorf("where one rack is seen a frame works out %.0f places", last.Boxes)
		}
	}
	page.tell("flights", value[[]frame](page, "gangplan.map.frames"))
	// With a wheel: 60 steps in and 60 out, a frame each.
	wheel := `(async () => {
		gangplan.map.frames.length = 0;
		for (let i = 0; i < 120; i += 1) {
			gangplan.map.zoom(i < 60 ? 1.08 : 1 / 1.08, 300, 200);
			await new Promise((done) => requestAnimationFrame(done));
		}
		return gangplan.map.frames;
	})()`
	frames := value[[]frame](page, wheel)
	page.tell("wheel", frames)
	if len(frames) > 125 { // a change of the figures may add some
		t.Errorf("120 steps of the wheel are %d frames", len(frames))
	}
	// However many steps come between two frames.
	burst := `(async () => {
		gangplan.map.frames.length = 0;
		for (let i = 0; i < 200; i += 1) gangplan.map.zoom(i < 100 ? 1.01 : 1 / 1.01, 300, 200);
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		return gangplan.map.frames.length;
	})()`
	if drawn := value[int](page, burst); drawn < 1 || drawn > 2 {
		t.Errorf("200 steps at once are %d frames", drawn)
	}
	value[bool](page, "gangplan.map.open('block-12'), true")
	page.shoot("large-block")
	page.key("l")
	page.key("l")
	page.key("0")
	page.shoot("large-racks")
	page.quiet()
}

func quote(text string) string { return "'" + text + "'" }

// tell logs how long frames took, and judges what each has cost.
func (t *tab) tell(what string, frames []frame) {
	t.Helper()
	if len(frames) < 2 {
		t.Fatalf("%s: %d frames", what, len(frames))
	}
	pixels := value[float64](t, "gangplan.map.painter.pixels.length")
	var took, apart, boxes, painted []float64
	for i, one := range frames {
		took = append(took, one.Took)
		boxes = append(boxes, one.Boxes)
		painted = append(painted, one.Painted/pixels)
		if i > 0 {
			apart = append(apart, one.At-frames[i-1].At)
		}
	}
	at := func(values []float64, part float64) float64 {
		sort.Float64s(values)
		return values[int(part*float64(len(values)-1))]
	}
	t.Logf("%s: %d frames; drawing %.1f ms (median), %.1f ms (95 %%), %.1f ms (most); "+
		"apart %.1f ms (median), %.1f ms (95 %%); places %.0f (median), %.0f (most); each pixel %.1f times (most)",
		what, len(frames), at(took, 0.5), at(took, 0.95), at(took, 1), at(apart, 0.5), at(apart, 0.95),
		at(boxes, 0.5), at(boxes, 1), at(painted, 1))
	if at(boxes, 1) > mostBoxes || at(painted, 1) > mostPaints {
		t.Errorf("%s: a frame works out %.0f places, or paints each pixel %.1f times", what, at(boxes, 1),
			at(painted, 1))
	}
}
