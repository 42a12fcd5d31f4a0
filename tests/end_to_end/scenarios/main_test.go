// Package scenarios holds the end-to-end tests: a stock kube-scheduler and the real program, on a
// cluster of 1,000 nodes whose kubelets nobody plays. Every test starts a scheduler and a Gangplan
// of its own, and leaves the cluster as empty as it found it.
package scenarios

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Blocks of 20 racks of 10 nodes of 8 GPUs: 80 GPUs a rack, 1,600 a block.
var shape = harness.Shape{Blocks: 5, Racks: 20, Nodes: 10, GPUs: 8}

// What all tests share.
var (
	plane *harness.ControlPlane
	view  *harness.View
)

func TestMain(m *testing.M) {
	code := 1
	defer func() { os.Exit(code) }()
	flag.Parse()
	if flag.Lookup("test.list").Value.String() != "" {
		code = m.Run() // the names alone
		return
	}
	env, err := harness.LoadEnvironment()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	if err := prepare(env); err != nil {
		fmt.Fprintf(os.Stderr, "%v\nlogs: %s\n", err, env.Directory)
		return
	}
	code = m.Run()
	view.Stop()
	plane.Stop()
	if code == 0 {
		os.RemoveAll(env.Directory)
	} else {
		fmt.Fprintf(os.Stderr, "logs: %s\n", env.Directory)
	}
}

