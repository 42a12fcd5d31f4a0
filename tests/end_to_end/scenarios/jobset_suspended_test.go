package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gangplan.io/tests/end_to_end/harness"
)

func (s scenario) checkStarted(name string) {
	s.Helper()
	s.checkTraining(name)
	s.checkBornWithPlaces(name)
	set, err := plane.JobSet(name)
	s.must(err)
	if isSetSuspended(set) || set.GetLabels()[harness.SuspendedKey] != "" || set.GetAnnotations()[harness.PinnedKey] == "" {
		s.Errorf("the JobSet is suspended: %v, labels %v, annotations %v", isSetSuspended(set),
			set.GetLabels(), set.GetAnnotations())
	}
}

func (s scenario) setWaits(name string) {
	s.Helper()
	s.hasNoPods(name)
	set, err := plane.JobSet(name)
	s.must(err)
	if !isSetSuspended(set) {
		s.Errorf("%s is not suspended", name)
	}
}

func TestSuspendedJobSetIsStarted(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(1, 7)...)...)
	s.submit(training("train", true))
	s.waitBound("train", trainers)
	s.checkStarted("train")
}

func TestSuspendedJobSetIsChanged(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	rack := shape.RackNodes(0, 3)
	s.fill("fill", 8, allNodesBut(rack[:4]...)...)
	s.submit(training("train", true))
	s.setWaits("train")
	if text, err := s.Probe("/v1/explain/default/train"); err != nil {
		s.Errorf("explain: %v", err)
	} else {
		s.Logf("it waits: %s", text)
	}
	block := domain(shape.RackNodes(3, 0)[0])[0]
	s.changeTemplates("train", func(template map[string]any) error {
		return unstructured.SetNestedField(template, block, "spec", "nodeSelector", harness.BlockLabel)
	})
	s.must(plane.DeletePods("fill"))
	s.waitBound("train", trainers)
	s.checkStarted("train")
	if got := domain(view.Bound("train")[0].Spec.NodeName)[0]; got != block {
		s.Errorf("it stands in block %s, not in %s, which its templates ask for by now", got, block)
	}
}

func TestSuspendedJobSetByPolicy(t *testing.T) {
	needsPolicies(t)
	s := begin(t, harness.Options{Suspended: true})
	s.applyPolicy("suspend-policy.yaml")
	s.must(harness.Eventually("the policy suspends a JobSet", func() error {
		made, err := plane.SubmitJobSet(training("by-policy", false), true)
		if err == nil && (!isSetSuspended(made) || made.GetLabels()[harness.SuspendedKey] == "") {
			err = errors.New("not yet")
		}
		return err
	}))
	s.submit(training("by-policy", false))
	plain := training("plain", false)
	for i := range plain.Parts {
		plain.Parts[i].Spec.Annotation = nil
	}
	s.submit(plain)
	s.waitBound("by-policy", trainers)
	s.waitBound("plain", trainers)
	s.checkStarted("by-policy")
	jobs, err := plane.JobsOf("by-policy")
	s.must(err)
	for _, job := range jobs {
		if job.Labels[harness.SuspendedKey] != "" {
			s.Errorf("%s was marked, though the JobSet above it is", job.Name)
		}
	}
}

func pinned(jobs []batchv1.Job) int {
	count := 0
	for _, job := range jobs {
		if namesIn(&corev1.Pod{Spec: job.Spec.Template.Spec}) > 0 {
			count++
		}
	}
	return count
}

func TestSuspendedJobSetKilledBetweenWrites(t *testing.T) {
	for _, held := range []struct {
		words   string
		passing int
		pinned  int
	}{{"/jobs/", 1, 1}, {"/jobsets/", 0, 3}} {
		t.Run(held.words, func(t *testing.T) {
			s := begin(t, harness.Options{Suspended: true, Proxy: true})
			first, second := shape.RackNodes(1, 7), shape.RackNodes(2, 4)
			s.fill("fill", 8, allNodesBut(first...)...)
			s.API.HoldWrites(held.words, held.passing)
			s.submit(training("train", true))
			view.Wait(s, "a write hangs", func() (bool, string) {
				return s.API.Stalled() > 0, fmt.Sprintf("%d", s.API.Stalled())
			})
			s.Gangplan.Kill()
			view.Wait(s, "the dead program's requests are gone", func() (bool, string) {
				return s.API.Stalled() == 0, fmt.Sprintf("%d left", s.API.Stalled())
			})
			s.API.Resume()
			jobs, err := plane.JobsOf("train")
			s.must(err)
			if len(jobs) != 3 || pinned(jobs) != held.pinned {
				s.Errorf("%d of %d Jobs are pinned, not %d of 3", pinned(jobs), len(jobs), held.pinned)
			}
			s.setWaits("train")
			s.must(plane.DeletePods("fill"))
			view.Wait(s, "the room is free", func() (bool, string) {
				pods, _ := view.Count("fill")
				return pods == 0, fmt.Sprintf("%d left", pods)
			})
			s.fill("other", 8, allNodesBut(second...)...)
			s.must(s.StartGangplan())
			s.waitBound("train", trainers)
			s.checkStarted("train")
			if rack := rackOf(view.Bound("train")[0].Spec.NodeName); rack != rackOf(second[0]) {
				s.Errorf("it stands in %s", rack)
			}
		})
	}
}

