package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"gangplan.io/tests/end_to_end/harness"
)

// A cluster is saved and asked where a Job would go, which is where it goes then. With that gang
// running and one that waits it is saved again, once as it is and once without its
// names, and a Gangplan that is served the file says of both gangs what the one of the cluster says.
func TestSnapshotIsServed(t *testing.T) {
	s := begin(t, harness.Options{})
	kept := slices.Concat(shape.RackNodes(3, 7), shape.RackNodes(0, 0)[:1])
	s.fill("fill", 8, allNodesBut(kept...)...)
	red := harness.Job(harness.GangJob("red", 1, "rack=pack!"), 80)
	red.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	planned := s.plan(red)
	s.must(plane.Submit(red))
	s.waitBound("red", 80)
	for _, pod := range view.Pods("red") {
		index := pod.Annotations["batch.kubernetes.io/job-completion-index"]
		if planned["red-"+index] != pod.Spec.NodeName {
			s.Errorf("rank %s is on %s; planned was %s", index, pod.Spec.NodeName, planned["red-"+index])
		}
	}
	s.must(plane.CreateJob(harness.GangJob("blue", 1, "rack=pack!"), 80))
	view.Wait(s, "the second one says why it waits", func() (bool, string) {
		count, text := told("blue", "80 members must share one rack")
		return count == 80, text
	})

	saved := filepath.Join(t.TempDir(), "cluster.json")
	anonymous := s.snapshot("--anonymous")
	if text := s.snapshot("-o", saved); text != "" {
		s.Errorf("the snapshot goes to the file, and to standard output:\n%s", text)
	}
	if text, err := os.ReadFile(saved); err != nil || len(text) == 0 {
		s.Fatalf("%s: %v", saved, err)
	} else if s.snapshot() != string(text) {
		s.Error("two snapshots of the same cluster differ")
	}
	for _, name := range []string{"n-00-00-00", "rack-07", "red-", "blue"} {
		if strings.Contains(anonymous, name) {
			s.Errorf("the anonymous snapshot names %s", name)
		}
	}

	served, err := plane.StartPair(harness.Options{Alone: true, Saved: saved})
	s.must(err)
	defer served.Stop()
	again := scenario{t, served}
	list := strings.Join(strings.Fields(again.command("list")), " ")
	line := regexp.MustCompile(regexp.QuoteMeta(harness.Namespace+"/red Running 80/80 0 ") +
		`\d+s ` + regexp.QuoteMeta("block-03/rack-07 (10 nodes)"))
	if !line.MatchString(list) {
		s.Errorf("the served list does not say %s:\n%s", line, list)
	}
	if live, file := s.withoutRoad("blue"), again.withoutRoad("blue"); !slices.Equal(live, file) {
		s.Errorf("of the waiting gang is said\n%s\nand of the saved one\n%s", strings.Join(live, "\n"),
			strings.Join(file, "\n"))
	}
}

// A JobSet goes where it was said, pod set by pod set.
func TestJobSetIsPlanned(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(slices.Concat(shape.RackNodes(1, 3), shape.RackNodes(2, 5)[:8])...)...)
	set := training("train", false)
	object, err := plane.SubmitJobSet(set, true)
	s.must(err)
	planned := s.plan(object)
	s.submit(set)
	s.waitBound("train", trainers)
	for _, part := range []string{"driver", "workers"} {
		for _, pod := range partsOf("train", part) {
			name := fmt.Sprintf("train-%s-%s-%d", part, pod.Labels[harness.JobIndexKey], index(pod))
			if planned[name] != pod.Spec.NodeName {
				s.Errorf("%s is on %s; planned was %s", name, pod.Spec.NodeName, planned[name])
			}
		}
	}
}

// plan is the node of each pod that the Job or the JobSet would have on the cluster as it is now.
func (s scenario) plan(object any) map[string]string {
	s.Helper()
	folder := s.TempDir()
	saved, manifest := filepath.Join(folder, "cluster.json"), filepath.Join(folder, "job.yaml")
	s.snapshot("-o", saved)
	text, err := yaml.Marshal(object)
	s.must(err)
	s.must(os.WriteFile(manifest, text, 0o600))
	config, err := s.Configuration()
	s.must(err)
	output, err := exec.Command(plane.Env.Gangplan, "plan", "-f", manifest, "--snapshot", saved,
		"--config", config, "-o", "json").Output()
	if err != nil {
		s.Fatalf("gangplan plan: %v\n%s", err, output)
	}
	var answer struct {
		Verdict string
		Gangs   []struct {
			Group struct{ Slots []struct{ Pod, Node string } }
		}
	}
	s.must(json.Unmarshal(output, &answer))
	if answer.Verdict != "fits" || len(answer.Gangs) != 1 {
		s.Fatalf("gangplan plan says %q of %d gangs", answer.Verdict, len(answer.Gangs))
	}
	nodes := map[string]string{}
	for _, slot := range answer.Gangs[0].Group.Slots {
		nodes[slot.Pod] = slot.Node
	}
	return nodes
}

// snapshot is what the command prints.
func (s scenario) snapshot(words ...string) string {
	s.Helper()
	kubeconfig, err := plane.AdminKubeconfig()
	s.must(err)
	words = append([]string{"snapshot", "--kubeconfig", kubeconfig}, words...)
	output, err := exec.Command(plane.Env.Gangplan, words...).Output()
	if err != nil {
		s.Fatalf("gangplan snapshot: %v", err)
	}
	return string(output)
}

// withoutRoad is why a gang waits, but for who has asked for its pods.
func (s scenario) withoutRoad(gang string) []string {
	lines := strings.Split(s.command("why", gang, "-n", harness.Namespace), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  road ") })
}
