package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// StatefulSets and Deployments whose pods are a gang by our words, by Kubernetes' own controllers.

// waitRun waits until so many of a name are bound whose container has this image, and nobody else
// is there.
func (s scenario) waitRun(name, image string, count int) []*corev1.Pod {
	s.Helper()
	var pods []*corev1.Pod
	view.Wait(s, fmt.Sprintf("%s: %d pods of %s are bound", name, count, image), func() (bool, string) {
		pods = slices.DeleteFunc(view.Bound(name), func(pod *corev1.Pod) bool {
			return pod.Spec.Containers[0].Image != image
		})
		all, _ := view.Count(name)
		return len(pods) == count && all == count, fmt.Sprintf("%d of it, %d in all", len(pods), all)
	})
	return pods
}

const (
	imageNow  = "example.com/work:1"
	imageNext = "example.com/work:2"
	rollout   = `{"spec":{"template":{"spec":{"containers":[{"name":"work","image":"` + imageNext + `"}]}}}}`
)

// All pods wait for each other; more come to them; Gangplan dies; and a rollout, which takes one
// pod after the other, brings each back beside those that stand.
func TestStatefulSet(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 2)[:3]...)...)
	s.must(plane.CreateStatefulSet(harness.GangJob("web", 8, "rack=pack!"), 4, false))
	view.Wait(s, "all four say why they wait", func() (bool, string) {
		count, text := told("web", "4 members must share one rack")
		return count == 4, fmt.Sprintf("%d of 4: %s", count, text)
	})
	s.must(plane.DeletePods("fill"))
	pods := s.waitRun("web", imageNow, 4)
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	s.checkExtent(pods, 1, 1, 4)
	for i, pod := range pods {
		if got := pod.Annotations[harness.AssignedRankKey]; got != fmt.Sprint(i) {
			s.Errorf("%s was assigned rank %q", pod.Name, got)
		}
	}
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.PatchApp("statefulsets", "web", `{"spec":{"replicas":6}}`))
	s.checkRack(s.waitRun("web", imageNow, 6))
	s.must(plane.PatchApp("statefulsets", "web", `{"spec":{"replicas":3}}`))
	s.waitRun("web", imageNow, 3)
	s.must(plane.PatchApp("statefulsets", "web", rollout))
	view.Wait(s, "the last pod is of the next template, and bound", func() (bool, string) {
		bound := view.Bound("web")
		next := slices.IndexFunc(bound, func(pod *corev1.Pod) bool { return pod.Spec.Containers[0].Image == imageNext })
		return len(bound) == 3 && next >= 0, fmt.Sprintf("%d bound", len(bound))
	})
	s.checkRack(view.Bound("web"))
}

// Its controller makes the next pod when the last one is gone: a gang that waits for the node that this
// had does not get it in between.
func TestStatefulSetKeepsNode(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 2)[:4]...)...)
	s.must(plane.CreateStatefulSet(harness.GangJob("web", 8, "rack=pack!"), 4, false))
	s.waitRun("web", imageNow, 4)
	s.must(plane.CreateJob(harness.GangJob("late", 8, "rack=pack!"), 1))
	view.Wait(s, "the other gang says why it waits", func() (bool, string) {
		count, text := told("late", "nodes are available")
		return count == 1, text
	})
	for range 5 {
		before := view.Bound("web")[0]
		s.must(plane.DeletePod(before.Name))
		view.Wait(s, "the next pod has the node of the last one", func() (bool, string) {
			for _, pod := range view.Bound("web") {
				if pod.Name == before.Name && pod.UID != before.UID {
					return pod.Spec.NodeName == before.Spec.NodeName, pod.Spec.NodeName
				}
			}
			return false, "it is not bound"
		})
	}
	s.staysUnbound("late")
}

// checkRack looks whether all are in one rack.
func (s scenario) checkRack(pods []*corev1.Pod) {
	s.Helper()
	for _, pod := range pods {
		if rackOf(pod.Spec.NodeName) != rackOf(pods[0].Spec.NodeName) {
			s.Errorf("%s is in %s, %s in %s", pod.Name, rackOf(pod.Spec.NodeName), pods[0].Name,
				rackOf(pods[0].Spec.NodeName))
		}
	}
}

// One that makes its pods one after the other would wait for ever: it is told so.
func TestStatefulSetInOrder(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateStatefulSet(harness.GangJob("slow", 1, "rack=pack!"), 4, true))
	view.Wait(s, "its first pod says why it waits", func() (bool, string) {
		count, text := told("slow", "StatefulSet slow: makes its next pod when the one before is ready")
		return count == 1, fmt.Sprintf("%d: %s", count, text)
	})
	s.checkEvent("involvedObject.kind=StatefulSet,involvedObject.name=slow", "GangInvalid",
		"podManagementPolicy: Parallel")
}

