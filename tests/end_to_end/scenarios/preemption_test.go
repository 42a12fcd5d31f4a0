package scenarios

import (
	"context"
	"fmt"
	"math/rand"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"gangplan.io/tests/end_to_end/harness"
)

// urgent is the pod of a gang that others give way to.
func (s scenario) urgent(name, place string) harness.PodSpec {
	s.Helper()
	s.must(plane.CreatePriority("urgent", 1000))
	spec := harness.GangJob(name, 1, place)
	spec.Priority = "urgent"
	return spec
}

// runs waits until the gang is bound, and says of each of its pods that it runs.
func (s scenario) runs(name string, members int) {
	s.Helper()
	s.waitBound(name, members)
	for _, pod := range view.Bound(name) {
		s.must(plane.Run(pod.Name))
	}
}

// gone waits until nothing of the gang is bound.
func (s scenario) gone(name string) {
	s.Helper()
	view.Wait(s, name+" has gone as a whole", func() (bool, string) {
		_, bound := view.Count(name)
		return bound == 0, fmt.Sprintf("%d bound", bound)
	})
}

// lesserGangs has two gangs of 40, small and other, run on what is free, without a priority.
func (s scenario) lesserGangs() {
	s.Helper()
	for _, name := range []string{"small", "other"} {
		s.must(plane.CreateJob(harness.GangJob(name, 1, "rack=pack!"), 40))
		s.runs(name, 40)
	}
}

// A gang of 64 finds the one free rack held by two gangs of 40. Both have to go, and go as wholes;
// their owners are told for whom, and why.
func TestTwoGangsGiveWay(t *testing.T) {
	const members = 64
	s := begin(t, harness.Options{Preemption: true})
	s.fillFirm("fill", 8, allNodesBut(shape.RackNodes(1, 7)...)...)
	s.lesserGangs()
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), members))
	s.waitBound("urgent", members)
	s.checkExtent(view.Bound("urgent"), 1, 1, members/8)
	for _, name := range []string{"small", "other"} {
		s.gone(name)
		s.checkEvent("involvedObject.kind=Job,involvedObject.name="+name, "GangPreempted",
			"gives way as a whole to gang default/urgent of 64, priority 1000, which would wait otherwise: "+
				"gang default/urgent: 64 members must share one rack")
	}
}

// Two gangs want the one rack that lesser gangs have. One of them gets it, whole; the other one waits
// without a pod bound, evicts nobody in vain, and has the rack next.
func TestTwoGangsWantOneRack(t *testing.T) {
	const members = 64
	s := begin(t, harness.Options{Preemption: true})
	s.fillFirm("fill", 8, allNodesBut(shape.RackNodes(1, 7)...)...)
	s.lesserGangs()
	first, second := s.urgent("first", "rack=pack!"), s.urgent("second", "rack=pack!")
	s.must(harness.InParallel([]harness.PodSpec{first, second}, func(spec harness.PodSpec) error {
		return plane.CreateJob(spec, members)
	}))
	winner, loser := "", ""
	view.Wait(s, "one of both has the rack", func() (bool, string) {
		_, one := view.Count("first")
		_, two := view.Count("second")
		winner, loser = "first", "second"
		if two > one {
			winner, loser = loser, winner
		}
		return max(one, two) == members, fmt.Sprintf("%d and %d bound", one, two)
	})
	view.Never(s, "the other one has begun, or the first one has given way", time.Second, func() (bool, string) {
		_, has := view.Count(winner)
		_, waits := view.Count(loser)
		return has != members || waits != 0, fmt.Sprintf("%d and %d bound", has, waits)
	})
	s.gone("small")
	s.gone("other")
	s.must(plane.DeleteJob(winner))
	s.waitBound(loser, members)
	s.checkExtent(view.Bound(loser), 1, 1, len(nodesOf(loser)))
}

// Pods of Deployments give way to a gang, no more of them than it needs: none of its own priority, and of
// those of a budget as many as that allows.
func TestPodsOfNoGangGiveWay(t *testing.T) {
	const members = 8 // on a rack of ten nodes, all of them taken
	s := begin(t, harness.Options{Preemption: true})
	rack := shape.RackNodes(1, 7)
	s.fillFirm("fill", 8, allNodesBut(rack...)...)
	s.must(plane.CreatePriority("low", -10))
	urgent := s.urgent("urgent", "rack=pack!")
	urgent.GPUs = 8
	pods := map[string]int{"web": 7, "kept": 2, "equal": 1}
	for _, name := range []string{"web", "kept", "equal"} {
		spec := harness.PodSpec{Name: name, GPUs: 8, Scheduler: harness.GangScheduler, Priority: "low"}
		if name == "equal" {
			spec.Priority = urgent.Priority
		}
		s.must(plane.CreateDeployment(spec, pods[name]))
		s.runs(name, pods[name])
	}
	gone := view.Bound("web")[0].Name
	s.allow("kept", 2, 1)
	s.must(plane.CreateJob(urgent, members))
	s.waitBound("urgent", members)
	s.checkExtent(view.Bound("urgent"), 1, 1, members)
	for name, left := range map[string]int{"web": 0, "kept": 1, "equal": 1} {
		if _, bound := view.Count(name); bound != left {
			s.Errorf("%d of the %d pods of %s are bound, expected %d", bound, pods[name], name, left)
		}
	}
	s.checkEvent("involvedObject.kind=Pod,involvedObject.name="+gone, "PodPreempted",
		"priority -10, gives way to gang default/urgent of 8, priority 1000, which would wait otherwise: ")
}

