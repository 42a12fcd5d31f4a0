package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gangplan.io/tests/end_to_end/harness"
)

const (
	consumes = "autoscaling.x-k8s.io/consume-provisioning-request"
	ofClass  = "autoscaling.x-k8s.io/provisioning-class-name"
	// The garbage collector looks for new kinds each half a minute.
	collected = 90 * time.Second
)

// serveProvisioning has the kind served, to the end of the test.
func serveProvisioning(t *testing.T) {
	t.Helper()
	if err := plane.DefineProvisioning(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.RemoveProvisioning(); err != nil {
			t.Error(err)
		}
	})
}

// beginProvisioning has a full cluster: what is to come needs new nodes.
func beginProvisioning(t *testing.T, options harness.Options) scenario {
	t.Helper()
	serveProvisioning(t)
	options.Suspended, options.Provisioning = true, harness.ProvisioningClass
	s := begin(t, options)
	s.fill("fill", 8, shape.NodeNames()...)
	return s
}

// waitRequests waits until the requests for nodes that are there and stay hold, and returns them.
func (s scenario) waitRequests(what string, within time.Duration,
	holds func([]unstructured.Unstructured) bool) []unstructured.Unstructured {
	s.Helper()
	var requests []unstructured.Unstructured
	start := time.Now()
	s.must(view.Await(what, within, func() (bool, string) {
		all, err := plane.Provisioning()
		s.must(err)
		requests = nil
		for _, one := range all {
			if one.GetDeletionTimestamp() == nil {
				requests = append(requests, one)
			}
		}
		var names []string
		for _, one := range requests {
			names = append(names, one.GetName())
		}
		return holds(requests), strings.Join(names, ", ")
	}))
	s.Logf("%s after %s", what, seconds(time.Since(start)))
	return requests
}

// waitRequest waits for the one request, of this attempt.
func (s scenario) waitRequest(attempt int) string {
	s.Helper()
	end := fmt.Sprintf("-%d", attempt)
	requests := s.waitRequests("request "+end[1:], harness.Deadline, func(all []unstructured.Unstructured) bool {
		return len(all) == 1 && strings.HasSuffix(all[0].GetName(), end)
	})
	return requests[0].GetName()
}

func (s scenario) waitJobTold(reason, words string) {
	s.Helper()
	taken := view.Wait(s, reason+" is told", func() (bool, string) {
		events, err := plane.Client.EventsV1().Events(harness.Namespace).List(context.Background(),
			metav1.ListOptions{})
		s.must(err)
		for _, event := range events.Items {
			if event.Reason == reason && event.Regarding.Kind == "Job" && strings.Contains(event.Note, words) {
				return true, ""
			}
		}
		return false, "no Event"
	})
	s.Logf("%s is told after %s", reason, seconds(taken))
}

// nothingIsLeft is that neither requests nor their templates are there.
func (s scenario) nothingIsLeft() {
	s.Helper()
	s.waitRequests("no request", harness.Deadline, func(all []unstructured.Unstructured) bool { return len(all) == 0 })
	s.must(view.Await("no template", collected, func() (bool, string) {
		templates, err := plane.PodTemplates()
		s.must(err)
		return len(templates) == 0, fmt.Sprintf("%d templates", len(templates))
	}))
}

