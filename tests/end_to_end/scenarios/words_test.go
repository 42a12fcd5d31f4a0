package scenarios

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gangplan.io/tests/end_to_end/harness"
)

// Words that nobody reads, and what is told to those who write them.

const (
	placeWord       = "gangplan.io/place"
	misspelt        = "gangplan.io/palce"
	misspeltIsTold  = "gangplan.io/palce: unknown word; did you mean gangplan.io/place?"
	kueueMisspelt   = "kueue.x-k8s.io/podset-require-topology"
	kueueDraft      = "kueue.x-k8s.io/require-topology"
	kueuePodGroup   = "kueue.x-k8s.io/pod-group-name"
	kueueTotalCount = "kueue.x-k8s.io/pod-group-total-count"
	otherPodGroup   = "grove.io/podgang"
)

// A word that is misspelt, one of Kueue's, a level that there is not, and a group of others without
// its size: whoever has one waits, though there is room, and says why; who says nothing goes alone.
func TestNobodyIsSilentlyForeign(t *testing.T) {
	s := begin(t, harness.Options{RejectMax: 1000})
	wrong := map[string]struct{ key, value, words, reason string }{
		"ours":    {misspelt, "rack=pack!", misspeltIsTold, "unknown_word"},
		"kueues":  {kueueMisspelt, harness.RackLabel, kueueMisspelt + ": unknown word; did you mean " + kueueRequired + "?", "unknown_word"},
		"level":   {placeWord, "row=pack!", placeWord + `: "row=pack!"`, "bad_words"},
		"unsized": {otherPodGroup, "ring", otherPodGroup + ": names a Grove PodGang whose size is not known", "unsized_group"},
	}
	for name, one := range wrong {
		spec := harness.WordedJob(name, 1, map[string]string{one.key: one.value})
		if name == "unsized" { // a label, on pods of an owner that nobody reads a size of
			spec = harness.PodSpec{Name: name, GPUs: 1, Scheduler: harness.GangScheduler,
				Label: map[string]string{one.key: one.value}}
			s.must(plane.CreatePods(spec, 0, 2))
			continue
		}
		s.must(plane.CreateJob(spec, 2))
	}
	s.must(plane.CreatePods(harness.PodSpec{Name: "plain", GPUs: 1, Scheduler: harness.GangScheduler}, 0, 2))
	s.waitBound("plain", 2)
	for name, one := range wrong {
		view.Wait(s, name+": both pods say why they wait", func() (bool, string) {
			count, text := told(name, one.words)
			return count == 2, fmt.Sprintf("%d of 2: %s", count, text)
		})
		if name != "unsized" {
			s.checkEvent("involvedObject.kind=Job,involvedObject.name="+name, "GangInvalid", one.words)
		}
	}
	for reason, pods := range map[string]float64{"unknown_word": 4, "bad_words": 2, "unsized_group": 2,
		"no_words": 0, "owner_unread": 0, "claim_refused": 0, "unlike_gang": 0} {
		count, err := s.Metric("gangplan_pods_without_group", `reason="`+reason+`"`)
		s.must(err)
		if count != pods {
			s.Errorf("gangplan_pods_without_group{reason=%q} is %v, not %v", reason, count, pods)
		}
	}
	view.Never(s, "one of them is bound", 5*time.Second, func() (bool, string) {
		bound := 0
		for name := range wrong {
			_, some := view.Count(name)
			bound += some
		}
		return bound != 0, fmt.Sprintf("%d bound", bound)
	})
	s.checkExplain("ours", misspeltIsTold)
}

// The words of the drafts of Kueue's proposal, on the Job itself as these have them; and a pod group
// of Kueue's, which tells its size.
func TestKueueDraftWordsAndPodGroups(t *testing.T) {
	s := begin(t, harness.Options{})
	job := harness.Job(harness.WordedJob("draft", 1, nil), 64)
	job.Annotations = map[string]string{kueueDraft: harness.RackLabel}
	s.must(plane.Submit(job))
	s.must(plane.CreateJob(harness.WordedJob("automatic", 1,
		map[string]string{"kueue.x-k8s.io/prefer-topology": "auto"}), 8))
	ring := harness.WordedJob("ring", 1, map[string]string{
		kueueRequired: harness.RackLabel, kueueTotalCount: "6"})
	ring.Label = map[string]string{kueuePodGroup: "ring"}
	s.must(plane.CreatePods(ring, 0, 5))
	s.waitBound("draft", 64)
	s.checkJob("draft", 1, 1, 8)
	s.waitBound("automatic", 8)
	s.checkJob("automatic", 1, 1, 1)
	view.Never(s, "five of six are bound", 3*time.Second, func() (bool, string) {
		_, bound := view.Count("ring")
		return bound != 0, fmt.Sprintf("%d bound", bound)
	})
	s.must(plane.CreatePods(ring, 5, 6))
	s.waitBound("ring", 6)
	s.checkExtent(view.Bound("ring"), 1, 1, 1)
}

