package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// LeaderWorkerSets by their own controller: each replica is a gang.

func servers(words map[string]string) harness.LeaderWorkerSet {
	return harness.LeaderWorkerSet{Name: "serve", Replicas: 3, Size: 8,
		Leader: harness.WordedJob("serve", 1, words), Worker: harness.WordedJob("serve", 8, words)}
}

// replicas is the bound pods of each replica, the leader first, that are not about to go.
func replicas(name string) map[string][]*corev1.Pod {
	found := map[string][]*corev1.Pod{}
	for _, pod := range view.Bound(name) {
		if pod.DeletionTimestamp == nil {
			replica := pod.Labels[harness.LwsGroupKey]
			found[replica] = append(found[replica], pod)
		}
	}
	for _, pods := range found {
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(workerOf(a), workerOf(b)) })
	}
	return found
}

func workerOf(pod *corev1.Pod) int {
	worker, err := strconv.Atoi(pod.Labels[harness.LwsWorkerKey])
	if err != nil {
		return -1
	}
	return worker
}

func (s scenario) waitReplicas(name string, count, size int) map[string][]*corev1.Pod {
	s.Helper()
	view.Wait(s, fmt.Sprintf("%s: %d replicas of %d are bound", name, count, size), func() (bool, string) {
		whole, told := 0, ""
		for replica, pods := range replicas(name) {
			told += fmt.Sprintf("replica %s has %d; ", replica, len(pods))
			if len(pods) == size {
				whole++
			}
		}
		return whole == count, told
	})
	return replicas(name)
}

// checkReplica looks at where a replica is, whole in one rack, and at its ranks: the leader's is 0
// of its pod set, the workers' are their indices less it.
func (s scenario) checkReplica(pods []*corev1.Pod, nodes int) {
	s.Helper()
	s.checkExtent(pods, 1, 1, nodes)
	for i, pod := range pods {
		if got, want := pod.Annotations[harness.AssignedRankKey], strconv.Itoa(max(i-1, 0)); got != want {
			s.Errorf("%s of worker index %d was assigned rank %q, not %s", pod.Name, i, got, want)
		}
	}
}

// Three replicas in racks. One whose leader is deleted is made anew, alone, whole and by the same
// rules; and one more joins them, when there is room.
func TestLeaderWorkerSet(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.SubmitLeaderWorkerSet(servers(map[string]string{placeWord: "rack=pack!"})))
	before := s.waitReplicas("serve", 3, 8)
	for _, pods := range before {
		s.checkReplica(pods, 8) // a worker has a node, and the leader that of somebody else's
	}
	leader := before["1"][0]
	s.must(plane.DeletePod(leader.Name))
	view.Wait(s, "the replica is made anew", func() (bool, string) {
		for _, pod := range replicas("serve")["1"] {
			if slices.ContainsFunc(before["1"], func(old *corev1.Pod) bool { return old.UID == pod.UID }) {
				return false, pod.Name + " is the old one"
			}
		}
		return len(replicas("serve")["1"]) == 8, fmt.Sprintf("%d of 8", len(replicas("serve")["1"]))
	})
	after := replicas("serve")
	s.checkReplica(after["1"], 8)
	for _, replica := range []string{"0", "2"} {
		for i, pod := range after[replica] {
			if pod.UID != before[replica][i].UID {
				s.Errorf("%s of another replica was made anew, too", pod.Name)
			}
		}
	}
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.ScaleLeaderWorkerSet("serve", 4))
	s.checkReplica(s.waitReplicas("serve", 4, 8)["3"], 8)
	s.must(plane.ScaleLeaderWorkerSet("serve", 2))
	s.waitReplicas("serve", 2, 8)
}

// Whole or nothing: of three replicas there is room for two.
func TestLeaderWorkerSetWaitsWhole(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(slices.Concat(shape.RackNodes(0, 1), shape.RackNodes(2, 4))...)...)
	s.must(plane.SubmitLeaderWorkerSet(servers(map[string]string{placeWord: "rack=pack!"})))
	s.waitReplicas("serve", 2, 8)
	view.Wait(s, "the pods of the third say why they wait", func() (bool, string) {
		count, text := told("serve", "members")
		return count == 8, fmt.Sprintf("%d of 8: %s", count, text)
	})
	s.must(plane.DeletePods("fill"))
	for _, pods := range s.waitReplicas("serve", 3, 8) {
		s.checkReplica(pods, 8)
	}
}

