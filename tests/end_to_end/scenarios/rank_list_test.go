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
		s.must(plane.RevokeRankLists())
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
	// What tells whose list it is, once the pods that it names run where it says.
	listOf := func() string {
		s.Helper()
		object, err := plane.ConfigMap(harness.Namespace, "hosts")
		s.must(err)
		var placement struct{ Pods []struct{ Pod, Node string } }
		s.must(json.Unmarshal([]byte(object.Data["placement.json"]), &placement))
		view.Wait(s, "the pods of the list run where it says", func() (bool, string) {
			nodes := map[string]string{}
			for _, pod := range view.Bound("mpi") {
				nodes[pod.Name] = pod.Spec.NodeName
			}
			there := 0
			for _, one := range placement.Pods {
				if nodes[one.Pod] == one.Node {
					there++
				}
			}
			return there == 8, fmt.Sprintf("%d of 8", there)
		})
		return object.Data["list-of"]
	}
	s.waitHosts("the list", whole)
	first := listOf()

	s.Gangplan.Kill()
	s.must(plane.DeleteJob("mpi"))
	s.must(s.StartGangplan())
	s.waitHosts("no list once the gang is gone", gone)
	again := harness.Job(harness.GangJob("mpi", 1, "rack=pack!"), 8)
	again.Spec.Template.Spec.Subdomain = "mpi"
	s.must(plane.Submit(again))
	s.waitHosts("the list of the next gang", whole)
	if second := listOf(); second == first || second == "" {
		s.Errorf("the list is of %q; the gang before was %q", second, first)
	}
}
