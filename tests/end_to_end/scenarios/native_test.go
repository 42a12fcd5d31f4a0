package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// Gangs of kube-scheduler's own: the API server and the scheduler of 1.36 with their gates on.

// onNativePlane has all that follows in a test talk to a control plane of its own.
func onNativePlane(t *testing.T) {
	t.Helper()
	version, err := plane.Client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.Minor != "36" {
		t.Skipf("Kubernetes %s has no gangs of its own in the form that is read", version)
	}
	env := plane.Env
	env.Directory = filepath.Join(env.Directory, t.Name())
	if err := os.MkdirAll(env.Directory, 0o700); err != nil {
		t.Fatal(err)
	}
	shared, watched := plane, view
	restore := func() { plane, view = shared, watched }
	if err := prepare(env, harness.NativeGangFlags()...); err != nil {
		restore()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		view.Stop()
		plane.Stop()
		restore()
	})
}

func nativePod(name string) harness.PodSpec {
	pod := playedPod(name, 8, nil)
	pod.PodGroup = name
	return pod
}

// So many start together in one rack and not fewer, and more join them; while they wait for room the
// scheduler is not sent round in circles.
func TestNativeGang(t *testing.T) {
	onNativePlane(t)
	s := begin(t, harness.Options{NativeGangs: true})
	s.must(plane.CreatePodGroup("ring", 3, inOneRack))
	s.must(plane.CreatePods(nativePod("ring"), 0, 2))
	s.staysUnbound("ring")
	s.must(plane.CreatePods(nativePod("ring"), 2, 3))
	s.oneRack("ring", 3)
	s.must(plane.CreatePods(nativePod("ring"), 3, 6))
	s.oneRack("ring", 6)
	s.checkExplain("ring", "size by PodGroup ring (spec.schedulingPolicy.gang.minCount)")

	s.fill("fill", 8, allNodesBut(append(nodesOf("ring"), shape.RackNodes(2, 3)[:2]...)...)...)
	s.must(plane.CreatePodGroup("waits", 3, inOneRack))
	s.must(plane.CreatePods(nativePod("waits"), 0, 3))
	view.Wait(s, "one says why it waits", func() (bool, string) {
		count, text := told("waits", "gang default/waits")
		return count > 0, text
	})
	before := len(s.Verbs.Calls("filter", "waits"))
	s.staysUnbound("waits")
	// A rejection would have it asked for thousands of times.
	view.Never(s, "it is asked for again and again", 5*time.Second, func() (bool, string) {
		more := len(s.Verbs.Calls("filter", "waits")) - before
		return more > 60, fmt.Sprintf("%d times", more)
	})
	s.must(plane.DeletePods("fill"))
	s.oneRack("waits", 3)
}

// Gangplan dies while half of a gang is there; and a gang of that name again.
func TestNativeGangAnew(t *testing.T) {
	onNativePlane(t)
	s := begin(t, harness.Options{NativeGangs: true})
	s.must(plane.CreatePodGroup("ring", 3, inOneRack))
	s.growsInRack(nativePod("ring"))
}

func TestNativeGangExample(t *testing.T) {
	onNativePlane(t)
	s := begin(t, harness.Options{NativeGangs: true})
	s.must(plane.ApplyExample("native-gang.yaml", "natives"))
	s.oneRack("natives", 3)
}