// prepare starts what all tests share; the flags are the API server's.
func prepare(env harness.Environment, flags ...string) error {
	start := time.Now()
	var err error
	if plane, err = harness.StartControlPlane(env, flags...); err != nil {
		return err
	}
	ready := time.Since(start)
	if err := plane.CreateNodes(shape, shape.NodeNames()...); err != nil {
		plane.Stop()
		return err
	}
	view = harness.NewView(plane.Client)
	err = view.Await("every node in view", 30*time.Second, func() (bool, string) {
		return view.Nodes() == shape.Total(), fmt.Sprintf("%d nodes", view.Nodes())
	})
	if err != nil {
		plane.Stop()
		return err
	}
	fmt.Printf("control plane ready after %s, %d nodes after %s\n", seconds(ready), shape.Total(),
		seconds(time.Since(start)))
	return nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// scenario is one test with its scheduler and its Gangplan.
type scenario struct {
	*testing.T
	*harness.Pair
}

func begin(t *testing.T, options harness.Options) scenario {
	t.Helper()
	if pods, _ := view.Count(""); pods != 0 || view.Nodes() != shape.Total() {
		t.Fatalf("an earlier test has left %d pods and %d nodes", pods, view.Nodes())
	}
	view.Forget()
	start := time.Now()
	pair, err := plane.StartPair(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("gangplan and kube-scheduler started in %s", seconds(time.Since(start)))
	s := scenario{t, pair}
	t.Cleanup(s.end)
	return s
}

// end checks what must hold after every test, whatever it was about, and clears the cluster.
func (s scenario) end() {
	s.Helper()
	for _, violation := range view.OverCommitted() {
		s.Errorf("over-committed: %s", violation)
	}
	for name, half := range halfGangs() {
		s.Errorf("half a gang is bound: %s: %s", name, half)
	}
	if !s.Gangplan.Running() {
		s.Errorf("gangplan has ended by itself, see %s", s.Gangplan.Log)
	} else if s.Failed() {
		s.logWaiting()
	}
	if code := s.Stop(); code != 0 {
		s.Errorf("gangplan ended with exit code %d when asked to stop, see %s", code, s.Gangplan.Log)
	}
	if s.Failed() {
		s.Logf("logs: %s (of this test: %s and its neighbours)", plane.Env.Directory, s.Gangplan.Log)
	}
	start := time.Now()
	s.must(plane.DeleteEverything())
	view.Wait(s, "an empty cluster", func() (bool, string) {
		pods, _ := view.Count("")
		return pods == 0, fmt.Sprintf("%d pods", pods)
	})
	s.Logf("cleared in %s", seconds(time.Since(start)))
}

// fill makes pods of another scheduler that take so many GPUs of each node, and waits until the watch
// shows them: whoever is placed next finds the rest.
func (s scenario) fill(name string, gpus int, nodes ...string) {
	s.Helper()
	s.fillAt("", name, gpus, nodes...)
}

// fillFirm is fill with pods that give way to nobody here.
func (s scenario) fillFirm(name string, gpus int, nodes ...string) {
	s.Helper()
	s.must(plane.CreatePriority("firm", 2000))
	s.fillAt("firm", name, gpus, nodes...)
}

func (s scenario) fillAt(priority, name string, gpus int, nodes ...string) {
	s.Helper()
	before, _ := view.Count(name)
	s.must(plane.FillAt(priority, name, gpus, nodes...))
	view.Wait(s, name+" is seen", func() (bool, string) {
		pods, _ := view.Count(name)
		return pods == before+len(nodes), fmt.Sprintf("%d of %d pods", pods-before, len(nodes))
	})
}

// logWaiting logs what Gangplan and the scheduler say of each gang that waits, one pod of each gang.
func (s scenario) logWaiting() {
	if groups, err := s.Probe("/v1/groups"); err == nil {
		s.Logf("groups of gangplan: %s", groups)
	}
	told := map[string]bool{}
	for _, pod := range view.Pods("") {
		name := pod.Labels[harness.NameLabel]
		if pod.Spec.NodeName != "" || told[name] {
			continue
		}
		told[name] = true
		explained, err := s.Probe("/v1/explain/" + pod.Namespace + "/" + pod.Name)
		s.Logf("%s waits: %q; gangplan: %s %v", pod.Name, whyWaiting(pod), explained, err)
	}
}

// fromEnvironment is the number of this variable, or `otherwise` without it.
func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return number
}

func (s scenario) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// halfGangs is every gang of which some members are bound, but fewer than belong to it.
func halfGangs() map[string]string {
	bound, size := map[string]int{}, map[string]int{}
	for _, pod := range view.Pods("") {
		_, placed := pod.Annotations[harness.PlaceKey]
		_, grouped := pod.Annotations[harness.GroupKey]
		_, sakkara := pod.Labels[harness.SakkaraPodGroup]
		if !placed && !grouped && !sakkara || pod.DeletionTimestamp != nil {
			continue
		}
		name := pod.Labels[harness.NameLabel]
		if named, err := strconv.Atoi(pod.Annotations[harness.SizeKey]); err == nil {
			size[name] = named
		} else {
			size[name]++ // a Job or a group of Sakkara's: all of its pods
		}
		if pod.Spec.NodeName != "" {
			bound[name]++
		}
	}
	half := map[string]string{}
	for name, count := range bound {
		if count != size[name] {
			half[name] = fmt.Sprintf("%d of %d", count, size[name])
		}
	}
	return half
}

// told is how many pods of the batch bear a message with these words on why they wait, and the text
// of one of them; of one without the words, if there is any.
func told(name, words string) (int, string) {
	count, with, without := 0, "", ""
	for _, pod := range view.Pods(name) {
		message := whyWaiting(pod)
		if message != "" && strings.Contains(message, words) {
			count, with = count+1, message
		} else if message != "" {
			without = message
		}
	}
	if without != "" {
		return count, without
	}
	return count, with
}

func whyWaiting(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Message
		}
	}
	return ""
}

// allNodesBut is every node of the shape that is not in the list.
func allNodesBut(kept ...string) []string {
	keep := map[string]bool{}
	for _, name := range kept {
		keep[name] = true
	}
	var others []string
	for _, name := range shape.NodeNames() {
		if !keep[name] {
			others = append(others, name)
		}
	}
	return others
}

// waitHeld waits until that many members of the gang are held in bind.
func (s scenario) waitHeld(name string, count int) {
	s.Helper()
	taken := view.Wait(s, fmt.Sprintf("%s: %d members held in bind", name, count),
		func() (bool, string) {
			held := s.Verbs.Held(name)
			return held == count, fmt.Sprintf("%d held", held)
		})
	s.Logf("%s: %d members are held in bind after %s", name, count, seconds(taken))
}

// waitBound waits for the whole gang and prints the time.
func (s scenario) waitBound(name string, count int) {
	s.Helper()
	taken := view.WaitBound(s, name, count)
	s.Logf("%s: %d pods bound after %s", name, count, seconds(taken))
}
