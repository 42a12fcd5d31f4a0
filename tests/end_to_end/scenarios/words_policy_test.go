package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// The policy about words beside what controllers make.

// What stands when the policy comes goes on: its pods are made anew, and its next ReplicaSets are made.
func TestWordsPolicyLeavesWhatStands(t *testing.T) {
	s := begin(t, harness.Options{})
	wrong := map[string]string{misspelt: "rack=pack!"}
	web := harness.Foreign("web", 1)
	web.Annotation = wrong
	s.must(plane.CreateDeployment(web, 2))
	before := s.waitRun("web", imageNow, 2)
	refuses := func() (bool, error) {
		_, err := plane.TryPod(harness.PodSpec{Name: "tried", Scheduler: harness.GangScheduler, Annotation: wrong})
		return err != nil && strings.Contains(err.Error(), misspelt+": nobody reads it here"), nil
	}
	s.Cleanup(func() { // for whoever comes next
		s.inForce("nothing is refused any more", func() (bool, error) {
			refused, err := refuses()
			return !refused, err
		})
	})
	s.applyPolicy("words-policy.yaml")
	s.inForce("a misspelt word is refused", refuses)
	for _, pod := range before {
		s.must(plane.DeletePod(pod.Name))
	}
	view.Wait(s, "both pods are made anew", func() (bool, string) {
		anew := slices.DeleteFunc(view.Bound("web"), func(pod *corev1.Pod) bool {
			return slices.ContainsFunc(before, func(old *corev1.Pod) bool { return old.UID == pod.UID })
		})
		return len(anew) == 2, fmt.Sprintf("%d of 2", len(anew))
	})
	s.must(plane.PatchApp("deployments", "web", rollout)) // by another ReplicaSet
	s.waitRun("web", imageNext, 2)
	s.checkWordsOfControllers(wrong)
	s.checkWordsOfWrapped(wrong)
	s.checkWordsOfJobs()
	s.checkWordsOfCronJobs(wrong)
	if err := plane.PatchPod(view.Bound("web")[0].Name,
		`{"metadata":{"annotations":{"gangplan.io/gruop":"x"}}}`); err == nil {
		s.Error("a word that nobody reads comes to a controller's pod later")
	}
}

// checkWordsOfControllers: whose pods are judged by themselves.
func (s scenario) checkWordsOfControllers(wrong map[string]string) {
	s.Helper()
	controls, no := true, false
	for _, one := range []struct {
		version, kind, scheduler string
		controller               *bool
		refused                  bool
	}{
		{"batch/v1", "Job", harness.GangScheduler, &controls, false}, // it was judged itself
		{"kubeflow.org/v1", "PyTorchJob", harness.GangScheduler, &controls, false},
		{"ray.io/v1", "RayCluster", harness.GangScheduler, &controls, false},
		{"batch.volcano.sh/v1alpha1", "Job", harness.GangScheduler, &controls, false},
		{"sparkoperator.k8s.io/v1beta2", "SparkApplication", harness.GangScheduler, &controls, false},
		{"example.com/v1", "Job", harness.GangScheduler, &controls, true},
		{"v1", "Pod", harness.GangScheduler, &controls, true}, // executors, of their driver
		{"example.com/v1", "Job", harness.ForeignScheduler, &controls, false},
		{"batch/v1", "Job", harness.GangScheduler, &no, true},
		{"batch/v1", "Job", harness.GangScheduler, nil, true},
	} {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "tried", Annotations: wrong, OwnerReferences: []metav1.OwnerReference{
				{APIVersion: one.version, Kind: one.kind, Name: "x", UID: "x", Controller: one.controller}}},
			Spec: corev1.PodSpec{SchedulerName: one.scheduler,
				Containers: []corev1.Container{{Name: "work", Image: imageNow}}},
		}
		_, err := plane.Client.CoreV1().Pods(harness.Namespace).Create(context.Background(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if refused := err != nil && strings.Contains(err.Error(), misspelt+": nobody reads it here"); refused != one.refused {
			s.Errorf("a pod of %s of a %s %s: %v", one.scheduler, one.version, one.kind, err)
		}
	}
}

