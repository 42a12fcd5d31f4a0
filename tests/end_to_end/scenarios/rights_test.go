package scenarios

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// docs/rights.md tells of each right of Gangplan's what stops without it, and who is told what. Here
// each is taken away in turn, and both must be so.

// TestEachRightIsMissed also holds the table to the roles: each right has its rows, and no other.
func TestEachRightIsMissed(t *testing.T) {
	rows := rightsTable(t)
	rights, err := plane.OwnRights()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	acts := losses()
	for _, row := range rows {
		named[row.right] = true
		t.Run(row.part+": "+row.right, func(t *testing.T) { row.lose(t, acts[row.part+": "+row.right]) })
		delete(acts, row.part+": "+row.right)
	}
	if !maps.Equal(named, rights) {
		t.Errorf("docs/rights.md has no row of %q, and rows of no right: %q", without(rights, named),
			without(named, rights))
	}
	for name := range acts {
		t.Errorf("docs/rights.md has no row of %s", name)
	}
}

// loss is what is done in a cluster without a right, and what must not come of it.
type loss struct {
	options harness.Options
	act     func(s scenario)
}

// rightsRow is one of the table: who is told is "log" (Gangplan's own), "pod" (why it waits), "Event" (on
// Gangplan's own pod, of that reason) or "nobody".
//
// A row that ends in untried stands there for its reader alone.
type rightsRow struct{ part, right, stops, who, words string }

const untried = " (not tried)"

func rightsTable(t *testing.T) (rows []rightsRow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/rights.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| part | right | without it | who is told |\n|---|---|---|---|\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 4 {
			break
		}
		who, words, _ := strings.Cut(cells[3], ": ")
		for _, right := range strings.Split(cells[1], ", ") {
			rows = append(rows, rightsRow{cells[0], strings.Trim(right, "`"), cells[2], who, strings.Trim(words, "`")})
		}
	}
	return rows
}

// group and resource as a role has them.
func (r rightsRow) parts() (group, resource, verb string) {
	resource, verb, _ = strings.Cut(r.right, " ")
	if before, after, found := strings.Cut(resource, "/"); found && before != "pods" {
		group, resource = before, after
	}
	return group, resource, verb
}

func (r rightsRow) lose(t *testing.T, one loss) {
	if strings.HasSuffix(r.who+r.words, untried) {
		t.Skip("the table says that it is not tried")
	}
	group, resource, verb := r.parts()
	if one.act == nil {
		one = r.unseen(verb)
	}
	if one.act == nil {
		t.Fatal("nothing is known of such a right")
	}
	giveBack, err := plane.TakeRight(group, resource, verb)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := giveBack(); err != nil {
			t.Fatal(err)
		}
	})
	if one.options.Provisioning != "" {
		serveProvisioning(t)
	}
	if r.who == "Event" {
		beOwnPod(t)
	}
	s := begin(t, one.options)
	one.act(s)
	switch r.who {
	case "Event":
		s.checkEvent(ofOwnPod, r.words, "")
	case "log":
		s.waitLogged(r.words)
	case "pod":
		view.Wait(s, "a pod is told "+r.words, func() (bool, string) {
			for _, pod := range view.Pods("") {
				if strings.Contains(whyWaiting(pod), r.words) {
					return true, ""
				}
			}
			return false, "no pod is"
		})
	default:
		s.Errorf("who is %q?", r.who)
	}
}

// unseen is the loss of a list or of a watch: the table says what of it makes Gangplan never ready.
func (r rightsRow) unseen(verb string) loss {
	options := harness.Options{Alone: true, Unready: true, Suspended: strings.HasPrefix(r.part, "suspend") || r.part == "admission", Checks: r.part == "admission-checks",
		Sakkara: r.part == "sakkara", Kueue: strings.HasPrefix(r.part, "kueue")}
	switch {
	case strings.HasPrefix(r.stops, "never ready"):
		return loss{options, neverReady}
	case verb == "list" || verb == "watch":
		return loss{options, func(s scenario) { s.must(s.AwaitReady()) }}
	}
	return loss{}
}

// missesTopology: one is made after the list.
func missesTopology(s scenario) {
	s.Cleanup(func() { s.must(plane.RemoveTopologies()) })
	s.must(plane.InstallTopologies("v1beta2"))
	s.waitLogged("watch: 403")
	s.must(plane.CreateTopology("v1beta2", "default", harness.BlockLabel, harness.RackLabel))
	neverReady(s)
}

func neverReady(s scenario) {
	s.Helper()
	view.Never(s, "gangplan is ready", time.Second, func() (bool, string) {
		_, err := s.Probe("/readyz")
		return err == nil, fmt.Sprint(err)
	})
}

