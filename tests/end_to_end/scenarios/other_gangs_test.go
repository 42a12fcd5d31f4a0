package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Gangs in the words of Volcano and Koordinator, whose controllers the tests play.

const (
	volcanoGroup     = "scheduling.volcano.sh/group-name"
	koordinatorGang  = "gang.scheduling.koordinator.sh/"
	koordinatorGroup = "pod-group.scheduling.sigs.k8s.io"
)

// growsInRack: three start together and not two; Gangplan dies; more join them in their rack; and the
// same again under the same name.
func (s scenario) growsInRack(pod harness.PodSpec) {
	s.Helper()
	for run := 0; run < 2; run++ {
		s.must(plane.CreatePods(pod, 0, 2))
		s.staysUnbound(pod.Name)
		if run == 0 {
			s.Gangplan.Kill()
			s.must(s.StartGangplan())
		}
		s.must(plane.CreatePods(pod, 2, 3))
		s.oneRack(pod.Name, 3)
		s.must(plane.CreatePods(pod, 3, 6))
		s.oneRack(pod.Name, 6)
		s.must(plane.DeletePods(pod.Name))
		view.Wait(s, "its pods are gone", func() (bool, string) {
			pods, _ := view.Count(pod.Name)
			return pods == 0, fmt.Sprint(pods)
		})
	}
}

func TestVolcanoPodGroup(t *testing.T) {
	for _, key := range []string{volcanoGroup, "scheduling.k8s.io/group-name"} {
		t.Run(key, func(t *testing.T) {
			s := begin(t, harness.Options{})
			_, err := plane.Play(harness.VolcanoPodGroup, "ring", inOneRack, map[string]any{
				"minMember": int64(3), "minResources": map[string]any{string(harness.GPU): "24"}})
			s.must(err)
			pod := playedPod("ring", 8, nil)
			pod.Annotation = map[string]string{key: "ring"}
			s.growsInRack(pod)
		})
	}
}

// Volcano's own words about where pods go are refused, not passed over.
func TestVolcanoNetworkTopology(t *testing.T) {
	s := begin(t, harness.Options{})
	_, err := plane.Play(harness.VolcanoPodGroup, "ring", nil, map[string]any{"minMember": int64(2),
		"networkTopology": map[string]any{"mode": "hard", "highestTierAllowed": int64(1)}})
	s.must(err)
	pod := playedPod("ring", 8, nil)
	pod.Annotation = map[string]string{volcanoGroup: "ring"}
	s.must(plane.CreatePods(pod, 0, 2))
	view.Wait(s, "both say why they wait", func() (bool, string) {
		count, text := told("ring", "spec.networkTopology: is not read; expected gangplan.io/place")
		return count == 2, text
	})
	s.staysUnbound("ring")
}

func TestKoordinatorGang(t *testing.T) {
	s := begin(t, harness.Options{})
	pod := playedPod("ring", 8, nil)
	pod.Annotation = map[string]string{koordinatorGang + "name": "ring",
		koordinatorGang + "min-available": "3", koordinatorGang + "total-number": "6", placeWord: "rack=pack!"}
	s.growsInRack(pod)
	light := playedPod("light", 8, map[string]string{koordinatorGroup + "/name": "light",
		koordinatorGroup + "/min-available": "3"})
	light.Annotation = inOneRack
	s.growsInRack(light)
	// Gangs that start together are not read.
	pod = playedPod("two", 8, nil)
	pod.Annotation = map[string]string{koordinatorGang + "name": "two", koordinatorGang + "min-available": "1",
		koordinatorGang + "groups": `["default/two", "default/ring"]`}
	s.must(plane.CreatePods(pod, 0, 1))
	view.Wait(s, "it says why it waits", func() (bool, string) {
		count, text := told("two", koordinatorGang+"groups: gangs that start together are not read")
		return count == 1, text
	})
}

func TestKoordinatorPodGroup(t *testing.T) {
	s := begin(t, harness.Options{})
	_, err := plane.Play(harness.KoordinatorPodGroup, "ring", inOneRack, map[string]any{"minMember": int64(3)})
	s.must(err)
	s.growsInRack(playedPod("ring", 8, map[string]string{koordinatorGroup: "ring"}))
}

// The examples of these, as they are.
func TestOtherGangsExamples(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.ApplyExample("volcano.yaml", "tasks"))
	s.must(plane.ApplyExample("koordinator.yaml", "workers"))
	s.oneRack("tasks", 3)
	s.oneRack("workers", 3)
}
