package scenarios

import (
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// Pods that a policy gives our gate.

// The policy of examples/ gates pods that carry our words, and no others; who waits when it is
// removed is released all the same, beside those that come without a gate.
func TestGatedByPolicy(t *testing.T) {
	needsPolicies(t)
	s := begin(t, harness.Options{Gates: "gangplan", Suspended: true})
	isGated := func(spec harness.PodSpec) (bool, error) {
		made, err := plane.TryPod(spec)
		return err == nil && len(made.Spec.SchedulingGates) > 0, err
	}
	remove := s.applyPolicy("gate-policy.yaml")
	s.inForce("the policy gates a pod", func() (bool, error) {
		return isGated(harness.GangJob("by-policy", 2, "rack=pack!"))
	})
	rack := shape.RackNodes(0, 3)
	s.fill("fill", 8, allNodesBut(rack[:2]...)...)
	s.must(plane.CreateJob(harness.GangJob("by-policy", 8, "rack=pack!"), 3))
	s.must(plane.CreateJob(harness.Foreign("plain", 1), 3))
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("started", 1, "rack=pack!"), 2)))
	s.waitGated("by-policy", 3, 3)
	s.waitBound("plain", 3)
	s.waitBound("started", 2)
	for _, pod := range view.Bound("started") {
		if pod.Annotations[harness.PinnedKey] != "" {
			s.Errorf("%s was born with its place, and gated all the same", pod.Name)
		}
	}
	remove()
	s.inForce("the policy is gone", func() (bool, error) {
		there, err := isGated(harness.GangJob("by-policy", 2, "rack=pack!"))
		return !there, err
	})
	s.must(plane.DeletePod(view.Pods("by-policy")[0].Name))
	s.waitGated("by-policy", 3, 2)
	s.must(plane.DeletePods("fill"))
	s.waitBound("by-policy", 3)
	s.checkExtent(view.Bound("by-policy"), 1, 1, 3)
}

// What the policy gives our gate, by the words of each kind on the pods' template; and a PodGroup's gang
// that comes behind it is released with room for all.
func TestGatedByPolicyOfAnyKind(t *testing.T) {
	needsPolicies(t)
	s := begin(t, harness.Options{Gates: "gangplan"})
	s.applyPolicy("gate-policy.yaml")
	one := func(key, value string) map[string]string { return map[string]string{key: value} }
	pod := func(labels, annotations map[string]string) harness.PodSpec {
		spec := playedPod("tried", 1, labels)
		spec.Annotation = annotations
		return spec
	}
	gates := func(spec harness.PodSpec) (bool, error) {
		made, err := plane.TryPod(spec)
		return err == nil && len(made.Spec.SchedulingGates) > 0, err
	}
	s.inForce("the policy gates a pod", func() (bool, error) { return gates(pod(nil, inOneRack)) })
	cases := map[string]struct {
		spec  harness.PodSpec
		gated bool
	}{
		"a word of ours":                   {pod(one(mpiRole, "worker"), inOneRack), true},
		"a word that there is not":         {pod(nil, one(misspelt, "rack=pack!")), true},
		"a hold":                           {pod(nil, one(holdWord, "true")), true},
		"a hold that is none":              {pod(nil, one(holdWord, "false")), false},
		"a runtime alone":                  {pod(nil, one(runtimeKey, "12h")), false},
		"a runtime beside a word":          {pod(nil, map[string]string{runtimeKey: "12h", placeWord: "any"}), true},
		"Kueue's pod set group alone":      {pod(nil, one("kueue.x-k8s.io/podset-group-name", "x")), false},
		"a group of ours, a label":         {pod(one("gangplan.io/group", "ring"), nil), true},
		"a word of Kueue's":                {pod(nil, one(kueueRequired, harness.RackLabel)), true},
		"coscheduling":                     {pod(one(podGroupLabel, "ring"), nil), true},
		"Volcano":                          {pod(nil, one("scheduling.volcano.sh/group-name", "ring")), true},
		"Volcano, the old key":             {pod(nil, one("scheduling.k8s.io/group-name", "ring")), true},
		"Koordinator's PodGroup":           {pod(one("pod-group.scheduling.sigs.k8s.io", "ring"), nil), true},
		"Koordinator's gang":               {pod(nil, one("gang.scheduling.koordinator.sh/name", "ring")), true},
		"Koordinator's gang, its old key":  {pod(one("pod-group.scheduling.sigs.k8s.io/name", "ring"), nil), true},
		"a word on an MPIJob alone":        {pod(one(mpiRole, "worker"), nil), false},
		"a word on a RayCluster alone":     {pod(one(rayGroup, "small"), nil), false},
		"a word on a PyTorchJob alone":     {pod(one(replicaType, "worker"), nil), false},
		"Kueue's pod group that it queues": {pod(map[string]string{kueuePodGroup: "ring", "kueue.x-k8s.io/queue-name": "q"}, one(kueueTotalCount, "2")), false},
		"nobody's words":                   {pod(one("app", "web"), one("example.com/x", "y")), false},
		"for another scheduler than ours":  {harness.PodSpec{Name: "tried", Scheduler: harness.ForeignScheduler, Annotation: inOneRack}, false},
	}
	for name, one := range cases {
		if got, err := gates(one.spec); err != nil || got != one.gated {
			s.Errorf("%s: gated: %v (%v), not %v", name, got, err, one.gated)
		}
	}
	free := shape.RackNodes(0, 3)
	s.fill("fill", 8, allNodesBut(free[:2]...)...)
	s.playPodGroup("ring", map[string]any{"minMember": int64(3)})
	s.must(plane.CreatePods(podOfGroup("ring"), 0, 3))
	s.waitGated("ring", 3, 3)
	s.staysGated("ring", 3)
	s.must(plane.DeletePods("fill"))
	s.oneRack("ring", 3)
	s.must(plane.CreatePods(podOfGroup("ring"), 3, 4)) // who joins
	s.oneRack("ring", 4)
}

// On a server that has gangs of its own: they are gated by a word of ours. Without one they are not, as
// their group may be none of a gang.
func TestNativeGangGatedByPolicy(t *testing.T) {
	needsPolicies(t)
	onNativePlane(t)
	s := begin(t, harness.Options{NativeGangs: true, Gates: "gangplan"})
	s.applyPolicy("gate-policy.yaml")
	s.inForce("the policy gates a pod", func() (bool, error) {
		made, err := plane.TryPod(harness.GangJob("tried", 1, "rack=pack!"))
		return err == nil && len(made.Spec.SchedulingGates) > 0, err
	})
	plain, err := plane.TryPod(nativePod("ring"))
	s.must(err)
	if len(plain.Spec.SchedulingGates) > 0 {
		s.Errorf("a pod without a word of ours has a gate")
	}
	spec := nativePod("ring")
	spec.Annotation = inOneRack
	s.must(plane.CreatePodGroup("ring", 3, inOneRack))
	s.must(plane.CreatePods(spec, 0, 2))
	s.waitGated("ring", 2, 2)
	s.staysGated("ring", 2)
	s.must(plane.CreatePods(spec, 2, 3))
	s.oneRack("ring", 3)
}