// A set that is made again at once, while workers of the last one stop: the templates, and so all labels,
// are the same. Nothing of it starts before there is room for all, and then all of it does.
func TestLeaderWorkerSetAgainAtOnce(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 2)[:4]...)...)
	set := servers(map[string]string{placeWord: "rack=pack!"})
	set.Replicas, set.Size = 1, 4
	set.Leader.GPUs, set.Worker.Finalizer = set.Worker.GPUs, "example.com/stays"
	s.must(plane.SubmitLeaderWorkerSet(set))
	old := s.waitReplicas("serve", 1, 4)["0"]
	s.must(plane.DeleteLeaderWorkerSet("serve"))
	s.must(plane.SubmitLeaderWorkerSet(set))
	isNew := func(pod *corev1.Pod) bool {
		return !slices.ContainsFunc(old, func(one *corev1.Pod) bool { return one.UID == pod.UID })
	}
	view.Wait(s, "the next leader is there", func() (bool, string) {
		return slices.ContainsFunc(view.Pods("serve"), isNew), ""
	})
	for _, worker := range old[1:] {
		view.Never(s, "a pod of the next set is bound before all of the last one are gone", time.Second, func() (bool, string) {
			return slices.ContainsFunc(view.Bound("serve"), isNew), ""
		})
		view.Wait(s, worker.Name+" is to go", func() (bool, string) {
			return slices.ContainsFunc(view.Pods("serve"), func(pod *corev1.Pod) bool {
				return pod.UID == worker.UID && pod.DeletionTimestamp != nil
			}), ""
		})
		s.must(plane.DropFinalizer(worker.Name))
	}
	s.checkReplica(s.waitReplicas("serve", 1, 4)["0"], 4)
}

// In Kueue's words, leader and workers tied; by its own word for a rack of its own its workers wait
// for the leader's node, so beside words of ours the leader is told that nobody can wait for both.
func TestLeaderWorkerSetInOtherWords(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.SubmitLeaderWorkerSet(servers(map[string]string{
		kueueRequired: harness.RackLabel, kueueGroupName: "both"})))
	for _, pods := range s.waitReplicas("serve", 3, 8) {
		s.checkReplica(pods, 8)
	}
	alone := servers(map[string]string{placeWord: "rack=pack!"})
	alone.Name, alone.Words = "alone", map[string]string{harness.LwsExclusive: harness.RackLabel}
	alone.Leader.Name, alone.Worker.Name = "alone", "alone"
	s.must(plane.SubmitLeaderWorkerSet(alone))
	view.Wait(s, "its leaders say why they wait", func() (bool, string) {
		count, text := told("alone", harness.LwsExclusive+": its workers are made when the leader has a node")
		return count == 3, fmt.Sprintf("%d of 3: %s", count, text)
	})
}

// With LeaderReady the workers are made when the leader runs: the leader starts by itself, and the room of
// all is kept for them, where all pods are alike.
func TestLeaderWorkerSetLeaderReady(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	set := servers(map[string]string{placeWord: "rack=pack!", harness.SizeKey: "4", "gangplan.io/start": "first-member"})
	set.Replicas, set.Size, set.Startup = 1, 4, "LeaderReady"
	set.Leader.GPUs = set.Worker.GPUs
	s.must(plane.SubmitLeaderWorkerSet(set))
	leader := s.oneRack("serve", 1)[0]
	s.must(plane.CreateJob(harness.PodSpec{Name: "other", GPUs: 8, Scheduler: harness.GangScheduler}, 1))
	s.staysUnbound("other")
	s.must(plane.Run(leader.Name))
	s.oneRack("serve", 4)
	for _, pod := range view.Bound("serve") {
		if got, want := pod.Annotations[harness.AssignedRankKey], pod.Labels[harness.LwsWorkerKey]; got != want {
			s.Errorf("%s of worker index %s was assigned rank %q", pod.Name, want, got)
		}
	}
}

// Sub-groups of two replicas, each in a rack that no other sub-group is in, which the scheduler
// enforces by the terms that their webhook writes; the leader is of the first. One whose leader is
// deleted is made anew by the same rules, beside the other one's.
func TestLeaderWorkerSetSubGroups(t *testing.T) {
	s := begin(t, harness.Options{})
	set := servers(map[string]string{placeWord: "any"})
	set.Replicas, set.SubGroup = 2, 4
	set.Words = map[string]string{harness.LwsSubGroups: harness.RackLabel}
	s.must(plane.SubmitLeaderWorkerSet(set))
	check := func() map[string][]*corev1.Pod {
		found, racks := s.waitReplicas("serve", 2, 8), map[string]string{}
		for replica, pods := range found {
			for i, pod := range pods {
				of, rack := fmt.Sprintf("sub-group %d of replica %s", i/4, replica), rackOf(pod.Spec.NodeName)
				if other, taken := racks[rack]; taken && other != of {
					s.Errorf("%s of %s is in %s, where %s is", pod.Name, of, rack, other)
				}
				racks[rack] = of
			}
		}
		if len(racks) != 4 {
			s.Errorf("four sub-groups are in %v", racks)
		}
		return found
	}
	before := check()
	s.must(plane.DeletePod(before["0"][0].Name))
	view.Wait(s, "the replica is made anew", func() (bool, string) {
		again := 0
		for _, pod := range replicas("serve")["0"] {
			if !slices.ContainsFunc(before["0"], func(old *corev1.Pod) bool { return old.UID == pod.UID }) {
				again++
			}
		}
		return again == 8, fmt.Sprintf("%d of 8", again)
	})
	for i, pod := range check()["1"] {
		if pod.UID != before["1"][i].UID {
			s.Errorf("%s of another replica was made anew, too", pod.Name)
		}
	}
}