// losses are those of writes and single reads, by the table's part and right.
func losses() map[string]loss {
	const two = "two"
	plain := func(s scenario) {
		s.must(plane.CreateJob(harness.GangJob(two, 8, "rack=pack!"), 2))
		s.staysUnbound(two)
	}
	all := map[string]loss{
		"core: pods/binding create": {harness.Options{}, plain},
		"core: pods watch": {harness.Options{Unready: true}, func(s scenario) {
			s.must(s.AwaitReady())
			s.must(plane.CreateJob(harness.Foreign("plain", 1), 1))
			s.waitHeld("plain", 1) // the watch never shows it
			s.staysUnbound("plain")
		}},
		"core: events.k8s.io/events create": {harness.Options{}, func(s scenario) {
			s.must(plane.CreateJob(harness.GangJob(two, 8, "rack=pack!"), 2))
			s.waitBound(two, 2)                                         // whoever was never asked tells nobody anything
			s.must(plane.CreateJob(harness.GangJob("never", 9, ""), 2)) // nodes have eight
		}},
		"nominations: pods/status patch": {harness.Options{}, func(s scenario) {
			s.must(plane.CreateJob(harness.GangJob(two, 8, "rack=pack!"), 2))
			s.waitBound(two, 2)
			if nominated := view.Nominated(two); nominated > 0 {
				s.Errorf("%d pods were nominated", nominated)
			}
		}},
		"wakes: pods patch": {harness.Options{Annotate: true}, func(s scenario) {
			// More than a rack has at first, and as nothing in the cluster changes when less is asked, only
			// Gangplan can have the scheduler try its pods again.
			s.must(plane.CreateJob(harness.GangJob(two, 8, "rack=pack! | after 1s: rack=pack"), shape.Nodes+1))
		}},
		"gates: pods patch": {harness.Options{Gates: "gangplan"}, func(s scenario) {
			s.must(plane.CreateJob(harness.GatedJob(two, 4, "rack=pack!"), 2))
			s.waitPods(two, 2)
			s.staysGated(two, 2)
		}},
		"gates: pods/eviction create":                  {harness.Options{Gates: "gangplan", Unasked: true}, staysWithoutRoom},
		"preemption: pods patch":                       {harness.Options{Preemption: true}, nobodyGivesWay},
		"preemption: pods/eviction create":             {harness.Options{Preemption: true}, nobodyGivesWay},
		"preemption: policy/poddisruptionbudgets list": {harness.Options{Preemption: true}, nobodyGivesWay},
		"repair: pods/eviction create":                 {harness.Options{Repair: time.Second}, deletedUnmarked},
		"suspend: batch/jobs patch": {harness.Options{Suspended: true}, func(s scenario) {
			s.must(plane.Submit(harness.SuspendedJob(harness.GangJob(two, 4, "rack=pack!"), 2)))
			s.hasNoPods(two)
		}},
		"suspend-jobsets: jobset.x-k8s.io/jobsets patch": {harness.Options{Suspended: true},
			func(s scenario) {
				s.submit(training("train", true))
				s.setWaits("train")
			}},
		"jobsets: jobset.x-k8s.io/jobsets get": {harness.Options{}, func(s scenario) {
			s.submit(training("train", false))
			s.staysUnbound("train")
		}},
		"owners: batch/jobs get": {harness.Options{}, plain},
		"owners: apps/statefulsets get": {harness.Options{}, func(s scenario) {
			s.must(plane.CreateStatefulSet(harness.GangJob(two, 8, "rack=pack!"), 2, false))
			s.staysUnbound(two)
		}},
		"owners: apps/replicasets get": {harness.Options{}, func(s scenario) {
			s.must(plane.CreateReplicaSet(harness.GangJob(two, 8, "rack=pack!"), 2))
			s.Cleanup(func() { s.must(plane.DeleteReplicaSet(two)) })
			s.staysUnbound(two)
		}},
		"api: authorization.k8s.io/subjectaccessreviews create": {harness.Options{API: true, Alone: true}, missesReviews},
		"sakkara: configmaps patch":                             {harness.Options{Sakkara: true}, sakkaraUntold},
		"kueue: kueue.x-k8s.io/topologies watch": {harness.Options{Alone: true, Unready: true, Kueue: true},
			missesTopology},
	}
	maps.Copy(all, missesProvisioning())
	for group, label := range map[string]string{"scheduling.x-k8s.io": podGroupLabel,
		"scheduling.sigs.k8s.io": "pod-group.scheduling.sigs.k8s.io", "scheduling.volcano.sh": volcanoGroup} {
		all["pod-groups: "+group+"/podgroups get"] = loss{harness.Options{}, func(s scenario) {
			pod := harness.GangJob(two, 8, "rack=pack!")
			pod.Label = map[string]string{label: two}
			s.must(plane.CreatePods(pod, 0, 2))
			s.staysUnbound(two)
		}}
	}
	all["pod-group-status: scheduling.x-k8s.io/podgroups/status patch"] = loss{harness.Options{}, func(s scenario) {
		s.playPodGroup(two, map[string]any{"minMember": int64(2)})
		s.must(plane.CreatePods(podOfGroup(two), 0, 2))
		s.waitBound(two, 2)
	}}
	for _, one := range []struct{ right, version, kind string }{
		{"kubeflow: kubeflow.org/pytorchjobs", "kubeflow.org/v1", "PyTorchJob"},
		{"kubeflow: kubeflow.org/tfjobs", "kubeflow.org/v1", "TFJob"},
		{"kubeflow: kubeflow.org/xgboostjobs", "kubeflow.org/v1", "XGBoostJob"},
		{"kubeflow: kubeflow.org/paddlejobs", "kubeflow.org/v1", "PaddleJob"},
		{"kubeflow: kubeflow.org/jaxjobs", "kubeflow.org/v1", "JAXJob"},
		{"kubeflow: kubeflow.org/mpijobs", "kubeflow.org/v2beta1", "MPIJob"},
		{"ray: ray.io/rayclusters", "ray.io/v1", "RayCluster"},
	} {
		all[one.right+" get"] = loss{harness.Options{}, func(s scenario) {
			s.must(plane.CreatePodOf(one.version, one.kind, harness.GangJob(two, 8, "rack=pack!")))
			s.staysUnbound(two)
		}}
	}
	return all
}

