package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Jobs of Kubeflow's training operator, by its own controllers: with `run --all`.

const (
	replicaType  = "training.kubeflow.org/replica-type"
	replicaIndex = "training.kubeflow.org/replica-index"
)

func needsKubeflow(t *testing.T) {
	t.Helper()
	if !plane.HasKubeflow() {
		t.Skip("the controllers of Kubeflow are built with --all")
	}
}

// checkTypes looks whether the pods are one gang in one rack, with the ranks that their indices ask
// for.
func (s scenario) checkTypes(name string, types map[string]int) {
	s.Helper()
	pods, seen := view.Bound(name), map[string]int{}
	s.checkRack(pods)
	for _, pod := range pods {
		seen[pod.Labels[replicaType]]++
		if got, want := pod.Annotations[harness.AssignedRankKey], pod.Labels[replicaIndex]; got != want {
			s.Errorf("%s has index %s and was assigned rank %s", pod.Name, want, got)
		}
		if got, want := pod.Annotations[harness.PlanKey], pods[0].Annotations[harness.PlanKey]; got != want {
			s.Errorf("%s bears plan %q, %s %q", pod.Name, got, pods[0].Name, want)
		}
	}
	if fmt.Sprint(seen) != fmt.Sprint(types) {
		s.Errorf("%s is bound as %v, not %v", name, seen, types)
	}
}

// A master and its workers are whole or nothing; Gangplan dies while they wait. A worker that is
// deleted, or fails where the policy is OnFailure, comes back beside the others, whom nothing moves;
// and the next job of that name is another gang.
func TestPyTorchJob(t *testing.T) {
	needsKubeflow(t)
	s := begin(t, harness.Options{})
	free := shape.RackNodes(2, 3)
	s.fill("fill", 8, allNodesBut(free[:8]...)...)
	words := map[string]string{placeWord: "rack=pack!"}
	submit := func() {
		s.must(plane.SubmitKubeflow(harness.PyTorchJob, "torch", words,
			harness.Replicas{Type: "Master", Spec: harness.PodSpec{Name: "torch", GPUs: 1, Scheduler: harness.GangScheduler}, Count: 1},
			harness.Replicas{Type: "Worker", Spec: harness.PodSpec{Name: "torch", GPUs: 8, Scheduler: harness.GangScheduler}, Count: 8, Restart: "OnFailure"}))
	}
	submit()
	view.Wait(s, "all nine say why they wait", func() (bool, string) {
		count, text := told("torch", "gang default/torch")
		return count == 9, fmt.Sprintf("%d of 9: %s", count, text)
	})
	if _, bound := view.Count("torch"); bound != 0 {
		s.Fatalf("%d of nine are bound where there is room for eight", bound)
	}
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.DeletePods("fill"))
	s.waitBound("torch", 9)
	types := map[string]int{"master": 1, "worker": 8}
	s.checkTypes("torch", types)

	for _, lose := range []func(string) error{plane.DeletePod, plane.FailPod} {
		before := view.Bound("torch")
		lost := before[slices.IndexFunc(before, func(pod *corev1.Pod) bool {
			return pod.Labels[replicaType] == "worker" && pod.Labels[replicaIndex] == strconv.Itoa(5)
		})]
		s.must(lose(lost.Name))
		view.Wait(s, "the worker is made anew", func() (bool, string) {
			bound := view.Bound("torch")
			old := slices.ContainsFunc(bound, func(pod *corev1.Pod) bool { return pod.UID == lost.UID })
			return len(bound) == 9 && !old, fmt.Sprintf("%d bound", len(bound))
		})
		s.checkTypes("torch", types)
		for _, pod := range before {
			stays := slices.ContainsFunc(view.Bound("torch"), func(one *corev1.Pod) bool { return one.UID == pod.UID })
			if !stays && pod.UID != lost.UID {
				s.Errorf("%s is gone, too", pod.Name)
			}
		}
	}

	s.must(plane.DeleteKubeflow(harness.PyTorchJob, "torch"))
	view.Wait(s, "its pods are gone", func() (bool, string) {
		pods, _ := view.Count("torch")
		return pods == 0, fmt.Sprintf("%d", pods)
	})
	submit()
	s.waitBound("torch", 9)
	s.checkTypes("torch", types)
}

// The other kinds, by words on the templates, and the example.
func TestKubeflowKinds(t *testing.T) {
	needsKubeflow(t)
	s := begin(t, harness.Options{})
	spec := func(name string, gpus int) harness.PodSpec { return harness.GangJob(name, gpus, "rack=pack!") }
	s.must(plane.SubmitKubeflow(harness.TFJob, "flow", nil,
		harness.Replicas{Type: "Chief", Spec: spec("flow", 1), Count: 1},
		harness.Replicas{Type: "PS", Spec: spec("flow", 2), Count: 2},
		harness.Replicas{Type: "Worker", Spec: spec("flow", 8), Count: 4}))
	s.must(plane.SubmitKubeflow(harness.XGBoostJob, "trees", nil,
		harness.Replicas{Type: "Master", Spec: spec("trees", 1), Count: 1},
		harness.Replicas{Type: "Worker", Spec: spec("trees", 4), Count: 4}))
	s.must(plane.ApplyExample("pytorchjob.yaml", "example"))
	s.must(plane.ApplyExample("tfjob.yaml", "tfjob"))
	s.must(plane.ApplyExample("xgboostjob.yaml", "xgboost"))
	s.must(plane.ApplyExample("paddlejob.yaml", "paddle"))
	s.waitBound("tfjob", 4)
	s.checkTypes("tfjob", map[string]int{"chief": 1, "ps": 1, "worker": 2})
	s.waitBound("xgboost", 3)
	s.checkTypes("xgboost", map[string]int{"master": 1, "worker": 2})
	s.waitBound("paddle", 3)
	s.checkTypes("paddle", map[string]int{"master": 1, "worker": 2})
	s.waitBound("flow", 7)
	s.checkTypes("flow", map[string]int{"chief": 1, "ps": 2, "worker": 4})
	s.waitBound("trees", 5)
	s.checkTypes("trees", map[string]int{"master": 1, "worker": 4})
	s.waitBound("example", 4)
	s.checkTypes("example", map[string]int{"master": 1, "worker": 3})
}

// Over a Gangplan that dies, and under the same name again, as PyTorchJobs above.
func TestKubeflowKindsAnew(t *testing.T) {
	needsKubeflow(t)
	for _, one := range []struct {
		kind  harness.KubeflowKind
		types []string // the first of one pod
	}{{harness.TFJob, []string{"Chief", "Worker"}}, {harness.XGBoostJob, []string{"Master", "Worker"}},
		{harness.PaddleJob, []string{"Master", "Worker"}}} {
		t.Run(one.kind.Kind, func(t *testing.T) {
			s := begin(t, harness.Options{})
			var replicas []harness.Replicas
			for i, of := range one.types {
				replicas = append(replicas, harness.Replicas{Type: of, Spec: playedPod("flow", 8, nil), Count: 1 + 2*i})
			}
			s.overAKillAndAnew("flow", 4,
				func() { s.must(plane.SubmitKubeflow(one.kind, "flow", inOneRack, replicas...)) },
				func() { s.must(plane.DeleteKubeflow(one.kind, "flow")) })
			s.checkTypes("flow", map[string]int{strings.ToLower(one.types[0]): 1, "worker": 3})
		})
	}
}