// The gang of the least priority may not be evicted, for a disruption budget: it stays whole, and the
// next one goes. Likewise where the budget allows each of its pods to go, and not all of them.
func TestBudgetKeepsAGang(t *testing.T) {
	t.Run("none may go", func(t *testing.T) { budgetKeepsAGang(t, 0) })
	t.Run("one may go", func(t *testing.T) { budgetKeepsAGang(t, 1) })
}

func budgetKeepsAGang(t *testing.T, allowed int32) {
	const members = 80
	s := begin(t, harness.Options{Preemption: true})
	s.runKeptAndNext(members)
	s.allow("kept", members, allowed)
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), members))
	s.waitBound("urgent", members)
	if _, bound := view.Count("kept"); bound != members {
		s.Errorf("%d of the %d pods that a budget keeps are bound", bound, members)
	}
	s.gone("next")
}

// runKeptAndNext has two gangs fill the only racks with room: "kept", of the least priority, and "next".
func (s scenario) runKeptAndNext(members int) {
	s.Helper()
	racks := append(shape.RackNodes(2, 1), shape.RackNodes(2, 2)...)
	s.fillFirm("fill", 8, allNodesBut(racks...)...)
	s.must(plane.CreatePriority("better", 10))
	kept, next := harness.GangJob("kept", 1, "rack=pack!"), harness.GangJob("next", 1, "rack=pack!")
	next.Priority = "better"
	s.must(plane.CreateJob(kept, members))
	s.runs("kept", members)
	s.must(plane.CreateJob(next, members))
	s.runs("next", members)
}

// allow makes a budget for the Job's pods that allows so many to go now, as its controller, which does
// not run here, would say.
func (s scenario) allow(name string, pods, allowed int32) {
	s.Helper()
	budgets := plane.Client.PolicyV1().PodDisruptionBudgets(harness.Namespace)
	ctx := context.Background()
	least := intstr.FromInt32(pods - allowed)
	budget, err := budgets.Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &least,
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{harness.NameLabel: name}},
		},
	}, metav1.CreateOptions{})
	s.must(err)
	s.Cleanup(func() { s.must(budgets.Delete(ctx, name, metav1.DeleteOptions{})) })
	s.allows(budget, pods, allowed)
}

// allows says in the budget that so many may go from now on.
func (s scenario) allows(budget *policyv1.PodDisruptionBudget, pods, allowed int32) {
	s.Helper()
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation,
		CurrentHealthy: pods,
		DesiredHealthy: pods - allowed, DisruptionsAllowed: allowed, ExpectedPods: pods}
	_, err := plane.Client.PolicyV1().PodDisruptionBudgets(budget.Namespace).UpdateStatus(context.Background(),
		budget, metav1.UpdateOptions{})
	s.must(err)
}

// A budget allows the gang of the least priority to go when all of its pods are asked about, and nobody
// when the first one is evicted: it stays whole, without a mark, and the next gang goes.
func TestBudgetChangesAfterTheDryRun(t *testing.T) {
	const members = 80
	s := begin(t, harness.Options{Preemption: true, Proxy: true})
	s.runKeptAndNext(members)
	s.allow("kept", members, members)
	s.API.HoldWrites("/eviction", 0)
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), members))
	view.Wait(s, "the first eviction is held back", func() (bool, string) {
		return s.API.Stalled() > 0, ""
	})
	marked := func() int {
		count := 0
		for _, pod := range view.Bound("kept") {
			if pod.Annotations[evictedFor] != "" {
				count++
			}
		}
		return count
	}
	view.Wait(s, "one of its pods is marked", func() (bool, string) { return marked() == 1, "" })
	budget, err := plane.Client.PolicyV1().PodDisruptionBudgets(harness.Namespace).Get(context.Background(), "kept",
		metav1.GetOptions{})
	s.must(err)
	s.allows(budget, members, 0)
	s.API.Resume()
	s.waitBound("urgent", members)
	s.gone("next")
	view.Wait(s, "its mark is taken back", func() (bool, string) { return marked() == 0, "" })
	for _, pod := range view.Pods("kept") {
		if pod.DeletionTimestamp != nil {
			s.Errorf("%s goes, of a gang that a budget keeps", pod.Name)
		}
	}
	if job, err := plane.Job("kept"); err != nil || job.Status.Failed > 0 {
		s.Errorf("kept: %d pods failed (%v)", job.Status.Failed, err)
	}
	if _, bound := view.Count("kept"); bound != members {
		s.Errorf("%d of the %d pods that a budget keeps are bound", bound, members)
	}
}