// A rollout's pods are of another ReplicaSet, and do not wait for those of the one before, nor for
// their room; nobody's words on other pods of the kind make a gang.
func TestDeployment(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateDeployment(harness.PodSpec{Name: "plain", GPUs: 1, Scheduler: harness.GangScheduler}, 2))
	s.must(plane.CreateDeployment(harness.GangJob("web", 8, "rack=pack!"), 4))
	s.waitBound("plain", 2)
	before := s.waitRun("web", imageNow, 4)
	s.checkExtent(before, 1, 1, 4)
	rack := domain(before[0].Spec.NodeName)
	s.fill("fill", 8, freeNodesBut(before)...)
	start := time.Now()
	s.must(plane.PatchApp("deployments", "web", rollout))
	after := s.waitRun("web", imageNext, 4)
	s.Logf("the rollout took %s", seconds(time.Since(start)))
	s.checkRack(after)
	if now := domain(after[0].Spec.NodeName); now[1] != rack[1] {
		s.Errorf("the next pods are in %v, the ones before were in %v", now, rack)
	}
	s.must(plane.PatchApp("deployments", "web", `{"spec":{"replicas":2}}`))
	s.waitRun("web", imageNext, 2)
	s.must(plane.PatchApp("deployments", "web", `{"spec":{"replicas":4}}`))
	s.checkRack(s.waitRun("web", imageNext, 4))
}

// A rollout in parts, as by default: what a part makes starts together, and `explain` tells that it is a part.
func TestDeploymentRollsInParts(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.CreateDeployment(harness.GangJob("web", 8, "rack=pack!"), 4))
	s.waitRun("web", imageNow, 4)
	s.must(plane.PatchApp("deployments", "web",
		`{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}}}`))
	s.must(plane.PatchApp("deployments", "web", rollout))
	var part []*corev1.Pod
	view.Wait(s, "two pods of the next template are bound", func() (bool, string) {
		part = slices.DeleteFunc(view.Bound("web"), func(pod *corev1.Pod) bool {
			return pod.Spec.Containers[0].Image != imageNext
		})
		return len(part) == 2, fmt.Sprintf("%d", len(part))
	})
	s.checkRack(part)
	s.checkExplain(part[0].OwnerReferences[0].Name, "(spec.replicas), of the 4 of its Deployment")
}

// freeNodesBut is all nodes on which none of our pods is, but for those of `pods`.
func freeNodesBut(pods []*corev1.Pod) []string {
	var taken []string
	for _, pod := range slices.Concat(view.Bound("plain"), pods) {
		taken = append(taken, pod.Spec.NodeName)
	}
	return allNodesBut(taken...)
}

// The example of each kind starts as the gangs that its first lines promise.
func TestWorkloadExamples(t *testing.T) {
	s := begin(t, harness.Options{})
	for file, pods := range map[string]int{"job-rack.yaml": 8, "statefulset.yaml": 4,
		"deployment-gang.yaml": 4, "leaderworkerset.yaml": 8, "pod-group.yaml": 2,
		"jobset.yaml": 9, "bare-pods.yaml": 2} {
		s.must(plane.ApplyExample(file, file))
		s.waitBound(file, pods)
		plans := map[string][]*corev1.Pod{}
		for _, pod := range view.Bound(file) {
			plan := pod.Annotations[harness.PlanKey]
			plans[plan] = append(plans[plan], pod)
		}
		if want := map[string]int{"leaderworkerset.yaml": 2}[file]; len(plans) != max(want, 1) {
			s.Errorf("%s: its pods are of %d gangs", file, len(plans))
		}
		for _, gang := range plans {
			s.checkRack(gang)
		}
	}
}

// A pod of a gang on the only nodes that are left takes its time to stop, and another gang waits for one
// node: the pod that was made in its place has the node when it has gone.
func TestReplacementHasTheRoomOfWhoStops(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	spec := harness.GangJob("web", 8, "rack=pack!")
	spec.Finalizer = "e2e.gangplan.io/stays"
	s.must(plane.CreateReplicaSet(spec, 4))
	s.Cleanup(func() { s.must(plane.DeleteReplicaSet("web")) })
	old := s.oneRack("web", 4)[0]
	s.must(plane.CreateJob(harness.GangJob("other", 8, "rack=pack!"), 1))
	s.staysUnbound("other")
	s.must(plane.DeletePod(old.Name))
	view.Wait(s, "another one is made in its place", func() (bool, string) {
		pods, _ := view.Count("web")
		return pods == 5, fmt.Sprintf("%d pods", pods)
	})
	s.must(plane.DropFinalizer(old.Name))
	view.Wait(s, "that one is bound", func() (bool, string) {
		pods, bound := view.Count("web")
		return pods == 4 && bound == 4, fmt.Sprintf("%d of %d", bound, pods)
	})
	s.staysUnbound("other")
}
