package scenarios

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gangplan.io/tests/end_to_end/harness"
)

// MPIJobs, RayClusters and Spark's executors: their objects are real, and the pods are made as their
// controllers make them.

// playedPod is one of a gang whose words stand on its owner.
func playedPod(name string, gpus int, labels map[string]string) harness.PodSpec {
	return harness.PodSpec{Name: name, GPUs: gpus, Scheduler: harness.GangScheduler, Label: labels}
}

func (s scenario) playRange(owner metav1.OwnerReference, spec harness.PodSpec, prefix, index string, first, last int) {
	s.Helper()
	for i := first; i < last; i++ {
		own := spec
		own.Label = maps.Clone(spec.Label)
		if index != "" {
			own.Label[index] = fmt.Sprint(i)
		}
		s.must(plane.CreatePodFor(owner, own, fmt.Sprintf("%s-%d", prefix, i)))
	}
}

func (s scenario) oneRack(name string, count int) []*corev1.Pod {
	s.Helper()
	s.waitBound(name, count)
	pods := view.Bound(name)
	s.checkRack(pods)
	return pods
}

const mpiRole = "training.kubeflow.org/job-role"

// playMPI makes an MPIJob with a launcher of one GPU; the workers have a node each.
func (s scenario) playMPI(name, policy string, workers int) metav1.OwnerReference {
	s.Helper()
	launcher := map[string]any{"spec": map[string]any{
		"schedulerName": harness.GangScheduler,
		"containers": []any{map[string]any{"name": "work", "resources": map[string]any{
			"requests": map[string]any{"cpu": "100m", "memory": "64Mi", string(harness.GPU): "1"}}}}}}
	owner, err := plane.Play(harness.MPIJob, name, map[string]string{placeWord: "rack=pack!"}, map[string]any{
		"launcherCreationPolicy": policy,
		"mpiReplicaSpecs": map[string]any{
			"Launcher": map[string]any{"replicas": int64(1), "template": launcher},
			"Worker":   map[string]any{"replicas": int64(workers)}}})
	s.must(err)
	return owner
}

// launch makes the launcher as the operator does: by a Job, with the real Job controller.
func (s scenario) launch(owner metav1.OwnerReference) {
	s.Helper()
	job := harness.Job(playedPod(owner.Name, 1, map[string]string{mpiRole: "launcher"}), 1)
	job.Name = owner.Name + "-launcher"
	job.OwnerReferences = []metav1.OwnerReference{owner}
	s.must(plane.Submit(job))
}

// Launcher and workers are one gang, whole or nothing; Gangplan dies while they wait.
func TestMPIJob(t *testing.T) {
	needsNoOperators(t)
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:4]...)...)
	owner := s.playMPI("pi", "AtStartup", 4)
	s.launch(owner)
	worker := playedPod("pi", 8, map[string]string{mpiRole: "worker"})
	s.playRange(owner, worker, "pi-worker", replicaIndex, 0, 4)
	view.Wait(s, "all five say why they wait", func() (bool, string) {
		count, text := told("pi", "gang default/pi")
		return count == 5, fmt.Sprintf("%d of 5: %s", count, text)
	})
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.DeletePods("fill"))
	for _, pod := range s.oneRack("pi", 5) {
		want := "0"
		if pod.Labels[mpiRole] == "worker" {
			want = pod.Labels[replicaIndex]
		}
		if got := pod.Annotations[harness.AssignedRankKey]; got != want {
			s.Errorf("%s was assigned rank %q, not %s", pod.Name, got, want)
		}
	}
}

// A launcher that is made when the workers are ready: they start without it, and its room is kept.
func TestMPIJobLauncherLast(t *testing.T) {
	needsNoOperators(t)
	s := begin(t, harness.Options{})
	rack := shape.RackNodes(2, 3)
	s.fill("fill", 8, allNodesBut(rack[:3]...)...)
	owner := s.playMPI("pi", "WaitForWorkersReady", 2)
	worker := playedPod("pi", 8, map[string]string{mpiRole: "worker"})
	s.playRange(owner, worker, "pi-worker", replicaIndex, 0, 2)
	s.oneRack("pi", 2)
	// Others ask for what is left.
	s.must(plane.CreateJob(harness.PodSpec{Name: "other", GPUs: 8, Scheduler: harness.GangScheduler}, 1))
	s.staysUnbound("other")
	s.launch(owner)
	s.oneRack("pi", 3)
}

const rayGroup = "ray.io/group"