const evictedFor = "gangplan.io/evicted-for"

// A Job that gives way is suspended: none of its pods has failed, and it starts again when there is
// room, though nobody had suspended it before.
func TestJobThatGivesWayIsSuspended(t *testing.T) {
	const members = 40
	s := begin(t, harness.Options{Preemption: true, Suspended: true})
	s.fillFirm("fill", 8, allNodesBut(shape.RackNodes(0, 6)[:5]...)...)
	s.must(plane.CreateJob(harness.GangJob("patient", 1, "rack=pack!"), members))
	s.runs("patient", members)
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), members))
	s.waitBound("urgent", members)
	job, err := plane.Job("patient")
	s.must(err)
	if !isSuspended(job) || job.Labels[harness.SuspendedKey] == "" || job.Status.Failed != 0 {
		s.Errorf("suspended: %v, labels %v, %d pods failed", isSuspended(job), job.Labels, job.Status.Failed)
	}
	s.waitsWithoutPods("patient")
	s.must(plane.DeleteJob("urgent"))
	s.waitBound("patient", members)
}

// Gangplan dies at any moment of an eviction, again and again. In the end the gang has its rack, and
// of those that gave way nothing is left of any that has lost a pod. Five times by default, 20
// with `run --all`, or as often as GANGPLAN_KILLS says.
//
// By the switch of their Jobs none of their pods fails.
func TestKilledWhileGangsGiveWay(t *testing.T) {
	t.Run("pod by pod", func(t *testing.T) { killedWhileGangsGiveWay(t, false) })
	t.Run("by the switch", func(t *testing.T) { killedWhileGangsGiveWay(t, true) })
}

func killedWhileGangsGiveWay(t *testing.T, suspended bool) {
	const members = 64
	kills := fromEnvironment(t, "GANGPLAN_KILLS", 5)
	s := begin(t, harness.Options{Preemption: true, Suspended: suspended})
	random := rand.New(rand.NewSource(1))
	s.fillFirm("fill", 8, allNodesBut(shape.RackNodes(3, 3)...)...)
	s.lesserGangs()
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), members))
	for range kills {
		time.Sleep(time.Duration(random.Intn(150)) * time.Millisecond)
		s.Gangplan.Kill()
		s.must(s.StartGangplan())
	}
	s.waitBound("urgent", members)
	s.checkExtent(view.Bound("urgent"), 1, 1, members/8)
	for _, name := range []string{"small", "other"} {
		s.gone(name)
		if job, err := plane.Job(name); err != nil || suspended && (!isSuspended(job) || job.Status.Failed > 0) {
			s.Errorf("%s: suspended %v, %d pods failed (%v)", name, isSuspended(job), job.Status.Failed, err)
		}
	}
}

// Likewise, but surely in the midst: some pods of a gang are on their way out, and the others' evictions
// are held back.
func TestKilledBetweenEvictions(t *testing.T) {
	const members, each = 64, 40
	s := begin(t, harness.Options{Preemption: true, Proxy: true})
	s.fillFirm("fill", 8, allNodesBut(shape.RackNodes(3, 3)...)...)
	s.lesserGangs()
	s.API.HoldWrites("/eviction", 1+rand.New(rand.NewSource(2)).Intn(each-2))
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), members))
	view.Wait(s, "evictions are held back", func() (bool, string) {
		return s.API.Stalled() > 0, ""
	})
	going := 0
	view.Wait(s, "some pods are on their way out", func() (bool, string) {
		_, small := view.Count("small")
		_, other := view.Count("other")
		going = 2*each - small - other
		return going > 0, ""
	})
	s.Logf("killed when %d of %d pods that give way were on their way out", going, 2*each)
	if going >= each {
		s.Errorf("all of a gang had gone before the kill")
	}
	s.Gangplan.Kill()
	view.Wait(s, "what was held back is given up", func() (bool, string) {
		return s.API.Stalled() == 0, ""
	})
	s.API.Resume()
	s.must(s.StartGangplan())
	s.waitBound("urgent", members)
	s.checkExtent(view.Bound("urgent"), 1, 1, members/8)
	s.gone("small")
	s.gone("other")
}
