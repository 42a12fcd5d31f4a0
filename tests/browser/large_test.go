package browser

import (
	"sort"
	"testing"
)

type frame struct {
	At   float64 `json:"at"`
	Took float64 `json:"took"`
}

// What a cluster of 51,200 nodes takes: told, and judged by nobody, since the machine is shared.
func TestLargeCluster(t *testing.T) {
	address, stop, err := start("demo", "--serve", "--blocks", "32", "--racks", "40", "--nodes", "40")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, visit := range []string{"first", "second"} {
		page := open(t, address)
		page.has("#summary", "51,200 nodes")
		t.Logf("%s visit: first paint of the map after %.0f ms", visit,
			value[float64](page, "gangplan.map.firstPaint"))
	}
	page := open(t, address)
	page.shoot("large")
	value[bool](page, "gangplan.map.frames.length = 0, true")
	for _, path := range []string{"block-12", "block-12/rack-30", ""} {
		value[bool](page, "gangplan.map.open("+quote(path)+"), true")
		page.await("gangplan.map.camera.move === null && !gangplan.map.wanted")
	}
	tell(t, "flights", value[[]frame](page, "gangplan.map.frames"))
	// With a wheel: 60 steps in and 60 out, a frame each.
	wheel := `(async () => {
		gangplan.map.frames.length = 0;
		for (let i = 0; i < 120; i += 1) {
			gangplan.map.zoom(i < 60 ? 1.08 : 1 / 1.08, 300, 200);
			await new Promise((done) => requestAnimationFrame(done));
		}
		return gangplan.map.frames;
	})()`
	tell(t, "wheel", value[[]frame](page, wheel))
	value[bool](page, "gangplan.map.open('block-12'), true")
	page.shoot("large-block")
	page.key("l")
	page.key("l")
	page.key("0")
	page.shoot("large-racks")
	page.quiet()
}

func quote(text string) string { return "'" + text + "'" }

func tell(t *testing.T, what string, frames []frame) {
	t.Helper()
	if len(frames) < 2 {
		t.Fatalf("%s: %d frames", what, len(frames))
	}
	var took, apart []float64
	for i, one := range frames {
		took = append(took, one.Took)
		if i > 0 {
			apart = append(apart, one.At-frames[i-1].At)
		}
	}
	sort.Float64s(took)
	sort.Float64s(apart)
	at := func(values []float64, part float64) float64 {
		return values[int(part*float64(len(values)-1))]
	}
	t.Logf("%s: %d frames; drawing %.1f ms (median), %.1f ms (95 %%), %.1f ms (most); "+
		"apart %.1f ms (median), %.1f ms (95 %%)", what, len(frames), at(took, 0.5), at(took, 0.95),
		took[len(took)-1], at(apart, 0.5), at(apart, 0.95))
}
