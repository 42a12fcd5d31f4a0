package scenarios

import (
	"context"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// What admission does to Jobs and their pods: policies that suspend and mark them, and what pods are
// given that their template does not say.

// awaitPolicy returns when the policy is in force, a while after it was made, or is so no more.
func (s scenario) awaitPolicy(inForce bool) {
	s.Helper()
	s.inForce("the policy suspends Jobs, or does not", func() (bool, error) {
		job := harness.Job(harness.GangJob("tried", 2, "rack=pack!"), 4)
		made, err := plane.Client.BatchV1().Jobs(harness.Namespace).Create(context.Background(), job,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && (isSuspended(made) && made.Labels[harness.SuspendedKey] != "") == inForce, err
	})
}

// The policy of examples/ suspends and marks Jobs that carry our words, and no others.
func TestSuspendedByPolicy(t *testing.T) {
	needsPolicies(t)
	s := begin(t, harness.Options{Suspended: true})
	s.applyPolicy("suspend-policy.yaml")
	s.awaitPolicy(true)
	s.must(plane.CreateJob(harness.GangJob("by-policy", 2, "rack=pack!"), 4))
	s.must(plane.CreateJob(harness.Foreign("plain", 1), 3))
	s.must(plane.CreateJob(harness.WordedJob("ends", 1, map[string]string{runtimeKey: "12h", holdWord: "false"}), 2))
	s.must(plane.CreateJob(harness.WordedJob("misspelt", 1, map[string]string{misspelt: "rack=pack!"}), 2))
	held := harness.Job(harness.WordedJob("held", 1, nil), 2)
	held.Annotations = map[string]string{holdWord: "waits for its data"}
	s.must(plane.Submit(held))
	s.waitBound("by-policy", 4)
	s.waitBound("plain", 3)
	s.waitBound("ends", 2) // a word that makes no gang
	s.waitsWithoutPods("misspelt")
	s.waitsWithoutPods("held")
	s.must(plane.PatchJob("held", `{"metadata":{"annotations":{"gangplan.io/hold":null}}}`)) // it has no other
	s.waitBound("held", 2)
	job, err := plane.Job("by-policy")
	s.must(err)
	if job.Annotations[harness.PinnedKey] == "" {
		s.Error("the Job was not started on nodes of its plan")
	}
}

// The policy is removed while a gang waits by it: that one is started when there is room, and the
// next one starts by its pods.
func TestPolicyRemovedWhileAGangWaits(t *testing.T) {
	needsPolicies(t)
	s := begin(t, harness.Options{Suspended: true})
	remove := s.applyPolicy("suspend-policy.yaml")
	s.awaitPolicy(true)
	s.fill("fill", 8, allNodesBut(shape.RackNodes(0, 3)[:2]...)...)
	s.must(plane.CreateJob(harness.GangJob("patient", 8, "rack=pack!"), 4))
	s.waitsWithoutPods("patient")
	remove()
	s.awaitPolicy(false)
	s.must(plane.CreateJob(harness.GangJob("next", 8, "rack=pack!"), 2))
	s.waitBound("next", 2)
	s.waitsWithoutPods("patient")
	s.must(plane.DeletePods("fill"))
	s.waitBound("patient", 4)
	s.checkExtent(view.Bound("patient"), 1, 1, 4)
}

// withoutCPU takes cpu out of what the Job's template asks for.
func withoutCPU(job *batchv1.Job) {
	resources := &job.Spec.Template.Spec.Containers[0].Resources
	delete(resources.Requests, corev1.ResourceCPU)
	delete(resources.Limits, corev1.ResourceCPU)
}

// Its pods ask for what a LimitRange says, have the overhead of a RuntimeClass and go to the nodes
// of that class: so they are planned, at once.
func TestSuspendedJobIsPlannedAsAdmitted(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	background, namespace := context.Background(), harness.Namespace
	ranges, classes := plane.Client.CoreV1().LimitRanges(namespace), plane.Client.NodeV1().RuntimeClasses()
	_, err := ranges.Create(background, &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "defaults"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type:           corev1.LimitTypeContainer,
			DefaultRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("20")},
		}}}}, metav1.CreateOptions{})
	s.must(err)
	defer ranges.Delete(background, "defaults", metav1.DeleteOptions{})
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "heavy"}, Handler: "heavy",
		Overhead: &nodev1.Overhead{PodFixed: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("12")}},
		Scheduling: &nodev1.Scheduling{NodeSelector: map[string]string{harness.RackLabel: "rack-03"}}}
	_, err = classes.Create(background, class, metav1.CreateOptions{})
	s.must(err)
	defer classes.Delete(background, "heavy", metav1.DeleteOptions{})
	job := harness.SuspendedJob(harness.GangJob("heavy", 1, "rack=pack!"), 6)
	withoutCPU(job)
	job.Spec.Template.Spec.RuntimeClassName = &class.Name
	s.must(plane.Submit(job))
	s.waitBound("heavy", 6)
	s.checkExtent(view.Bound("heavy"), 1, 1, 3) // two of 32 cpu on a node of 64
	for _, pod := range view.Bound("heavy") {
		if rack := view.Node(pod.Spec.NodeName).Labels[harness.RackLabel]; rack != "rack-03" {
			s.Errorf("%s lies in %s", pod.Name, rack)
		}
		if plan := pod.Annotations[harness.PlanKey]; !strings.HasSuffix(plan, ".1") {
			s.Errorf("%s was planned anew: %s", pod.Name, plan)
		}
	}
}

// Of two that wait the one whose class is greater starts first, though it came later and has no pod
// that would show its priority.
func TestSuspendedJobsStartByTheirClass(t *testing.T) {
	s := begin(t, harness.Options{Suspended: true})
	s.must(plane.CreatePriority("urgent", 1000))
	s.fill("fill", 8, allNodesBut()...)
	for _, spec := range []harness.PodSpec{
		harness.GangJob("low", 8, "rack=pack!"), harness.GangJob("high", 8, "rack=pack!")} {
		if spec.Name == "high" {
			spec.Priority = "urgent"
		}
		s.must(plane.Submit(harness.SuspendedJob(spec, 2)))
		s.waitsWithoutPods(spec.Name)
	}
	for i := range 2 {
		s.must(plane.DeletePod(harness.PodName("fill", i)))
	}
	s.waitBound("high", 2)
	s.waitsWithoutPods("low")
}
