package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Kueue's own controllers with an AdmissionCheck of Gangplan's: a Job with quota starts when there is room
// for it.

func beginWithCheck(t *testing.T, gpus int, options harness.Options) scenario {
	t.Helper()
	if err := plane.StartKueueWithCheck(gpus); err != nil { // before Gangplan, which looks for it each minute
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.StopKueue(); err != nil {
			t.Error(err)
		}
	})
	options.Checks = true
	return begin(t, options)
}

// waitForCheck waits until the check of the Job's Workload says so.
func (s scenario) waitForCheck(job, wanted, words string) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("the check of %s is %s", job, wanted), func() (bool, string) {
		state, message, _, err := plane.CheckState(job)
		return err == nil && state == wanted && strings.Contains(message, words),
			fmt.Sprintf("%s: %s", state, message)
	})
	_, message, _, _ := plane.CheckState(job)
	s.Logf("%s: %s: %s", job, wanted, message)
}

// waitLong is for what has a pause of half a minute or a minute before it.
func (s scenario) waitLong(what string, condition func() (bool, string)) {
	s.Helper()
	s.must(view.Await(what, 2*time.Minute, condition))
}

// toQueue makes a Job of four nodes of one rack for the queue.
func (s scenario) toQueue(queue, name string) {
	s.Helper()
	s.manyToQueue(queue, name, 4)
}

func (s scenario) manyToQueue(queue, name string, pods int) {
	s.Helper()
	job := harness.Job(harness.WordedJob(name, 8, inOneRack), pods)
	suspend := true
	job.Spec.Suspend = &suspend
	job.Labels = map[string]string{harness.QueueLabel: queue}
	s.must(plane.Submit(job))
}

func TestRoomCheck(t *testing.T) {
	s := beginWithCheck(t, 4*8, harness.Options{})
	s.toQueue("team", "train")
	s.waitForCheck("train", "Ready", "gang default/train of 4 has room")
	pods := s.oneRack("train", 4)
	for _, pod := range pods {
		want := rackOf(pod.Spec.NodeName)
		got := pod.Spec.NodeSelector[harness.BlockLabel] + "/" + pod.Spec.NodeSelector[harness.RackLabel]
		if got != want {
			s.Errorf("%s is in %s and was told %s", pod.Name, want, got)
		}
	}
}

// Without room it has no pods, says why on its Workload, and gives its quota back, which another queue's
// Job takes; it starts when there is room.
func TestRoomCheckWithoutRoom(t *testing.T) {
	s := beginWithCheck(t, 2*8, harness.Options{CheckPatience: 3 * time.Second})
	rack := shape.RackNodes(2, 3)
	s.fill("fill", 8, allNodesBut(rack[:3]...)...)
	s.toQueue("team", "train")
	s.waitForCheck("train", "Pending", "train")
	s.manyToQueue("other", "small", 3)
	view.Wait(s, "the other one starts", func() (bool, string) {
		_, bound := view.Count("small")
		state, message, retries, _ := plane.CheckState("train")
		other, why, _, _ := plane.CheckState("small")
		quota, words, _ := plane.WorkloadCondition("small", "QuotaReserved")
		return bound == 3, fmt.Sprintf("train: %s, %d retries: %s; small: %s: %s; its quota: %s: %s", state,
			retries, message, other, why, quota, words)
	})
	_, _, retries, err := plane.CheckState("train")
	if err != nil || retries == 0 {
		s.Errorf("the first one had its quota taken back %d times: %v", retries, err)
	}
	s.hasNoPods("train")
	s.must(plane.DeletePods("fill"))
	background := metav1.DeletePropagationBackground
	s.must(plane.Client.BatchV1().Jobs(harness.Namespace).Delete(context.Background(), "small",
		metav1.DeleteOptions{PropagationPolicy: &background}))
	s.waitLong("it starts when it has quota again", func() (bool, string) {
		_, bound := view.Count("train")
		return bound == 4, fmt.Sprintf("%d bound", bound)
	})
}

// A Job that waits with its quota starts as soon as there is room.
func TestRoomCheckRoomComes(t *testing.T) {
	s := beginWithCheck(t, 4*8, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:3]...)...)
	s.toQueue("team", "train")
	s.waitForCheck("train", "Pending", "train")
	s.hasNoPods("train")
	s.must(plane.DeletePods("fill"))
	s.oneRack("train", 4)
}

// What is larger than any rack can never go: it is rejected, and told why.
func TestRoomCheckRejects(t *testing.T) {
	s := beginWithCheck(t, 100*8, harness.Options{RejectAfter: 5 * time.Second})
	s.manyToQueue("team", "vast", shape.Nodes+1)
	s.waitForCheck("vast", "Pending", "vast")
	s.waitLong("Kueue has deactivated it", func() (bool, string) {
		status, message, err := plane.WorkloadCondition("vast", "Evicted")
		return err == nil && status == "True", message
	})
	_, message, _ := plane.WorkloadCondition("vast", "Evicted")
	s.Logf("evicted: %s", message)
}

// Gangplan dies when it has promised the room, and before anything is bound: the next one keeps it from
// others that would come first.
func TestRoomCheckOverAKill(t *testing.T) {
	s := beginWithCheck(t, 4*8, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	s.Scheduler.Kill()
	s.toQueue("team", "train")
	s.waitForCheck("train", "Ready", "")
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.toQueue("other", "rival")
	s.waitForCheck("rival", "Pending", "rival")
	s.hasNoPods("rival")
	s.must(s.StartScheduler())
	s.oneRack("train", 4)
}

// A node of the rack goes before anything is bound: the room is lost, which is a Retry, and it starts in
// another rack.
func TestRoomCheckLosesItsNodes(t *testing.T) {
	s := beginWithCheck(t, 4*8, harness.Options{})
	first := shape.RackNodes(2, 3)[:4]
	s.fill("fill", 8, allNodesBut(first...)...)
	s.Scheduler.Kill()
	s.toQueue("team", "train")
	s.waitForCheck("train", "Ready", "")
	s.must(plane.DeleteNode(first[0]))
	t.Cleanup(func() { s.must(plane.CreateNodes(shape, first[0])) })
	view.Wait(s, "its check was Retry", func() (bool, string) {
		state, message, retries, err := plane.CheckState("train")
		return err == nil && retries > 0, fmt.Sprintf("%s: %s", state, message)
	})
	view.Wait(s, "it has no pods", func() (bool, string) {
		pods, _ := view.Count("train")
		return pods == 0, fmt.Sprintf("%d pods", pods)
	})
	s.must(plane.DeletePods("fill"))
	s.must(s.StartScheduler())
	s.oneRack("train", 4)
}