// Workers that are scaled up go beside those that run, and leave again.
func TestRayCluster(t *testing.T) {
	needsNoOperators(t)
	s := begin(t, harness.Options{})
	workers := func(count int) map[string]any {
		return map[string]any{"groupName": "small", "replicas": int64(count), "minReplicas": int64(0),
			"maxReplicas": int64(20), "numOfHosts": int64(1)}
	}
	owner, err := plane.Play(harness.RayCluster, "ray", map[string]string{placeWord: "rack=pack!"},
		map[string]any{"headGroupSpec": map[string]any{"template": map[string]any{}},
			"workerGroupSpecs": []any{workers(4)}})
	s.must(err)
	s.playRange(owner, playedPod("ray", 1, map[string]string{rayGroup: "headgroup"}), "ray-head", "", 0, 1)
	worker := playedPod("ray", 8, map[string]string{rayGroup: "small"})
	s.playRange(owner, worker, "ray-small", "", 0, 3)
	s.staysUnbound("ray")
	s.playRange(owner, worker, "ray-small", "", 3, 4)
	s.oneRack("ray", 5)
	scale := func(count int) {
		s.must(plane.PatchPlayed(harness.RayCluster, "ray",
			fmt.Sprintf(`{"spec":{"workerGroupSpecs":[{"groupName":"small","replicas":%d,"maxReplicas":20}]}}`, count)))
	}
	start := time.Now()
	scale(8)
	s.playRange(owner, worker, "ray-small", "", 4, 8)
	s.oneRack("ray", 9)
	s.Logf("from 4 to 8 workers took %s", seconds(time.Since(start)))
	scale(4)
	for i := 2; i < 6; i++ {
		s.must(plane.DeletePod(fmt.Sprintf("ray-small-%d", i)))
	}
	s.oneRack("ray", 5)
	scale(6)
	s.playRange(owner, worker, "ray-small", "", 8, 10)
	s.oneRack("ray", 7)
}

// The driver starts alone, and makes executors that are a gang by our words.
func TestSparkExecutors(t *testing.T) {
	s := begin(t, harness.Options{})
	app := map[string]string{"spark-app-selector": "spark-1"}
	driver := playedPod("driver", 1, maps.Clone(app))
	driver.Label["spark-role"] = "driver"
	s.must(plane.CreatePod(driver, 0))
	s.waitBound("driver", 1)
	executor := playedPod("executor", 8, maps.Clone(app))
	executor.Label["spark-role"] = "executor"
	executor.Annotation = map[string]string{placeWord: "rack=pack!", "gangplan.io/size": "3",
		"gangplan.io/rank-label": "spark-exec-id"}
	for i := 0; i < 3; i++ {
		executor.Label["spark-exec-id"] = fmt.Sprint(i)
		if i == 2 {
			s.staysUnbound("executor")
		}
		s.must(plane.CreatePod(executor, i))
	}
	for _, pod := range s.oneRack("executor", 3) {
		if got, want := pod.Annotations[harness.AssignedRankKey], pod.Labels["spark-exec-id"]; got != want {
			s.Errorf("%s was assigned rank %q, not %s", pod.Name, got, want)
		}
	}
}

// The example of a Spark application: the test makes the driver and the executors, as its operator and the
// driver would; those of another run are another gang.
func TestSparkExample(t *testing.T) {
	s := begin(t, harness.Options{})
	application := s.example("spark.yaml")
	_, err := plane.Play(harness.SparkApplication, "pi", nil, application["spec"].(map[string]any))
	s.must(err)
	words, _, err := unstructured.NestedStringMap(application, "spec", "executor", "annotations")
	s.must(err)
	count, _, err := unstructured.NestedInt64(application, "spec", "executor", "instances")
	s.must(err)
	s.must(plane.CreatePod(playedPod("driver", 1, map[string]string{"spark-role": "driver"}), 0))
	s.waitBound("driver", 1)
	executor := playedPod("executor", 8, map[string]string{"spark-role": "executor", "spark-app-selector": "spark-1"})
	executor.Annotation = words
	s.must(plane.CreatePods(executor, 0, int(count)-1))
	other := executor
	other.Name, other.Label = "other", map[string]string{"spark-role": "executor", "spark-app-selector": "spark-2"}
	s.must(plane.CreatePods(other, 0, 1))
	s.staysUnbound("executor")
	s.must(plane.CreatePods(executor, int(count)-1, int(count)))
	s.oneRack("executor", int(count))
	s.staysUnbound("other")
}

// The examples of the kinds of Kubeflow's training operator whose controllers do not run here, or with
// `run --all` alone: the test makes the pods as they would.
func TestKubeflowExamplesPlayed(t *testing.T) {
	for file, kind := range map[string]harness.PlayedKind{"paddlejob.yaml": harness.PaddleJob.Played(), "jaxjob.yaml": harness.JAXJob} {
		t.Run(file, func(t *testing.T) {
			if plane.HasKubeflow() && kind == harness.PaddleJob.Played() {
				t.Skip("its own controller runs")
			}
			s := begin(t, harness.Options{})
			object := unstructured.Unstructured{Object: s.example(file)}
			spec := object.Object["spec"].(map[string]any)
			owner, err := plane.Play(kind, object.GetName(), object.GetAnnotations(), spec)
			s.must(err)
			total := 0
			for _, specs := range spec {
				for name, one := range specs.(map[string]any) {
					count, role := int(one.(map[string]any)["replicas"].(int64)), strings.ToLower(name)
					s.playRange(owner, playedPod("played", 8, map[string]string{replicaType: role}), "played-"+role,
						replicaIndex, 0, count)
					total += count
				}
			}
			for _, pod := range s.oneRack("played", total) {
				if got, want := pod.Annotations[harness.AssignedRankKey], pod.Labels[replicaIndex]; got != want {
					s.Errorf("%s was assigned rank %q, not %s", pod.Name, got, want)
				}
			}
		})
	}
}