// A Job that needs a block asks for its nodes, with templates that ask for what its pods do. When it
// was told that they are provisioned, and they are there, it is placed on them; its pods say that
// they use what was booked, and the request goes.
func TestProvisioningBringsABlock(t *testing.T) {
	const members = 6
	var fresh []string
	t.Cleanup(func() {
		for _, node := range fresh {
			if err := plane.DeleteNode(node); err != nil {
				t.Error(err)
			}
		}
		view.Wait(t, "the new nodes are gone", func() (bool, string) {
			return view.Nodes() == shape.Total(), fmt.Sprintf("%d nodes", view.Nodes())
		})
	})
	s := beginProvisioning(t, harness.Options{})
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("pioneer", 8, "block=pack!"), members)))
	name := s.waitRequest(1)
	requests, err := plane.Provisioning()
	s.must(err)
	class, _, _ := unstructured.NestedString(requests[0].Object, "spec", "provisioningClassName")
	sets, _, _ := unstructured.NestedSlice(requests[0].Object, "spec", "podSets")
	if class != harness.ProvisioningClass || len(sets) != 1 || sets[0].(map[string]any)["count"] != int64(members) {
		s.Errorf("class %s, pod sets %v", class, sets)
	}
	if owners := requests[0].GetOwnerReferences(); len(owners) != 1 || owners[0].Name != "pioneer" {
		s.Errorf("owners: %v", owners)
	}
	view.Wait(s, "its template", func() (bool, string) {
		templates, err := plane.PodTemplates()
		s.must(err)
		if len(templates) != 1 {
			return false, fmt.Sprintf("%d templates", len(templates))
		}
		spec := templates[0].Template.Spec
		gpus := spec.Containers[0].Resources.Requests[harness.GPU]
		return gpus.Value() == 8, gpus.String()
	})
	s.must(plane.SetProvisioning(name, "Accepted", "looking for nodes"))
	s.hasNoPods("pioneer")

	s.must(plane.SetProvisioning(name, "Provisioned", "nodes are on their way"))
	s.waitJobTold("GangNodesProvisioned", name)
	grown := harness.Shape{Blocks: shape.Blocks + 1, Racks: shape.Racks, Nodes: shape.Nodes, GPUs: shape.GPUs}
	fresh = grown.RackNodes(shape.Blocks, 0)[:members]
	s.must(plane.CreateNodes(grown, fresh...))
	s.waitBound("pioneer", members)
	for _, pod := range view.Bound("pioneer") {
		if !strings.HasPrefix(pod.Spec.NodeName, fmt.Sprintf("n-%02d-", shape.Blocks)) {
			s.Errorf("%s is on %s, which is not of the new block", pod.Name, pod.Spec.NodeName)
		}
		if pod.Annotations[consumes] != name || pod.Annotations[ofClass] != harness.ProvisioningClass {
			s.Errorf("%s: %v", pod.Name, pod.Annotations)
		}
	}
	s.nothingIsLeft()
}

// One that fails is told with what its condition says, and made anew after the back-off; a Gangplan
// that is killed meanwhile makes none twice. After the last one nobody is asked any more, and with
// the gang all goes.
func TestProvisioningFailureIsTold(t *testing.T) {
	s := beginProvisioning(t, harness.Options{})
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("unlucky", 8, "block=pack!"), 4)))
	s.must(plane.SetProvisioning(s.waitRequest(1), "Failed", "out of GPUs in zone a"))
	s.waitJobTold("GangNodesFailed", "out of GPUs in zone a")
	second := s.waitRequest(2)

	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	view.Never(s, "another request", 12*time.Second, func() (bool, string) {
		all, err := plane.Provisioning()
		s.must(err)
		return len(all) != 1 || all[0].GetName() != second, fmt.Sprintf("%d requests", len(all))
	})
	s.must(plane.SetProvisioning(second, "Failed", "out of GPUs in all zones"))
	s.waitJobTold("GangNodesGivenUp", "out of GPUs in all zones")
	s.must(plane.DeleteJob("unlucky"))
	s.nothingIsLeft()
}

// A gang that is gone while Gangplan is dead leaves nothing behind, and one that gets room elsewhere
// asks for no nodes any more.
func TestProvisioningLeavesNothing(t *testing.T) {
	s := beginProvisioning(t, harness.Options{})
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("gone", 8, "rack=pack!"), 2)))
	s.waitRequest(1)
	s.Gangplan.Kill()
	s.must(plane.DeleteJob("gone"))
	s.must(s.StartGangplan())
	s.nothingIsLeft()

	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("placed", 8, "rack=pack!"), 2)))
	s.waitRequest(1)
	s.must(plane.DeletePods("fill"))
	s.waitBound("placed", 2)
	s.nothingIsLeft()
	for _, pod := range view.Bound("placed") {
		if _, told := pod.Annotations[consumes]; told {
			s.Errorf("%s says that it uses what was never booked", pod.Name)
		}
	}
}

