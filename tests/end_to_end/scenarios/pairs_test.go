package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gangplan.io/tests/end_to_end/harness"
)

// Two pairs in one cluster, each with nodes and a scheduler's name of its own: two racks each, next
// to each other in one block, of 80 GPUs a rack.
type poolPair struct {
	*harness.Pair
	pool, scheduler string
	nodes           []string
}

type poolPairs struct {
	scenario
	all []poolPair
}

// beginPools labels the nodes and starts both pairs with these options.
func beginPools(t *testing.T, options harness.Options) poolPairs {
	t.Helper()
	p := poolPairs{all: []poolPair{
		{nil, "a", harness.GangScheduler, slices.Concat(shape.RackNodes(0, 0), shape.RackNodes(0, 1))},
		{nil, "b", "gangplan-b", slices.Concat(shape.RackNodes(0, 2), shape.RackNodes(0, 3))},
	}}
	t.Cleanup(func() {
		for _, pair := range p.all {
			for _, node := range pair.nodes {
				if err := plane.LabelNode(node, harness.PoolLabel, ""); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for _, pair := range p.all {
		for _, node := range pair.nodes {
			if err := plane.LabelNode(node, harness.PoolLabel, pair.pool); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range p.all {
		options.Name, options.Pool = p.all[i].scheduler, p.all[i].pool
		if i == 0 {
			p.scenario = begin(t, options)
			p.all[i].Pair = p.scenario.Pair
			continue
		}
		pair, err := plane.StartPair(options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if code := pair.Stop(); code != 0 {
				t.Errorf("gangplan of pool b ended with exit code %d, see %s", code, pair.Gangplan.Log)
			}
		})
		p.all[i].Pair = pair
	}
	return p
}

// of is the pods of this pair's scheduler.
func (o poolPair) of(spec harness.PodSpec) harness.PodSpec {
	spec.Scheduler = o.scheduler
	return spec
}

func (o poolPair) name(of string) string { return o.pool + "-" + of }

// checkPools: every pod that is bound is on a node of its scheduler's.
func (p poolPairs) checkPools() {
	p.Helper()
	counted := map[string]int{}
	for _, pod := range view.Bound("") {
		for _, pair := range p.all {
			if pod.Spec.SchedulerName != pair.scheduler {
				continue
			}
			counted[pair.pool]++
			if !slices.Contains(pair.nodes, pod.Spec.NodeName) {
				p.Errorf("%s of %s is on %s", pod.Name, pair.scheduler, pod.Spec.NodeName)
			}
		}
	}
	p.Logf("bound in each pool: %v", counted)
}

// toldOf is the Events of Gangplan with this reason on objects whose names begin so.
func (p poolPairs) toldOf(reason, prefix string) []string {
	p.Helper()
	events, err := plane.Client.EventsV1().Events(harness.Namespace).List(context.Background(),
		metav1.ListOptions{})
	p.must(err)
	var notes []string
	for _, event := range events.Items {
		named := strings.HasPrefix(event.Regarding.Name, prefix)
		if event.ReportingController == "gangplan.io/extender" && event.Reason == reason && named {
			notes = append(notes, event.Note)
		}
	}
	return notes
}

// Gangs of all roads and pods of no gang for both at once, each on nodes of its own; then one pair is
// killed while gangs wait for it, the other one goes on, and it goes on itself when it is there again.
func TestTwoPairsShareACluster(t *testing.T) {
	p := beginPools(t, harness.Options{Suspended: true, Gates: "gangplan"})
	for _, pair := range p.all {
		nodes, err := pair.Metric("gangplan_nodes", "")
		p.must(err)
		others, err := pair.Metric("gangplan_foreign_nodes", "")
		p.must(err)
		if nodes != 20 || others != float64(shape.Total()-20) {
			p.Errorf("%s counts %v nodes and %v of others", pair.pool, nodes, others)
		}
	}
	for _, pair := range p.all {
		p.must(plane.CreateJob(pair.of(harness.GangJob(pair.name("asked"), 1, "rack=pack!")), 40))
		p.must(plane.Submit(harness.SuspendedJob(pair.of(harness.GangJob(pair.name("born"), 1, "rack=pack!")), 40)))
		p.must(plane.CreateJob(pair.of(harness.GatedJob(pair.name("gated"), 1, "rack=pack!")), 40))
		p.must(plane.CreatePods(pair.of(harness.Foreign(pair.name("lone"), 0)), 0, 60))
		// More than its pair has, where the other one has room by now or later.
		p.must(plane.CreateJob(pair.of(harness.GangJob(pair.name("large"), 8, "block=pack!")), 21))
	}
	for _, pair := range p.all {
		for _, gang := range []string{"asked", "born", "gated"} {
			p.waitBound(pair.name(gang), 40)
		}
		p.waitBound(pair.name("lone"), 60)
		p.waitTold(pair.name("large"), 21, "")
		if _, bound := view.Count(pair.name("large")); bound != 0 {
			p.Errorf("%d pods of %s are bound beyond the pool", bound, pair.name("large"))
		}
	}
	p.checkPools()
	for _, reason := range []string{"GateStays", "GangInvalid", "NodesLeft"} {
		for _, pair := range p.all {
			if notes := p.toldOf(reason, pair.name("")); len(notes) > 0 {
				p.Errorf("%s: %q", reason, notes)
			}
		}
	}

	a, b := p.all[0], p.all[1]
	b.Gangplan.Kill()
	b.Scheduler.Kill()
	for _, pair := range p.all {
		p.must(plane.DeleteJob(pair.name("large")))
		p.must(plane.DeleteJob(pair.name("asked")))
		p.must(plane.CreateJob(pair.of(harness.GangJob(pair.name("next"), 1, "rack=pack!")), 40))
		p.must(plane.Submit(harness.SuspendedJob(pair.of(harness.GangJob(pair.name("late"), 1, "rack=pack!")), 20)))
	}
	p.waitBound(a.name("next"), 40)
	p.waitBound(a.name("late"), 20)
	if _, bound := view.Count(b.name("next")); bound != 0 {
		p.Errorf("%d pods of %s are bound while its pair is gone", bound, b.name("next"))
	}
	p.must(b.StartGangplan())
	p.must(b.StartScheduler())
	p.waitBound(b.name("next"), 40)
	p.waitBound(b.name("late"), 20)
	p.checkPools()
}

// A node whose label changes is the other pair's at once: the gang that runs there is told and stays,
// and its new pair places beside it.
func TestANodeChangesHands(t *testing.T) {
	p := beginPools(t, harness.Options{})
	a, b := p.all[0], p.all[1]
	p.must(plane.CreateJob(a.of(harness.GangJob("stays", 4, "block=pack!")), 36))
	p.waitBound("stays", 36)
	before := view.Bound("stays")
	moved := before[0].Spec.NodeName
	p.must(plane.Fill("fill", 8, b.nodes...))
	p.must(plane.CreateJob(b.of(harness.GangJob("comes", 4, "rack=pack!")), 1))
	p.waitTold("comes", 1, "")
	p.must(plane.LabelNode(moved, harness.PoolLabel, b.pool))
	view.Wait(p, "the gang is told", func() (bool, string) {
		notes := p.toldOf("NodesLeft", "stays")
		return len(notes) == 1 && strings.Contains(notes[0], moved), fmt.Sprint(notes)
	})
	// Two of its pods take all of a node. What is made anew goes to one of its own.
	p.must(plane.DeletePod(podOn(before, moved)))
	p.waitBound("comes", 1)
	p.waitBound("stays", 36)
	if at := view.Bound("comes")[0].Spec.NodeName; at != moved {
		p.Errorf("the gang of the other pair is on %s", at)
	}
	after := map[string]string{}
	for _, pod := range view.Bound("stays") {
		after[string(pod.UID)] = pod.Spec.NodeName
	}
	gone := 0
	for _, pod := range view.Bound("stays") {
		if !slices.ContainsFunc(before, func(one *corev1.Pod) bool { return one.UID == pod.UID }) &&
			(pod.Spec.NodeName == moved || !slices.Contains(a.nodes, pod.Spec.NodeName)) {
			p.Errorf("%s was made anew on %s", pod.Name, pod.Spec.NodeName)
		}
	}
	for _, pod := range before {
		if at, stays := after[string(pod.UID)]; !stays {
			gone++
		} else if at != pod.Spec.NodeName {
			p.Errorf("%s has moved", pod.Name)
		}
	}
	if gone != 1 {
		p.Errorf("%d pods of the gang that stays are gone where one was deleted", gone)
	}
}

func podOn(pods []*corev1.Pod, node string) string {
	for _, pod := range pods {
		if pod.Spec.NodeName == node {
			return pod.Name
		}
	}
	return ""
}

// Where the scheduler tries the nodes of others, too, and offers a sample of them, its pods still go
// to their own alone.
func TestAPairWhoseSchedulerTriesAllNodes(t *testing.T) {
	p := beginPools(t, harness.Options{Offered: true})
	for _, pair := range p.all {
		p.must(plane.CreatePods(pair.of(harness.Foreign(pair.name("lone"), 0)), 0, 20))
		p.must(plane.CreateJob(pair.of(harness.GangJob(pair.name("gang"), 1, "rack=pack!")), 40))
	}
	for _, pair := range p.all {
		p.waitBound(pair.name("lone"), 20)
		p.waitBound(pair.name("gang"), 40)
	}
	p.checkPools()
}

// The policy of a pair suspends the JobSets that its Gangplan starts: those whose first template names its
// scheduler. Where the release has all nodes, one that names it anywhere is its own.
func TestSuspendPolicyOfAPair(t *testing.T) {
	needsPolicies(t)
	s := begin(t, harness.Options{})
	shell := newShell(t)
	const policy = "--show-only templates/suspend-policy.yaml " + someTopology +
		" --set suspendedJobs=true,admissionPolicies.suspend=true"
	suspends := func(schedulers ...string) bool {
		set := harness.JobSet{Name: "set"}
		for i, scheduler := range schedulers {
			spec := harness.GangJob("set", 1, "rack=pack!")
			spec.Scheduler = scheduler
			set.Parts = append(set.Parts, harness.ReplicatedJob{Name: fmt.Sprint("part-", i), Spec: spec, Jobs: 1, Pods: 1})
		}
		made, err := plane.SubmitJobSet(set, true)
		s.must(err)
		suspended, _, err := unstructured.NestedBool(made.Object, "spec", "suspend")
		s.must(err)
		return suspended
	}
	const ours, others = harness.GangScheduler, harness.ForeignScheduler
	for _, one := range []struct {
		values string
		second bool // whether one whose second template alone is ours is suspended
	}{{"", true}, {",nodes.matchLabels.pool=a", false}} {
		remove := s.applyPolicies([]byte(render(t, shell, policy+one.values)))
		s.inForce("JobSets are suspended", func() (bool, error) { return suspends(ours, ours), nil })
		if !suspends(ours, others) || suspends(others, others) {
			s.Errorf("%s: only JobSets with pods of ours are to be suspended", one.values)
		}
		if got := suspends(others, ours); got != one.second {
			s.Errorf("%s: a JobSet whose second template alone is ours: suspended: %v", one.values, got)
		}
		remove()
		s.inForce("the policy is gone", func() (bool, error) { return !suspends(ours, ours), nil })
	}
}

// The two values files of docs/pairs.md: no object is made twice, and both programs of each release
// read what is made for them.
func TestTwoReleasesShareNoObject(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	made := map[string]string{}
	for _, release := range []string{"pair-a", "pair-b"} {
		rendered, err := shell.Run(fmt.Sprintf("helm template %s config/chart --namespace %s "+
			"--kube-version 1.36.3 --values examples/%s-values.yaml", release, release, release))
		if err != nil {
			t.Fatal(err)
		}
		checkConfigurations(t, release, rendered)
		for _, o := range objectsIn(t, rendered) {
			name := fmt.Sprintf("%s %s/%s", o.text("kind"), o.text("metadata", "namespace"),
				o.text("metadata", "name"))
			if other, twice := made[name]; twice {
				t.Errorf("%s is made by %s and by %s", name, other, release)
			}
			made[name] = release
		}
		scheduler := renderedFile(t, rendered, "scheduler-configuration.yaml")
		if !strings.Contains(scheduler, "addedAffinity") {
			t.Errorf("the scheduler of %s tries all nodes:\n%s", release, scheduler)
		}
	}
	if len(made) < 20 {
		t.Errorf("only %d objects were looked at", len(made))
	}
}