// example is the one object of a file of examples/.
func (s scenario) example(file string) map[string]any {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(plane.Env.Examples, file))
	s.must(err)
	text, err = yaml.YAMLToJSON(text)
	s.must(err)
	var object unstructured.Unstructured
	s.must(object.UnmarshalJSON(text))
	return object.Object
}

// wordsOfTrainJob are those that the trainer puts on the JobSet: of a patch, before 2.2 of its spec.
func (s scenario) wordsOfTrainJob(job *unstructured.Unstructured) map[string]string {
	s.Helper()
	patches, patched, err := unstructured.NestedSlice(job.Object, "spec", "runtimePatches")
	s.must(err)
	from, path := job.Object, []string{"spec", "annotations"}
	if patched {
		from, path = patches[0].(map[string]any), []string{"trainingRuntimeSpec", "template", "metadata", "annotations"}
	}
	words, _, err := unstructured.NestedStringMap(from, path...)
	s.must(err)
	return words
}

// The examples of a TrainJob: the test makes its JobSet as the trainer would, of which JobSet's own
// controller makes the pods; over a Gangplan that dies, and anew under the same name.
func TestTrainJob(t *testing.T) {
	s := begin(t, harness.Options{})
	s.fill("fill", 8, allNodesBut(shape.RackNodes(2, 3)[:2]...)...)
	submit := func(example string) {
		s.must(plane.ApplyExample(example, "tune"))
		job, err := plane.Played(harness.TrainJob, "tune")
		s.must(err)
		words := s.wordsOfTrainJob(job)
		nodes, _, err := unstructured.NestedInt64(job.Object, "spec", "trainer", "numNodes")
		s.must(err)
		owner := harness.OwnerOf(job)
		s.submit(harness.JobSet{Name: "tune", Words: words, Owner: &owner, Parts: []harness.ReplicatedJob{
			{Name: "node", Jobs: 1, Pods: int(nodes), Spec: playedPod("tune", 8, nil)}}})
	}
	submit("trainjob.yaml")
	s.waitsAndStarts("tune", 4)
	s.isGone(harness.TrainJob, "tune")
	submit("trainjob-2.1.yaml")
	s.oneRack("tune", 4)
	for rank, pod := range partsOf("tune", "node") {
		if got := pod.Annotations[harness.AssignedRankKey]; got != fmt.Sprint(rank) {
			s.Errorf("%s was assigned rank %q, not %d", pod.Name, got, rank)
		}
	}
}

// A job of the trainer's MPI runtimes, as its JobSet: the launcher is made when the nodes are ready, and
// its room in their rack is kept from others until then.
func TestTrainJobLauncherLast(t *testing.T) {
	s := begin(t, harness.Options{})
	rack := shape.RackNodes(2, 3)
	s.fill("fill", 8, allNodesBut(rack[:3]...)...)
	s.submit(harness.JobSet{Name: "tune", Words: map[string]string{placeWord: "rack=pack!"},
		Parts: []harness.ReplicatedJob{
			{Name: "node", Jobs: 1, Pods: 2, Spec: playedPod("tune", 8, nil)},
			{Name: "launcher", Jobs: 1, Pods: 1, Spec: playedPod("tune", 2, nil), DependsOn: "node"}}})
	s.lastJoinsTwo("tune")
}

// The first two pods run in one rack; the room of the third one is kept from others until it is made,
// which is when they are ready.
func (s scenario) lastJoinsTwo(gang string) {
	s.Helper()
	first := s.oneRack(gang, 2)
	s.must(plane.CreateJob(harness.PodSpec{Name: "other", GPUs: 8, Scheduler: harness.GangScheduler}, 1))
	s.staysUnbound("other")
	for _, pod := range first {
		s.must(plane.Run(pod.Name))
	}
	s.oneRack(gang, 3)
}

// The examples of these kinds are taken as they are by the API server; with `run --all` their
// operators make the pods.
func TestPlayedExamples(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.ApplyExample("coscheduling.yaml", "ring"))
	s.must(plane.ApplyExample("mpijob.yaml", "pi"))
	s.must(plane.ApplyExample("raycluster.yaml", "ray"))
	s.must(plane.ApplyExample("rayjob.yaml", "rayjob"))
	s.oneRack("ring", 3)
	if plane.HasOperators() {
		s.oneRack("rayjob", 3)
		s.oneRack("pi", 3)
		s.oneRack("ray", 5)
	}
}
