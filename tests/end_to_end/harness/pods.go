package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Namespace is where all pods of the tests live.
const Namespace = "default"

// The profiles of the scheduler configuration.
const (
	GangScheduler    = "gangplan"
	ForeignScheduler = "default-scheduler"
)

// The words of Gangplan on pods.
const (
	PlaceKey          = "gangplan.io/place"
	TopologyKey       = "gangplan.io/topology"
	GroupKey          = "gangplan.io/group"
	SizeKey           = "gangplan.io/size"
	PodSetKey         = "gangplan.io/pod-set"
	PodSetsKey        = "gangplan.io/pod-sets"
	AssignedRankKey   = "gangplan.io/assigned-rank"
	AssignedDomainKey = "gangplan.io/assigned-domain"
	PlanKey           = "gangplan.io/plan"
	SuspendedKey      = "gangplan.io/suspended" // on Jobs
	PinnedKey         = "gangplan.io/pinned"
	GangGate          = "gangplan.io/gang"
	KueueGate         = "kueue.x-k8s.io/topology"
)

// NameLabel holds the name of the Job, gang or batch on every pod that the tests make.
const NameLabel = "e2e.gangplan.io/name"

// KindLabel is on pods that keep apart from each other, whichever batch they are of.
const KindLabel = "e2e.gangplan.io/kind"

// PodSpec is what the tests vary in a pod. No kubelet runs: pods never start, they are bound.
type PodSpec struct {
	Name       string // of the batch
	GPUs       int    // of one pod
	Scheduler  string
	Priority   string // a class made by CreatePriority
	Finalizer  string
	Node       string   // bound from birth, past every scheduler
	Gates      []string // scheduling gates
	PodGroup   string   // the scheduler's own gang that it is of
	Prefers    *corev1.NodeSelectorRequirement
	ApartBy    string // label by whose values the pods keep apart from those with KindLabel "apart"
	SpreadBy   string // label of whose values none may have two pods of the batch more than another
	Claim      string // made by CreateClaim
	Annotation map[string]string
	Label      map[string]string // beside NameLabel
}

func (p PodSpec) template() corev1.PodTemplateSpec {
	immediately := int64(0)
	requests := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("100m"),
		corev1.ResourceMemory: resource.MustParse("64Mi"),
	}
	if p.GPUs > 0 {
		requests[GPU] = *resource.NewQuantity(int64(p.GPUs), resource.DecimalSI)
	}
	meta := metav1.ObjectMeta{Labels: map[string]string{NameLabel: p.Name}, Annotations: p.Annotation}
	maps.Copy(meta.Labels, p.Label)
	if p.Finalizer != "" {
		meta.Finalizers = []string{p.Finalizer}
	}
	var group *corev1.PodSchedulingGroup
	if p.PodGroup != "" {
		group = &corev1.PodSchedulingGroup{PodGroupName: &p.PodGroup}
	}
	affinity := &corev1.Affinity{}
	if p.Prefers != nil {
		affinity.NodeAffinity = &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 10,
				Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{*p.Prefers}},
			}},
		}
	}
	if p.ApartBy != "" {
		meta.Labels[KindLabel] = "apart"
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey:   p.ApartBy,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{KindLabel: "apart"}},
			}},
		}
	}
	var gates []corev1.PodSchedulingGate
	for _, gate := range p.Gates {
		gates = append(gates, corev1.PodSchedulingGate{Name: gate})
	}
	return corev1.PodTemplateSpec{
		ObjectMeta: meta,
		Spec: corev1.PodSpec{
			SchedulerName:                 p.Scheduler,
			SchedulingGates:               gates,
			Affinity:                      affinity,
			PriorityClassName:             p.Priority,
			NodeName:                      p.Node,
			Volumes:                       p.volumes(),
			TopologySpreadConstraints:     p.spread(),
			SchedulingGroup:               group,
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: &immediately,
			Containers: []corev1.Container{{
				Name: "work", Image: "example.com/work:1",
				Resources: corev1.ResourceRequirements{Requests: requests, Limits: requests},
			}},
		},
	}
}

// Job is an Indexed Job of `size` pods that all may run at once, not made yet.
func Job(spec PodSpec, size int) *batchv1.Job {
	indexed, count := batchv1.IndexedCompletion, int32(size)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Namespace: Namespace},
		Spec: batchv1.JobSpec{
			CompletionMode: &indexed, Completions: &count, Parallelism: &count,
			Template: spec.template(),
		},
	}
}

// SuspendedJob is a Job that waits until Gangplan starts it.
func SuspendedJob(spec PodSpec, size int) *batchv1.Job {
	job, suspend := Job(spec, size), true
	job.Labels = map[string]string{SuspendedKey: "true"}
	job.Spec.Suspend = &suspend
	return job
}