const ofOwnPod = "involvedObject.kind=Pod,involvedObject.name=gangplan-0"

// beOwnPod has Gangplan know a pod of its own, as the manifest names it to its container.
func beOwnPod(t *testing.T) {
	t.Helper()
	for key, value := range map[string]string{"NAMESPACE": harness.Namespace, "NAME": "gangplan-0", "UID": "7"} {
		t.Setenv("POD_"+key, value)
	}
}

// A topology whose labels are on no node: the gang is told, the log at the start, and Gangplan's own pod.
func TestTopologyOnNoNode(t *testing.T) {
	beOwnPod(t)
	s := begin(t, harness.Options{Racks: "example.com/nowhere"})
	s.must(plane.CreateJob(harness.GangJob("lost", 1, "rack=pack!"), 2))
	const gaps = "1000 of 1000 nodes lack the label example.com/nowhere (level rack) and take no members"
	view.Wait(s, "both pods wait", func() (bool, string) {
		count, text := told("lost", "impossible")
		return count == 2, fmt.Sprintf("%d of 2: %s", count, text)
	})
	s.checkExplain("lost", gaps)
	log, err := os.ReadFile(s.Gangplan.Log)
	s.must(err)
	if lines := strings.Count(string(log), gaps); lines != 1 {
		s.Errorf("%d lines of the log say that no node has the label", lines)
	}
	s.checkEvent(ofOwnPod, "TopologyGaps", gaps)
	unplaced, err := s.Metric("gangplan_unplaced_nodes", "")
	s.must(err)
	if unplaced != float64(shape.Total()) {
		s.Errorf("gangplan_unplaced_nodes is %v", unplaced)
	}
}

// The policy refuses at creation what would wait, and nothing else.
func TestWordsPolicy(t *testing.T) {
	s := begin(t, harness.Options{})
	tryPod := func(annotations, labels map[string]string) error {
		_, err := plane.TryPod(harness.PodSpec{Name: "tried", GPUs: 1,
			Scheduler: harness.GangScheduler, Annotation: annotations, Label: labels})
		return err
	}
	wrong := map[string]string{misspelt: "rack=pack!"}
	old := harness.PodSpec{Name: "old", GPUs: 1, Scheduler: harness.GangScheduler, Annotation: wrong}
	s.must(plane.CreatePod(old, 0)) // there was no policy yet
	s.applyPolicy("words-policy.yaml")
	s.inForce("a misspelt word is refused", func() (bool, error) {
		err := tryPod(wrong, nil)
		return err != nil && strings.Contains(err.Error(), misspelt+": nobody reads it here"), nil
	})
	for name, set := range map[string][2]map[string]string{
		"a word of Kueue's":          {{kueueMisspelt: "x"}, nil},
		"a word as a label":          {nil, {placeWord: "any"}},
		"a misspelt label":           {nil, {"gangplan.io/gruop": "ring"}},
		"a word of Kueue's, a label": {nil, {kueueRequired: "x"}},
	} {
		if err := tryPod(set[0], set[1]); err == nil {
			s.Errorf("%s is let through", name)
		} else {
			s.Logf("%s: %v", name, err)
		}
	}
	for name, set := range map[string][2]map[string]string{
		"our words": {{placeWord: "rack=pack!", "gangplan.io/size": "1", "gangplan.io/rank": "0",
			"gangplan.io/rank-label": "x", "gangplan.io/start": "all-members",
			"gangplan.io/ranks": "tp=1 node",
			"gangplan.io/hold":  "false"},
			{"gangplan.io/group": "ring"}},
		"Kueue's words":  {{kueueRequired: harness.RackLabel, kueueSliceSize: "2"}, {"kueue.x-k8s.io/queue-name": "q"}},
		"Kueue's drafts": {{kueueDraft: harness.RackLabel}, nil},
		"what we write": {{"gangplan.io/plan": "x", "gangplan.io/pinned": "x",
			"gangplan.io/evicted-for": "x"}, {"gangplan.io/suspended": "true"}},
		"nobody's":         {{"example.com/palce": "x"}, {"app": "web"}},
		"no words":         {nil, nil},
		"one beside ours":  {{placeWord: "any"}, {placeWord: "any"}},
		"a pod group name": {{kueueTotalCount: "2"}, {kueuePodGroup: "ring"}},
	} {
		if err := tryPod(set[0], set[1]); err != nil {
			s.Errorf("%s: %v", name, err)
		}
	}
	if err := plane.CreateJob(harness.WordedJob("job", 1, wrong), 2); err == nil {
		s.Error("a Job with a misspelt word in its template is made")
	}
	set := harness.JobSet{Name: "set", Parts: []harness.ReplicatedJob{
		{Name: "driver", Spec: harness.GangJob("set", 1, ""), Jobs: 1, Pods: 1},
		{Name: "workers", Spec: harness.WordedJob("set", 1, wrong), Jobs: 2, Pods: 2}}}
	if _, err := plane.SubmitJobSet(set, true); err == nil {
		s.Error("a JobSet with a misspelt word in a template is made")
	}
	set.Parts[1].Spec = harness.GangJob("set", 1, "rack=pack!")
	if _, err := plane.SubmitJobSet(set, true); err != nil {
		s.Errorf("a sound JobSet: %v", err)
	}
	s.checkWordsOfOthers()
	s.checkWordsThatNoPodHears()
	s.checkWordsThatCome(harness.PodName(old.Name, 0))
}

