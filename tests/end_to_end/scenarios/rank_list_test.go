package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// hostfile is what the ConfigMap hosts says now; nothing: it has no such key.
func (s scenario) hostfile() (text string, is bool) {
	s.Helper()
	object, err := plane.ConfigMap(harness.Namespace, "hosts")
	s.must(err)
	text, is = object.Data["hostfile"]
	return text, is
}

func (s scenario) waitHosts(what string, holds func(text string, is bool) bool) {
	s.Helper()
	taken := view.Wait(s, what, func() (bool, string) {
		text, is := s.hostfile()
		return holds(text, is), fmt.Sprintf("%v %q", is, text)
	})
	s.Logf("%s after %s", what, seconds(taken))
}

// The example: a Job whose ranks are written to a ConfigMap, by the hosts that its pods have by the
// Job's own controller. The list goes with the gang, and the next gang of its name has one of its own,
// also where Gangplan was killed meanwhile.
func TestRankList(t *testing.T) {
	s := begin(t, harness.Options{RankLists: true})
	s.must(plane.GrantRankLists())
	s.must(plane.ApplyExample("hostfile.yaml", "mpi"))
	s.Cleanup(func() {
		s.must(plane.Client.CoreV1().Services(harness.Namespace).Delete(context.Background(), "mpi",
			metav1.DeleteOptions{}))
		s.must(plane.DeleteConfigMap(harness.Namespace, "hosts"))
	})
	want := ""
	for rank := range 8 {
		want += fmt.Sprintf("mpi-%d.mpi\n", rank)
	}
	whole := func(text string, is bool) bool { return is && text == want }
	gone := func(_ string, is bool) bool { return !is }
	incarnation := func() string {
		s.Helper()
		nodes := s.nodesByRank("mpi", 8)
		object, err := plane.ConfigMap(harness.Namespace, "hosts")
		s.must(err)
		var placement struct {
			Gang, Incarnation string
			Pods              []struct{ Node string }
		}
		s.must(json.Unmarshal([]byte(object.Data["placement.json"]), &placement))
		for rank, node := range nodes {
			if placement.Pods[rank].Node != node {
				s.Errorf("rank %d is told to be on %s; it is on %s", rank, placement.Pods[rank].Node, node)
			}
		}
		return placement.Incarnation
	}
	s.waitHosts("the list", whole)
	first := incarnation()

	s.Gangplan.Kill()
	s.must(plane.DeleteJob("mpi"))
	s.must(s.StartGangplan())
	s.waitHosts("no list once the gang is gone", gone)
	again := harness.Job(harness.GangJob("mpi", 1, "rack=pack!"), 8)
	again.Spec.Template.Spec.Subdomain = "mpi"
	s.must(plane.Submit(again))
	s.waitHosts("the list of the next gang", whole)
	if second := incarnation(); second == first || second == "" {
		s.Errorf("the list is of %q; the gang before was %q", second, first)
	}
}