// CreateJob makes what Job describes.
func (c *ControlPlane) CreateJob(spec PodSpec, size int) error { return c.Submit(Job(spec, size)) }

// Submit makes the Job in its namespace.
func (c *ControlPlane) Submit(job *batchv1.Job) error {
	_, err := c.Client.BatchV1().Jobs(job.Namespace).Create(context.Background(), job,
		metav1.CreateOptions{})
	return err
}

// Job is as it stands now.
func (c *ControlPlane) Job(name string) (*batchv1.Job, error) {
	return c.Client.BatchV1().Jobs(Namespace).Get(context.Background(), name, metav1.GetOptions{})
}

// PatchJob is a merge patch, as kubectl sends it.
func (c *ControlPlane) PatchJob(name, patch string) error {
	_, err := c.Client.BatchV1().Jobs(Namespace).Patch(context.Background(), name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// DeleteJob returns when the Job is gone; the garbage collector deletes its pods.
func (c *ControlPlane) DeleteJob(name string) error { return c.DeleteJobIn(Namespace, name) }

// DeleteJobIn is DeleteJob in another namespace.
func (c *ControlPlane) DeleteJobIn(namespace, name string) error {
	background := metav1.DeletePropagationBackground
	return c.Client.BatchV1().Jobs(namespace).Delete(context.Background(), name,
		metav1.DeleteOptions{PropagationPolicy: &background})
}

// CreatePod makes one pod, NAME-INDEX.
func (c *ControlPlane) CreatePod(spec PodSpec, index int) error {
	return c.CreatePodAs(spec, PodName(spec.Name, index))
}

// CreatePodAs makes one pod with a name of its own.
func (c *ControlPlane) CreatePodAs(spec PodSpec, name string) error {
	template := spec.template()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = name
	_, err := c.Client.CoreV1().Pods(Namespace).Create(context.Background(), pod,
		metav1.CreateOptions{})
	return err
}

// TryPod is the pod as the server would make it; nothing is made.
func (c *ControlPlane) TryPod(spec PodSpec) (*corev1.Pod, error) {
	template := spec.template()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = PodName(spec.Name, 0)
	return c.Client.CoreV1().Pods(Namespace).Create(context.Background(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// PatchPod is a strategic merge patch, as kubectl sends it.
func (c *ControlPlane) PatchPod(name, patch string) error {
	_, err := c.Client.CoreV1().Pods(Namespace).Patch(context.Background(), name,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// PodName is the name that CreatePod gives.
func PodName(name string, index int) string { return fmt.Sprintf("%s-%04d", name, index) }

// CreatePods makes the pods first..last-1 in parallel.
func (c *ControlPlane) CreatePods(spec PodSpec, first, last int) error {
	var indices []int
	for i := first; i < last; i++ {
		indices = append(indices, i)
	}
	return inParallel(indices, func(_ context.Context, i int) error { return c.CreatePod(spec, i) })
}

// Fill binds one pod with `gpus` GPUs to each of the nodes, past every scheduler.
func (c *ControlPlane) Fill(name string, gpus int, nodes ...string) error {
	return c.FillAt("", name, gpus, nodes...)
}

// FillAt is Fill with pods of a priority class.
func (c *ControlPlane) FillAt(priority, name string, gpus int, nodes ...string) error {
	type filler struct {
		index int
		node  string
	}
	fillers := make([]filler, len(nodes))
	for i, node := range nodes {
		fillers[i] = filler{i, node}
	}
	return inParallel(fillers, func(_ context.Context, f filler) error {
		return c.CreatePod(PodSpec{Name: name, GPUs: gpus, Node: f.node,
			Priority: priority, Scheduler: "another-scheduler"}, f.index)
	})
}

// Gang is the pod that a group made by hand consists of.
func Gang(name string, size, gpus int, place string) PodSpec {
	return PodSpec{Name: name, GPUs: gpus, Scheduler: GangScheduler, Annotation: map[string]string{
		GroupKey: name, SizeKey: strconv.Itoa(size), PlaceKey: place,
	}}
}

// GangJob is the pod of a Job that is to be placed as a gang.
func GangJob(name string, gpus int, place string) PodSpec {
	return WordedJob(name, gpus, map[string]string{PlaceKey: place})
}

// WordedJob carries other annotations than GangJob, for example those of Kueue.
func WordedJob(name string, gpus int, words map[string]string) PodSpec {
	return PodSpec{Name: name, GPUs: gpus, Scheduler: GangScheduler, Annotation: words}
}

// GatedJob is the pod of GangJob behind our gate.
func GatedJob(name string, gpus int, place string) PodSpec {
	spec := GangJob(name, gpus, place)
	spec.Gates = []string{GangGate}
	return spec
}

// Foreign is a pod that belongs to no gang.
func Foreign(name string, gpus int) PodSpec {
	return PodSpec{Name: name, GPUs: gpus, Scheduler: ForeignScheduler}
}

// CreatePriority makes a priority class; one that is there already is fine. It returns when pods may name the
// class: admission reads classes from a cache of its own, a moment late.
func (c *ControlPlane) CreatePriority(name string, value int32) error {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	_, err := c.Client.SchedulingV1().PriorityClasses().Create(context.Background(), class,
		metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	probe := PodSpec{Name: "of-" + name, Priority: name, Scheduler: ForeignScheduler}.template()
	pod := &corev1.Pod{ObjectMeta: probe.ObjectMeta, Spec: probe.Spec}
	pod.GenerateName = "probe-"
	return Eventually("priority class "+name+" in admission", func() error {
		_, err := c.Client.CoreV1().Pods(Namespace).Create(context.Background(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
}

// DeletePods deletes at once every pod of one batch.
func (c *ControlPlane) DeletePods(name string) error {
	immediately := int64(0)
	return c.Client.CoreV1().Pods(Namespace).DeleteCollection(context.Background(),
		metav1.DeleteOptions{GracePeriodSeconds: &immediately},
		metav1.ListOptions{LabelSelector: NameLabel + "=" + name})
}

// DeletePod deletes one pod; with a finalizer on it, it stays until DropFinalizer.
func (c *ControlPlane) DeletePod(name string) error {
	immediately := int64(0)
	return c.Client.CoreV1().Pods(Namespace).Delete(context.Background(), name,
		metav1.DeleteOptions{GracePeriodSeconds: &immediately})
}

// Run says of a bound pod what its kubelet would: that it runs, and is ready.
func (c *ControlPlane) Run(name string) error {
	_, err := c.Client.CoreV1().Pods(Namespace).Patch(context.Background(), name,
		types.MergePatchType, []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`),
		metav1.PatchOptions{}, "status")
	return err
}

// FailPod says of a bound pod that it has failed.
func (c *ControlPlane) FailPod(name string) error {
	_, err := c.Client.CoreV1().Pods(Namespace).Patch(context.Background(), name,
		types.MergePatchType, []byte(`{"status":{"phase":"Failed"}}`), metav1.PatchOptions{}, "status")
	return err
}

// DropFinalizer lets a pod that is being deleted go.
func (c *ControlPlane) DropFinalizer(name string) error {
	_, err := c.Client.CoreV1().Pods(Namespace).Patch(context.Background(), name,
		"application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// CreateNamespace makes a namespace; one that is there already is fine.
func (c *ControlPlane) CreateNamespace(name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := c.Client.CoreV1().Namespaces().Create(context.Background(), namespace,
		metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// DeleteEverything removes JobSets, Jobs and all pods, and returns when none is left. It takes the pods'
// finalizers away itself, because the Job controller takes seconds for its own; and it asks again,
// because that controller may make pods for a Job that it does not yet know to be gone.
func (c *ControlPlane) DeleteEverything() error { return c.DeleteEverythingWithin(Deadline) }

// DeleteJobsIn deletes all Jobs of a namespace; the garbage collector deletes their pods.
func (c *ControlPlane) DeleteJobsIn(namespace string) error {
	background := metav1.DeletePropagationBackground
	return c.Client.BatchV1().Jobs(namespace).DeleteCollection(context.Background(),
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
}

// DeleteEverythingWithin is the same with a deadline of its own.
func (c *ControlPlane) DeleteEverythingWithin(deadline time.Duration) error {
	if err := errors.Join(c.deleteJobSets(), c.deleteLeaderWorkerSets(), c.deleteKubeflow(),
		c.deletePlayed(), c.deleteApps()); err != nil {
		return err
	}
	if err := c.DeleteJobsIn(Namespace); err != nil {
		return err
	}
	return Within(deadline, "no pod is left", func() error {
		left, err := c.deletePodsOnce()
		if err == nil && left > 0 {
			err = fmt.Errorf("%d pods", left)
		}
		return err
	})
}

// deletePodsOnce returns how many pods there were.
func (c *ControlPlane) deletePodsOnce() (int, error) {
	ctx, immediately := context.Background(), int64(0)
	pods, err := c.Client.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) == 0 {
		return 0, err
	}
	err = inParallel(pods.Items, func(_ context.Context, pod corev1.Pod) error {
		if len(pod.Finalizers) == 0 {
			return nil
		}
		return c.DropFinalizer(pod.Name)
	})
	if err != nil {
		return len(pods.Items), err
	}
	return len(pods.Items), c.Client.CoreV1().Pods(Namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{GracePeriodSeconds: &immediately}, metav1.ListOptions{})
}