// checkWordsOfOthers: a word that is misspelt on a kind of others, or on a template of it.
func (s scenario) checkWordsOfOthers() {
	s.Helper()
	wrong := map[string]string{misspelt: "rack=pack!"}
	for _, kind := range []harness.PlayedKind{harness.MPIJob, harness.RayCluster, harness.PodGroup, harness.TrainJob,
		harness.VolcanoPodGroup, harness.KoordinatorPodGroup, harness.VolcanoJob, harness.SparkApplication,
		harness.PaddleJob.Played(), harness.JAXJob} {
		s.isRefused(kind, wrong, harness.LeastSpec(kind.Kind), misspelt+": nobody reads it here")
	}
	inSpec := map[string]any{"annotations": map[string]any{misspelt: "rack=pack!"}}
	s.isRefused(harness.TrainJob, nil, inSpec, misspelt+": nobody reads it here")
	for place, template := range patchesWith(misspelt) {
		s.Logf("a patch, %s", place)
		s.isRefused(harness.TrainJob, nil, patchedBy(template), misspelt+": nobody reads it here")
	}
	s.isRefused(harness.TrainJob, nil, map[string]any{"podTemplateOverrides": []any{
		map[string]any{"metadata": inSpec}}}, misspelt+": nobody reads it here")
	s.isRefused(harness.SparkApplication, nil, map[string]any{"executor": inSpec}, misspelt+": nobody reads it here")
	for _, part := range []string{"driver", "executor"} { // of what a ScheduledSparkApplication makes
		s.isRefused(harness.SparkApplication, nil, map[string]any{"template": map[string]any{part: map[string]any{
			"template": map[string]any{"metadata": inSpec}}}}, misspelt+": nobody reads it here")
	}
	s.isRefused(harness.VolcanoJob, nil, map[string]any{"tasks": []any{map[string]any{
		"template": map[string]any{"metadata": inSpec}}}}, misspelt+": nobody reads it here")
	if plane.HasKubeflow() {
		torch := harness.Replicas{Type: "Worker", Spec: harness.WordedJob("torch", 1, wrong), Count: 1}
		if err := plane.SubmitKubeflow(harness.PyTorchJob, "torch", nil, torch); err == nil {
			s.Error("a PyTorchJob with a misspelt word in a template is made")
		}
	}
	if plane.HasOperators() {
		return // these want whole templates
	}
	template := map[string]any{"template": map[string]any{"metadata": inSpec}}
	for _, one := range []struct {
		kind harness.PlayedKind
		spec map[string]any
	}{
		{harness.MPIJob, map[string]any{"mpiReplicaSpecs": map[string]any{"Worker": template}}},
		{harness.RayCluster, map[string]any{"workerGroupSpecs": []any{template}}},
		{harness.RayJob, map[string]any{"rayClusterSpec": map[string]any{"headGroupSpec": template}}},
		{harness.RayJob, map[string]any{"submitterPodTemplate": map[string]any{"metadata": inSpec}}},
	} {
		s.isRefused(one.kind, nil, one.spec, misspelt+": nobody reads it here")
	}
	_, err := plane.Play(harness.RayJob, "sound", inOneRack, map[string]any{"rayClusterSpec": map[string]any{}})
	s.must(err)
}

