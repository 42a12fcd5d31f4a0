package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// View is the cluster as a watch of our own shows it. It checks with every event that no node holds
// more than it can, so that not even a passing over-commitment escapes.
type View struct {
	mutex      sync.Mutex
	changed    chan struct{} // closed and renewed with every event
	nodes      map[string]*corev1.Node
	pods       map[types.UID]*corev1.Pod
	used       map[string]amounts
	counts     map[string]tally // by batch
	bindings   []Binding
	nominated  map[types.UID]string // pods seen with a nomination while they wait, and their batch
	violations []string
	stop       chan struct{}
}

// Binding is one pod seen bound for the first time.
type Binding struct {
	Pod, Name, Node string
	At              time.Time
}

// tally is how many pods there are, and how many of them are bound.
type tally struct{ pods, bound int }

type amounts map[corev1.ResourceName]int64

// NewView returns when the first lists are in.
func NewView(client kubernetes.Interface) *View {
	v := &View{
		changed: make(chan struct{}),
		nodes:   map[string]*corev1.Node{},
		pods:    map[types.UID]*corev1.Pod{},
		used:    map[string]amounts{},
		counts:  map[string]tally{},
		stop:    make(chan struct{}),

		nominated: map[types.UID]string{},
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer().AddEventHandler(handler(v.setNode, v.dropNode))
	factory.Core().V1().Pods().Informer().AddEventHandler(handler(v.setPod, v.dropPod))
	factory.Start(v.stop)
	factory.WaitForCacheSync(v.stop)
	return v
}

// Stop ends the watches.
func (v *View) Stop() { close(v.stop) }

func handler[T any](set, drop func(T)) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { set(object.(T)) },
		UpdateFunc: func(_, object any) { set(object.(T)) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			drop(object.(T))
		},
	}
}

func (v *View) setNode(node *corev1.Node) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.nodes[node.Name] = node
	v.notify()
}

func (v *View) dropNode(node *corev1.Node) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	delete(v.nodes, node.Name)
	v.notify()
}

func (v *View) setPod(pod *corev1.Pod) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	before := v.pods[pod.UID]
	v.account(before, -1)
	v.account(pod, 1)
	v.pods[pod.UID] = pod
	if pod.Status.NominatedNodeName != "" {
		v.nominated[pod.UID] = pod.Labels[NameLabel]
	}
	if pod.Spec.NodeName != "" && (before == nil || before.Spec.NodeName == "") {
		v.bindings = append(v.bindings,
			Binding{pod.Name, pod.Labels[NameLabel], pod.Spec.NodeName, time.Now()})
		v.checkNode(pod.Spec.NodeName)
	}
	v.notify()
}

func (v *View) dropPod(pod *corev1.Pod) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.account(v.pods[pod.UID], -1)
	delete(v.pods, pod.UID)
	v.notify()
}

func (v *View) notify() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// account adds the pod to its batch and what it takes to its node, unless it has finished, or takes
// both back.
func (v *View) account(pod *corev1.Pod, sign int64) {
	if pod == nil {
		return
	}
	batch := pod.Labels[NameLabel]
	count := v.counts[batch]
	count.pods += int(sign)
	if pod.Spec.NodeName != "" {
		count.bound += int(sign)
	}
	v.counts[batch] = count
	if count.pods == 0 {
		delete(v.counts, batch)
	}
	finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if pod.Spec.NodeName == "" || finished {
		return
	}
	used := v.used[pod.Spec.NodeName]
	if used == nil {
		used = amounts{}
		v.used[pod.Spec.NodeName] = used
	}
	used[corev1.ResourcePods] += sign
	for _, container := range pod.Spec.Containers {
		for name, quantity := range container.Resources.Requests {
			used[name] += sign * quantity.MilliValue() / scale(name)
		}
	}
}

// scale keeps cpu in thousandths and everything else in units.
func scale(name corev1.ResourceName) int64 {
	if name == corev1.ResourceCPU {
		return 1
	}
	return 1000
}