// checkWordsOfWrapped: objects that a controller makes whose own are not read.
func (s scenario) checkWordsOfWrapped(wrong map[string]string) {
	s.Helper()
	controls := true
	for _, one := range []struct {
		pod     harness.PodSpec
		refused bool
	}{
		{harness.GangJob("wrapped", 1, "rack=pack!"), true},
		{harness.Foreign("wrapped", 1), false},
	} {
		job := harness.Job(one.pod, 1)
		job.Annotations = wrong
		job.OwnerReferences = []metav1.OwnerReference{{APIVersion: "workload.codeflare.dev/v1beta2", Kind: "AppWrapper",
			Name: "x", UID: "x", Controller: &controls}}
		_, err := plane.Client.BatchV1().Jobs(harness.Namespace).Create(context.Background(), job,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if got := err != nil && strings.Contains(err.Error(), misspelt+": nobody reads it here"); got != one.refused {
			s.Errorf("a Job that an AppWrapper has made: %v", err)
		}
	}
}

const unheardOfJobs = kueueRequired + ": no pod hears of it from the Jobs of the "

// checkWordsOfJobs: Kueue's words are read on pods' templates, and not on those of a JobSet's Jobs.
func (s scenario) checkWordsOfJobs() {
	s.Helper()
	ofKueue := map[string]string{kueueRequired: harness.RackLabel}
	set := harness.JobSet{Name: "set", Parts: []harness.ReplicatedJob{
		{Name: "driver", Spec: harness.GangJob("set", 1, ""), Jobs: 1, Pods: 1},
		{Name: "workers", Spec: harness.WordedJob("set", 1, ofKueue), Jobs: 1, Pods: 2, Words: inOneRack}}}
	if _, err := plane.SubmitJobSet(set, true); err != nil {
		s.Errorf("a JobSet with words that are read: %v", err)
	}
	set.Parts[1].Words = ofKueue
	_, err := plane.SubmitJobSet(set, true)
	if err == nil || !strings.Contains(err.Error(), unheardOfJobs+"JobSet") {
		s.Errorf("a word of Kueue's on the Jobs of a JobSet: %v", err)
	}
}

// checkWordsOfCronJobs: who writes one is told, and its turns are not refused where nobody looks.
func (s scenario) checkWordsOfCronJobs(wrong map[string]string) {
	s.Helper()
	tryCronJob := func(own, ofJob, ofPod map[string]string) error {
		spec := harness.Foreign("nightly", 1)
		spec.Annotation = ofPod
		job := harness.Job(spec, 1)
		_, err := plane.Client.BatchV1().CronJobs(harness.Namespace).Create(context.Background(), &batchv1.CronJob{
			ObjectMeta: metav1.ObjectMeta{Name: "nightly", Annotations: own},
			Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", JobTemplate: batchv1.JobTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: ofJob}, Spec: job.Spec}},
		}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	const unread = misspelt + ": nobody reads it here"
	ofKueue := map[string]string{kueueRequired: harness.RackLabel}
	for _, one := range []struct {
		own, ofJob, ofPod map[string]string
		says              string
	}{
		{wrong, nil, nil, unread},
		{nil, wrong, nil, unread},
		{nil, nil, wrong, unread},
		{inOneRack, nil, nil, placeWord + ": no pod hears of it from the CronJob itself; expected on the templates of its pods"},
		{nil, inOneRack, nil, ""},
		{nil, nil, inOneRack, ""},
		{nil, ofKueue, nil, unheardOfJobs + "CronJob; expected on the templates of their pods"},
		{nil, nil, ofKueue, ""},
	} {
		err := tryCronJob(one.own, one.ofJob, one.ofPod)
		if (one.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), one.says) {
			s.Errorf("a CronJob with %v, its Jobs %v, their pods %v: %v", one.own, one.ofJob, one.ofPod, err)
		}
	}
	controls := true
	job := harness.Job(harness.Foreign("nightly-1", 1), 1)
	job.Annotations = wrong
	job.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: "nightly", UID: "x",
		Controller: &controls}}
	_, err := plane.Client.BatchV1().Jobs(harness.Namespace).Create(context.Background(), job,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		s.Errorf("the turn of a CronJob that stood before: %v", err)
	}
}