func (s scenario) isRefused(kind harness.PlayedKind, words map[string]string, spec map[string]any, why string) {
	s.Helper()
	_, err := plane.Play(kind, "tried", words, spec)
	if err == nil || !strings.Contains(err.Error(), why) {
		s.Errorf("a %s with %v, %v is told %v, not %q", kind.Kind, words, spec, err, why)
	}
}

// checkWordsThatNoPodHears: words of an object itself, of kinds that hand none on; and Kueue's, which are
// read on templates alone.
func (s scenario) checkWordsThatNoPodHears() {
	s.Helper()
	const unheard = ": no pod hears of it from the "
	err := plane.SubmitLeaderWorkerSet(harness.LeaderWorkerSet{Name: "serve", Replicas: 1, Size: 2, Words: inOneRack})
	if err == nil || !strings.Contains(err.Error(), placeWord+unheard+"LeaderWorkerSet itself") {
		s.Errorf("words on a LeaderWorkerSet itself: %v", err)
	}
	s.isRefused(harness.TrainJob, inOneRack, map[string]any{}, placeWord+unheard+"TrainJob itself")
	s.isRefused(harness.SparkApplication, inOneRack, map[string]any{},
		placeWord+unheard+"SparkApplication itself; expected in the annotations of its executor")
	_, err = plane.Play(harness.SparkApplication, "sound", nil, map[string]any{
		"executor": map[string]any{"annotations": map[string]any{placeWord: "rack=pack!"}}})
	s.must(err)
	_, err = plane.Play(harness.VolcanoJob, "sound", inOneRack, map[string]any{}) // its PodGroup has them
	s.must(err)
	job := harness.Job(harness.WordedJob("job", 1, nil), 2)
	job.Annotations = map[string]string{kueueRequired: harness.RackLabel}
	if err := plane.Submit(job); err == nil || !strings.Contains(err.Error(), kueueRequired+unheard+"Job itself") {
		s.Errorf("a word of Kueue's on a Job itself: %v", err)
	}
	_, err = plane.Play(harness.TrainJob, "sound", nil, map[string]any{
		"annotations": map[string]any{placeWord: "rack=pack!"}})
	s.must(err)
	for place, template := range patchesWith(placeWord) {
		_, err = plane.Play(harness.TrainJob, "sound-"+place, nil, patchedBy(template))
		s.must(err)
	}
}

// patchesWith is what a patch of a TrainJob's runtime may say of the JobSet with this word, by where it stands.
func patchesWith(word string) map[string]map[string]any {
	metadata := map[string]any{"annotations": map[string]any{word: "rack=pack!"}}
	job := func(template map[string]any) map[string]any {
		return map[string]any{"spec": map[string]any{"replicatedJobs": []any{
			map[string]any{"name": "other"}, map[string]any{"name": "node", "template": template}}}}
	}
	return map[string]map[string]any{
		"set":  {"metadata": metadata},
		"job":  job(map[string]any{"metadata": metadata}),
		"pods": job(map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": metadata}}}),
	}
}

// patchedBy is a TrainJob with this patch behind one that says nothing.
func patchedBy(template map[string]any) map[string]any {
	return map[string]any{"runtimePatches": []any{map[string]any{"manager": "example.com/empty"},
		map[string]any{"manager": "example.com/words", "trainingRuntimeSpec": map[string]any{"template": template}}}}
}

// checkWordsThatCome: what stands on the pod already may stay, whatever else changes; more may not come.
func (s scenario) checkWordsThatCome(name string) {
	s.Helper()
	change := func(key string) error {
		_, err := plane.Client.CoreV1().Pods(harness.Namespace).Patch(context.Background(), name,
			types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+key+`":"x"}}}`), metav1.PatchOptions{})
		return err
	}
	s.must(change("example.com/note"))
	if err := change(kueueMisspelt); err == nil || !strings.Contains(err.Error(), kueueMisspelt+": nobody") {
		s.Errorf("a word that nobody reads comes to a pod later: %v", err)
	}
}