// Whose pods are of a PodGroup, which the API server knows by a UID that Gangplan does not: its
// request is nobody's, so that it stays, and it goes when the gang does.
func TestProvisioningOfAPodGroup(t *testing.T) {
	s := beginProvisioning(t, harness.Options{})
	s.playPodGroup("ring", map[string]any{"minMember": int64(2)})
	s.must(plane.CreatePods(podOfGroup("ring"), 0, 2))
	name := s.waitRequest(1)
	requests, err := plane.Provisioning()
	s.must(err)
	uid := requests[0].GetUID()
	view.Never(s, "another request", 30*time.Second, func() (bool, string) {
		all, err := plane.Provisioning()
		s.must(err)
		return len(all) != 1 || all[0].GetUID() != uid, fmt.Sprintf("%d requests", len(all))
	})
	s.must(plane.SetProvisioning(name, "Provisioned", "nodes are on their way"))
	s.must(plane.DeletePods("ring"))
	s.waitRequests("no request", 2*time.Minute, func(all []unstructured.Unstructured) bool { return len(all) == 0 })
}

// A suspended Job that is edited so that it is no gang any more gives its request back.
func TestProvisioningOfAnInvalidJob(t *testing.T) {
	s := beginProvisioning(t, harness.Options{})
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("edited", 8, "rack=pack!"), 2)))
	s.waitRequest(1)
	place := func(word string) string {
		return fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`, harness.PlaceKey, word)
	}
	s.must(plane.PatchJob("edited", place("rack=nonsense")))
	s.waitRequests("no request", harness.Deadline, func(all []unstructured.Unstructured) bool { return len(all) == 0 })
	s.must(plane.PatchJob("edited", place("rack=pack!")))
	s.waitRequest(1)
}

// An API server that takes no request of a namespace, as with a quota of none, says so to the gang's
// owner.
func TestProvisioningBeyondAQuota(t *testing.T) {
	s := beginProvisioning(t, harness.Options{})
	const quota = "no-nodes"
	s.must(plane.SetQuota(quota, "count/podtemplates", 0))
	t.Cleanup(func() { s.must(plane.RemoveQuota(quota)) })
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("poor", 8, "rack=pack!"), 2)))
	s.waitJobTold("GangNodesRefused", "exceeded quota: "+quota)
}

// asks is a gang that no node has room for.
func (s scenario) asks(name string) {
	s.Helper()
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob(name, shape.GPUs+1, "rack=pack!"), 2)))
}

// missesProvisioning are the losses of requests for nodes, by what they are told as in docs/rights.md.
func missesProvisioning() map[string]loss {
	const requests, templates = "provisioning: autoscaling.x-k8s.io/provisioningrequests ", "provisioning: podtemplates "
	never := func(s scenario) {
		s.asks("lost")
		view.Never(s, "a request", 10*time.Second, func() (bool, string) {
			all, err := plane.Provisioning()
			s.must(err)
			return len(all) > 0, ""
		})
	}
	// Gangplan finds what it does not know to be whole.
	anew := func(change func(s scenario, name string)) func(s scenario) {
		return func(s scenario) {
			s.asks("lost")
			name := s.waitRequest(1)
			s.waitTemplates(1)
			s.Gangplan.Kill()
			change(s, name)
			s.must(s.StartGangplan())
		}
	}
	all := map[string]func(s scenario){
		requests + "list":   never,
		requests + "create": never,
		templates + "create": func(s scenario) {
			s.asks("lost")
			s.waitRequest(1)
			s.waitTemplates(0)
		},
		requests + "get":  anew(func(s scenario, name string) { s.must(plane.DisownProvisioning(name)) }),
		templates + "get": anew(func(scenario, string) {}),
		requests + "delete": func(s scenario) {
			s.asks("lost")
			s.waitRequest(1)
			s.must(plane.PatchJob("lost",
				`{"spec":{"template":{"metadata":{"annotations":{"gangplan.io/hold":"budget"}}}}}`))
			view.Never(s, "the request goes", 10*time.Second, func() (bool, string) {
				all, err := plane.Provisioning()
				s.must(err)
				return len(all) == 0, ""
			})
		},
	}
	losses := map[string]loss{}
	for right, act := range all {
		losses[right] = loss{harness.Options{Suspended: true, Provisioning: harness.ProvisioningClass}, act}
	}
	return losses
}

func (s scenario) waitTemplates(count int) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("%d templates", count), func() (bool, string) {
		templates, err := plane.PodTemplates()
		s.must(err)
		return len(templates) == count, fmt.Sprintf("%d templates", len(templates))
	})
}