func (v *View) checkNode(name string) {
	node := v.nodes[name]
	if node == nil {
		return
	}
	for resource, used := range v.used[name] {
		allocatable := node.Status.Allocatable[resource]
		if limit := allocatable.MilliValue() / scale(resource); used > limit {
			v.violations = append(v.violations,
				fmt.Sprintf("%s: %d of %d %s are taken", name, used, limit, resource))
		}
	}
}

// OverCommitted is every moment so far at which a node held more than it can.
func (v *View) OverCommitted() []string {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return slices.Clone(v.violations)
}

// Bindings is every pod of one batch in the order of being bound.
func (v *View) Bindings(name string) []Binding {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	var found []Binding
	for _, binding := range v.bindings {
		if binding.Name == name {
			found = append(found, binding)
		}
	}
	return found
}

// Nominated is how many pods of one batch were ever seen with a nominated node.
func (v *View) Nominated(name string) int {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	count := 0
	for _, batch := range v.nominated {
		if batch == name {
			count++
		}
	}
	return count
}

// Forget drops the history, between tests.
func (v *View) Forget() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.bindings, v.violations = nil, nil
	clear(v.nominated)
}

// Pods is every pod of one batch, ordered by name; of all batches when the name is empty.
func (v *View) Pods(name string) []*corev1.Pod {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.podsOf(name)
}

func (v *View) podsOf(name string) []*corev1.Pod {
	pods := slices.Collect(maps.Values(v.pods))
	pods = slices.DeleteFunc(pods, func(p *corev1.Pod) bool {
		return name != "" && p.Labels[NameLabel] != name
	})
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

// Bound is the pods of one batch that are bound.
func (v *View) Bound(name string) []*corev1.Pod {
	return slices.DeleteFunc(v.Pods(name), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
}

// Count is how many pods of one batch there are, and how many of them are bound.
func (v *View) Count(name string) (pods, bound int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if name != "" {
		return v.counts[name].pods, v.counts[name].bound
	}
	for _, count := range v.counts {
		pods, bound = pods+count.pods, bound+count.bound
	}
	return pods, bound
}

// Node is nil when the node is not there.
func (v *View) Node(name string) *corev1.Node {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.nodes[name]
}

// Nodes is how many nodes there are.
func (v *View) Nodes() int {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return len(v.nodes)
}

// Await returns when the condition holds. It is asked anew whenever the cluster changes, and every
// few milliseconds for what the watch does not show. It also says what it sees, for the message when
// the time is over.
func (v *View) Await(what string, within time.Duration, condition func() (bool, string)) error {
	end := time.After(within)
	for {
		v.mutex.Lock()
		changed := v.changed
		v.mutex.Unlock()
		holds, seen := condition()
		if holds {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(poll):
		case <-end:
			return fmt.Errorf("not within %s: %s; seen: %s", within, what, seen)
		}
	}
}

// Wait is Await with the deadline of the tests, and returns how long it took.
func (v *View) Wait(t testing.TB, what string, condition func() (bool, string)) time.Duration {
	t.Helper()
	start := time.Now()
	if err := v.Await(what, Deadline, condition); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

// WaitBound waits until `count` pods of the batch exist and all of them are bound.
func (v *View) WaitBound(t testing.TB, name string, count int) time.Duration {
	t.Helper()
	return v.Wait(t, fmt.Sprintf("%s: %d pods bound", name, count), func() (bool, string) {
		pods, bound := v.Count(name)
		return pods == count && bound == count, fmt.Sprintf("%d pods, %d bound", pods, bound)
	})
}

// Never watches for a while and fails as soon as the condition, which must not happen, holds.
func (v *View) Never(t testing.TB, what string, while time.Duration, condition func() (bool, string)) {
	t.Helper()
	end := time.After(while)
	for {
		v.mutex.Lock()
		changed := v.changed
		v.mutex.Unlock()
		if holds, seen := condition(); holds {
			t.Fatalf("must not happen: %s; seen: %s", what, seen)
		}
		select {
		case <-changed:
		case <-time.After(poll):
		case <-end:
			return
		}
	}
}
