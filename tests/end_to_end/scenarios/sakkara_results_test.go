package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

var sakkaraTimes = []string{"schedBeginTime", "schedEndTime", "schedTotalTimeMilli",
	"schedSolverTimeMilli"}

// selectorOf finds the Events that regard a ConfigMap as it is now, not one of an earlier test.
func (s scenario) selectorOf(namespace, name string) string {
	s.Helper()
	object, err := plane.ConfigMap(namespace, name)
	s.must(err)
	return "involvedObject.uid=" + string(object.UID)
}

// waitTold waits until that many pods say why they wait with these words.
func (s scenario) waitTold(name string, count int, words string) {
	s.Helper()
	var text string
	taken := view.Wait(s, name+": why it waits", func() (bool, string) {
		var have int
		have, text = told(name, words)
		return have == count, fmt.Sprintf("%d of %d: %s", have, count, text)
	})
	s.Logf("%s waits, told after %s: %s", name, seconds(taken), text)
}

func (s scenario) waitStatus(group, status string) *corev1.ConfigMap {
	s.Helper()
	return s.waitObject(group, func(o *corev1.ConfigMap) bool { return o.Data["status"] == status })
}

// waitResults waits until the object and all pods say that the group is bound, and for what else is
// asked of the object.
func (s scenario) waitResults(group string, holds func(*corev1.ConfigMap) bool) *corev1.ConfigMap {
	s.Helper()
	return s.waitObject(group, func(o *corev1.ConfigMap) bool {
		for _, pod := range view.Pods(group) {
			if pod.Labels[harness.SakkaraMemberStatus] != "Bound" {
				return false
			}
		}
		return o.Data["status"] == "Bound" && (holds == nil || holds(o))
	})
}

func (s scenario) waitObject(group string, holds func(*corev1.ConfigMap) bool) *corev1.ConfigMap {
	s.Helper()
	var object *corev1.ConfigMap
	taken := view.Wait(s, "the results of group "+group, func() (bool, string) {
		var err error
		object, err = plane.ConfigMap(harness.Namespace, group)
		s.must(err)
		return holds(object), fmt.Sprint(object.Data)
	})
	s.Logf("%s: its object says %s after %s", group, object.Data["status"], seconds(taken))
	return object
}

// in is the rack of a node in this tree; empty when it is not in it.
func in(racks harness.Racks) func(node string) string {
	rackOf := map[string]string{}
	for rack, nodes := range racks {
		for _, node := range nodes {
			rackOf[node] = rack
		}
	}
	return func(node string) string { return rackOf[node] }
}

func (s scenario) checkResults(group string, racks harness.Racks, object *corev1.ConfigMap) {
	s.Helper()
	s.checkPlacement(group, racks, object)
	s.checkTimes(object)
}

// checkPlacement compares what the object and the pods' labels say with where the pods are.
func (s scenario) checkPlacement(group string, racks harness.Racks, object *corev1.ConfigMap) {
	s.Helper()
	rackOf := in(racks)
	type pods map[string]struct{}
	want := map[string]map[string]map[string]pods{"root": {}}
	for pod, node := range places(group) {
		rack := rackOf(node)
		if want["root"][rack] == nil {
			want["root"][rack] = map[string]pods{}
		}
		if want["root"][rack][node] == nil {
			want["root"][rack][node] = pods{}
		}
		want["root"][rack][node][pod] = struct{}{}
	}
	wanted, err := json.Marshal(want)
	s.must(err)
	if got := object.Data["placement"]; got != string(wanted) {
		s.Errorf("%s has the placement\n%s\nand its pods are at\n%s", group, got, wanted)
	}
	s.checkRanks(group, rackOf, object)
}

// checkRanks looks at whether ranks are 0 to the last, and rise with the distance from the master.
func (s scenario) checkRanks(group string, rackOf func(string) string,
	object *corev1.ConfigMap) {
	s.Helper()
	var texts []string
	var master string
	last := 0
	for rank := range view.Bound(group) {
		pod := s.withRank(group, rank)
		if rank == 0 {
			master = pod.Spec.NodeName
			if !strings.Contains(pod.Name, "master") {
				s.Errorf("%s has rank 0", pod.Name)
			}
		}
		distance := 2
		if pod.Spec.NodeName == master {
			distance = 0
		} else if rackOf(pod.Spec.NodeName) == rackOf(master) {
			distance = 1
		}
		if distance < last {
			s.Errorf("rank %d on %s is nearer to the master on %s than the rank before it", rank,
				pod.Spec.NodeName, master)
		}
		last = distance
		texts = append(texts, fmt.Sprintf("(%s,%d)", pod.Name, rank))
	}
	if want := "[" + strings.Join(texts, " ") + "]"; object.Data["rank"] != want {
		s.Errorf("%s has the ranks\n%s\nand by its pods' labels\n%s", group, object.Data["rank"], want)
	}
}

// withRank is the one pod whose label tells this rank.
func (s scenario) withRank(group string, rank int) *corev1.Pod {
	s.Helper()
	pods := slices.DeleteFunc(view.Bound(group), func(pod *corev1.Pod) bool {
		return pod.Labels[harness.SakkaraRank] != strconv.Itoa(rank)
	})
	if len(pods) != 1 {
		s.Fatalf("%d pods of %s have rank %d", len(pods), group, rank)
	}
	return pods[0]
}

func (s scenario) checkTimes(object *corev1.ConfigMap) {
	s.Helper()
	begin, err := time.Parse(time.RFC3339Nano, object.Data["schedBeginTime"])
	s.must(err)
	end, err := time.Parse(time.RFC3339Nano, object.Data["schedEndTime"])
	s.must(err)
	if end.Before(begin) {
		s.Errorf("%s began %s and ended %s", object.Name, begin, end)
	}
	total := strconv.FormatInt(end.Sub(begin).Milliseconds(), 10)
	if got := object.Data["schedTotalTimeMilli"]; got != total {
		s.Errorf("%s took %q ms; its ends are %s ms apart", object.Name, got, total)
	}
	if _, err := strconv.Atoi(object.Data["schedSolverTimeMilli"]); err != nil {
		s.Errorf("%s: schedSolverTimeMilli: %v", object.Name, err)
	}
}

func (s scenario) checkSameData(got, want *corev1.ConfigMap) {
	s.Helper()
	if !maps.Equal(got.Data, want.Data) {
		s.Errorf("%s said\n%v\nand says\n%v", want.Name, want.Data, got.Data)
	}
}

func (s scenario) checkSameTimes(got, want *corev1.ConfigMap) {
	s.Helper()
	for _, key := range sakkaraTimes {
		if got.Data[key] != want.Data[key] {
			s.Errorf("%s said %s %q and says %q", want.Name, key, want.Data[key], got.Data[key])
		}
	}
}