func TestSuspendedJobSetLosesItsNodes(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	racks := [][]string{shape.RackNodes(3, 3), shape.RackNodes(3, 4)}
	s.fill("fill", 8, allNodesBut(slices.Concat(racks...)...)...)
	s.Scheduler.Kill()
	s.submit(training("nomad", true))
	view.Wait(s, "its pods are there", func() (bool, string) {
		pods, _ := view.Count("nomad")
		return pods == trainers, fmt.Sprintf("%d of %d", pods, trainers)
	})
	s.losesItsRack("nomad", trainers, racks, harness.Deadline)
	s.must(s.StartScheduler())
	s.waitBound("nomad", trainers)
}

func TestSuspendedJobSetByHand(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.submit(training("paused", true))
	s.waitBound("paused", trainers)
	s.must(plane.PatchJobSet("paused",
		`{"metadata":{"labels":{"gangplan.io/suspended":"true"}},"spec":{"suspend":true}}`))
	view.Wait(s, "its pods are others", func() (bool, string) {
		bindings := len(view.Bindings("paused"))
		return bindings == 2*trainers, fmt.Sprintf("%d Bindings", bindings)
	})
	s.checkStarted("paused")
}

func TestSuspendedJobSetIsMadeAgain(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(0, 0)[:4]...)...)
	s.submit(training("train", true))
	s.setWaits("train")
	s.must(plane.DeleteJobSet("train"))
	s.submit(training("train", true))
	s.must(plane.DeletePods("fill"))
	s.waitBound("train", trainers)
	s.checkStarted("train")
	s.must(plane.DeleteJobSet("train"))
	view.Wait(s, "its pods are gone", func() (bool, string) {
		pods, _ := view.Count("train")
		return pods == 0, fmt.Sprintf("%d pods", pods)
	})
	s.submit(training("train", true))
	s.waitBound("train", trainers)
}

func TestSuspendedJobSetRestarts(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	set := training("train", true)
	set.Restarts = 1
	s.submit(set)
	s.waitBound("train", trainers)
	s.must(plane.FailPod(partsOf("train", "driver")[0].Name))
	view.Wait(s, "its pods are others, and bound", func() (bool, string) {
		anew := 0
		for _, pod := range view.Bound("train") {
			if pod.Labels[harness.RestartAttemptKey] == "1" {
				anew++
			}
		}
		pods, _ := view.Count("train")
		return anew == trainers && pods == trainers, fmt.Sprintf("%d of %d", anew, pods)
	})
	s.checkTraining("train")
}

func TestSuspendedJobSetIsLeftAlone(t *testing.T) {
	s := begin(t, harness.Options{})
	s.submit(training("train", true))
	s.setWaits("train")
	s.must(plane.PatchJobSet("train", `{"spec":{"suspend":false}}`))
	s.waitBound("train", trainers)
	s.checkTraining("train")
}

func TestDocumentedSuspendedOwners(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	text, err := os.ReadFile(filepath.Join(plane.Env.Examples, "..", "docs", "suspended-jobs.md"))
	s.must(err)
	sizes := map[string]int{"trainer": 8, "training": 9}
	blocks := strings.Split(string(text), "```yaml\n")[1:]
	if len(blocks) != len(sizes) {
		s.Fatalf("the page has %d manifests", len(blocks))
	}
	for _, block := range blocks {
		manifest, _, _ := strings.Cut(block, "```")
		name, err := plane.ApplyOwner(manifest)
		s.must(err)
		s.waitBound(name, sizes[name])
		s.checkExtent(view.Bound(name), 1, 1, 1)
	}
}