func (s scenario) staysUnbound(name string) {
	s.Helper()
	view.Never(s, name+" has a pod that is bound", time.Second, func() (bool, string) {
		_, bound := view.Count(name)
		return bound > 0, fmt.Sprintf("%d bound", bound)
	})
}

func staysWithoutRoom(s scenario) {
	_, second := takeRoomOfReleased(s, 10)
	view.Never(s, "a pod is of the other rack", time.Second, func() (bool, string) {
		return slices.ContainsFunc(view.Pods("evicted"), func(pod *corev1.Pod) bool { return mayUse(pod, second[0]) }), ""
	})
}

// nobodyGivesWay: a gang of greater priority needs the room of one that runs.
func nobodyGivesWay(s scenario) {
	s.fillFirm("fill", 8, allNodesBut(shape.RackNodes(1, 7)[:5]...)...)
	s.must(plane.CreateJob(harness.GangJob("small", 1, "rack=pack!"), 40))
	s.runs("small", 40)
	s.must(plane.CreateJob(s.urgent("urgent", "rack=pack!"), 40))
	s.staysUnbound("urgent")
}

// deletedUnmarked: a node under a gang stops answering. Its pod goes, but not by an eviction.
func deletedUnmarked(s scenario) {
	s.must(plane.CreateReplicaSet(harness.GangJob("lost", 8, "rack=pack!"), 2))
	s.Cleanup(func() { s.must(plane.DeleteReplicaSet("lost")) })
	s.waitBound("lost", 2)
	node := view.Bound("lost")[0].Spec.NodeName
	s.must(plane.SetReady(node, corev1.ConditionUnknown))
	s.Cleanup(func() { s.must(plane.SetReady(node, corev1.ConditionTrue)) })
	view.Wait(s, "its pod goes", func() (bool, string) {
		for _, pod := range view.Pods("lost") {
			if pod.Spec.NodeName == node && pod.DeletionTimestamp != nil {
				return !slices.ContainsFunc(pod.Status.Conditions, isDisrupted), "it is marked"
			}
		}
		return false, "it runs"
	})
	view.Wait(s, "the gang is whole again", func() (bool, string) {
		nodes := nodesOf("lost")
		return len(nodes) == 2 && !slices.Contains(nodes, node), fmt.Sprint(nodes)
	})
}

func isDisrupted(one corev1.PodCondition) bool { return one.Type == corev1.DisruptionTarget }

func sakkaraUntold(s scenario) {
	s.Cleanup(func() { s.must(plane.DeleteSakkaraObjects()) })
	s.must(plane.Replace(harness.SakkaraTopology("tree", sakkaraRacks(8).Tree())))
	s.must(plane.Replace(harness.SakkaraGroup("two", 2, `{"rack": {"type": "pack"}}`)))
	s.createSakkaraPods(harness.SakkaraPod("two", 8), 2)
	s.waitBound("two", 2)
}
