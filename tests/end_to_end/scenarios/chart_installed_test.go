package scenarios

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// The chart installed in the control plane by helm. No container runs: harness.Kubelet plays the
// node, with the rendered command lines, files and rights.

const (
	chartNamespace = "installed"
	chartRelease   = "pair" // whose objects have other names than the harness's own
)

// way is one set of values, and how a gang of two waits and starts by it.
type way struct {
	name, values string
	prepare      func(s scenario)
	submit       func(s scenario) // the gang "two"
	check        func(s scenario, shell *harness.Shell, kubelet *harness.Kubelet)
}

// cellLabel is on two nodes that are made for these tests, which are the whole topology then.
const cellLabel = "e2e.gangplan.io/cell"

var cell = shape.RackNodes(90, 0)[:2]

// addNodes makes nodes beside the shape's, each with values of its own for these labels, until the
// test ends.
func addNodes(t *testing.T, names []string, labels ...string) {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range names {
			if err := plane.DeleteNode(name); err != nil {
				t.Error(err)
			}
		}
		view.Wait(t, "these nodes are gone", func() (bool, string) {
			return !slices.ContainsFunc(names, func(name string) bool { return view.Node(name) != nil }), ""
		})
	})
	if err := plane.CreateNodes(shape, names...); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, label := range labels {
			if err := plane.LabelNode(name, label, name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wokenTwo is rejected, and asks for less a while later: nothing in the cluster changes, so that only
// Gangplan can have the scheduler try its pods again.
func wokenTwo(s scenario) {
	s.must(plane.CreateJob(harness.GangJob("two", 8, "rack=pack! | after 1s: rack=pack"), 2))
}

// Each part of the chart's rights is all that Gangplan needs for what the part is for: a gang of two
// starts, one is told why it never will, and
// the API server refuses nobody anything.
func TestChartRightsSuffice(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	addNodes(t, cell, cellLabel)
	must(plane.CreateNamespace(chartNamespace))
	t.Cleanup(func() {
		ctx, options := context.Background(), metav1.DeleteOptions{}
		must(plane.Client.CoreV1().Namespaces().Delete(ctx, chartNamespace, options))
	})
	for _, one := range []way{
		{"nominate", levelsOfNodes, nil, wokenTwo, nil},
		{"annotate", levelsOfNodes + ",wake=annotate", nil, wokenTwo, nil},
		{"gates", levelsOfNodes + ",gates=gangplan", nil, func(s scenario) {
			s.must(plane.CreateJob(harness.GatedJob("two", 4, "rack=pack!"), 2))
		}, nil},
		{"suspended", levelsOfNodes + ",suspendedJobs=true", nil, func(s scenario) {
			s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("two", 4, "rack=pack!"), 2)))
		}, nil},
		{"preemption", levelsOfNodes + ",preemption=lower-priority", nil, wokenTwo, nil},
		{"sakkara", "topology.source=sakkara,topology.namespace=gangplan,sakkara=true",
			func(s scenario) {
				s.must(plane.Replace(harness.SakkaraTopology("tree", sakkaraRacks(8).Tree())))
				s.Cleanup(func() { s.must(plane.DeleteSakkaraObjects()) })
			},
			func(s scenario) {
				s.must(plane.Replace(harness.SakkaraGroup("two", 2, `{"rack": {"type": "pack"}}`)))
				s.createSakkaraPods(harness.SakkaraPod("two", 8), 2)
				s.waitStatus("two", "Bound")
			}, nil},
		{"kueue", "topology.source=kueue",
			func(s scenario) {
				s.must(plane.InstallTopologies("v1beta2"))
				s.must(plane.CreateTopology("v1beta2", "default", harness.BlockLabel, harness.RackLabel))
				s.Cleanup(func() { s.must(plane.RemoveTopologies()) })
			},
			func(s scenario) {
				s.must(plane.CreateJob(harness.WordedJob("two", 8,
					map[string]string{kueueRequired: harness.RackLabel}), 2))
			}, nil},
		{"tls", levelsOfNodes + ",tls.enabled=true", nil, wokenTwo, func(s scenario, shell *harness.Shell,
			kubelet *harness.Kubelet) {
			s.speaksTLS(kubelet)
			s.keepsCertificates(shell)
			s.renewsCertificates(shell, kubelet)
		}},
		{"tls of others", levelsOfNodes + ",tls.enabled=true,tls.gangplan.secretName=server," +
			"tls.scheduler.secretName=client,tls.scheduler.commonName=" + harness.ClientName,
			func(s scenario) { s.must(plane.CreateCertificates(chartNamespace, "server", "client")) },
			wokenTwo, func(s scenario, _ *harness.Shell, kubelet *harness.Kubelet) { s.speaksTLS(kubelet) }},
	} {
		t.Run(one.name, func(t *testing.T) { rightsSuffice(t, one) })
	}
}

const levelsOfNodes = "topology.levels[0].name=rack,topology.levels[0].label=" + cellLabel

func rightsSuffice(t *testing.T, one way) {
	s := scenario{t, nil}
	shell := newShell(t)
	if one.prepare != nil {
		one.prepare(s)
	}
	before := refusals(t)
	kubelet := startKubelet(t, chartNamespace, shape.NodeNames()[0])
	t.Cleanup(func() { s.uninstall(shell, kubelet) })
	start := time.Now()
	_, err := shell.Run(fmt.Sprintf("helm install %s config/chart --namespace %s --set %s\n"+
		"kubectl -n %s rollout status deployment/%s --timeout 30s", chartRelease, chartNamespace, one.values,
		chartNamespace, chartRelease))
	s.must(err)
	t.Logf("ready after %s", seconds(time.Since(start)))
	one.submit(s)
	s.waitBound("two", 2)
	s.must(plane.CreateJob(harness.GangJob("never", 9, ""), 2)) // nodes have eight
	s.checkEvent("involvedObject.kind=Job,involvedObject.name=never", "GangImpossible", "")
	if one.check != nil {
		one.check(s, shell, kubelet)
	}
	if after := refusals(t); after != before {
		t.Errorf("the API server has refused %.0f requests for want of a right", after-before)
	}
}

// speaksTLS is that the installed scheduler has called under TLS, and nobody without a certificate is
// answered.
func (s scenario) speaksTLS(kubelet *harness.Kubelet) {
	s.Helper()
	text, err := kubelet.Ask("/metrics")
	s.must(err)
	if !regexp.MustCompile(`gangplan_tls_handshakes_total\{result="done"\} [1-9]`).MatchString(text) {
		s.Errorf("no handshake was done")
	}
	if status, err := kubelet.CallAsStranger("http"); err == nil && status == 200 {
		s.Error("who speaks no TLS is answered")
	}
	if _, err := kubelet.CallAsStranger("https"); err == nil {
		s.Error("who has no certificate is answered")
	}
}

// certificates is what the chart has made, and what of it the pod's template names.
func (s scenario) certificates(shell *harness.Shell) (made, named string) {
	s.Helper()
	get := func(what, path string) string {
		out, err := shell.Run(fmt.Sprintf("kubectl -n %s get %s -o jsonpath='{%s}'", chartNamespace, what, path))
		s.must(err)
		return out
	}
	for _, name := range []string{"tls", "scheduler-tls"} {
		made += get(fmt.Sprintf("secret %s-%s", chartRelease, name), ".data")
	}
	return made, get("deployment "+chartRelease, ".spec.template.metadata.annotations")
}

// keepsCertificates is that an upgrade leaves those that the chart has made, and the pair.
func (s scenario) keepsCertificates(shell *harness.Shell) {
	s.Helper()
	before, namedBefore := s.certificates(shell)
	_, err := shell.Run(fmt.Sprintf("helm upgrade %s config/chart --namespace %s --reset-then-reuse-values "+
		"--set dashboard.enabled=true", chartRelease, chartNamespace))
	s.must(err)
	if after, named := s.certificates(shell); after != before || named != namedBefore ||
		!strings.Contains(before, "ca.crt") {
		s.Error("an upgrade has changed the certificates or the pod, or they name no authority")
	}
	// A handshake with one of RSA costs more.
	ofCurves := base64.StdEncoding.EncodeToString([]byte("-----BEGIN EC PRIVATE KE"))
	if count := strings.Count(before, ofCurves); count != 2 {
		s.Errorf("%d of 2 keys are of elliptic curves", count)
	}
}

// renewsCertificates is that new ones start both programs anew, since the scheduler would go on with the
// authority that it has read.
func (s scenario) renewsCertificates(shell *harness.Shell, kubelet *harness.Kubelet) {
	s.Helper()
	before, namedBefore := s.certificates(shell)
	_, err := shell.Run(fmt.Sprintf("kubectl -n %[1]s delete secret %[2]s-tls %[2]s-scheduler-tls\n"+
		"helm upgrade %[2]s config/chart --namespace %[1]s --reset-then-reuse-values\n"+
		"kubectl -n %[1]s rollout status deployment/%[2]s --timeout 30s", chartNamespace, chartRelease))
	s.must(err)
	if after, named := s.certificates(shell); after == before || named == namedBefore {
		s.Error("the certificates are the same, or the pod knows nothing of new ones")
	}
	s.must(plane.DeleteJob("two")) // it has all room
	s.must(plane.CreateJob(harness.GangJob("renewed", 4, "rack=pack!"), 2))
	s.waitBound("renewed", 2)
	s.speaksTLS(kubelet)
}

func (s scenario) uninstall(shell *harness.Shell, kubelet *harness.Kubelet) {
	_, err := shell.Run(fmt.Sprintf("helm uninstall %s --namespace %s", chartRelease, chartNamespace))
	// The lease would keep the next scheduler waiting; in a cluster it goes with the namespace.
	leases := plane.Client.CoordinationV1().Leases(chartNamespace)
	for _, err := range []error{err, plane.DeleteEverything(), s.awaitEmpty(), kubelet.Stop(),
		leases.Delete(context.Background(), chartRelease+"-scheduler", metav1.DeleteOptions{})} {
		if err != nil {
			s.Error(err)
		}
	}
}

// startKubelet plays the node for the namespace, until it is stopped or the test ends.
func startKubelet(t *testing.T, namespace, node string) *harness.Kubelet {
	kubelet := plane.StartKubelet(namespace, node)
	t.Cleanup(func() { kubelet.Stop() })
	return kubelet
}

// refusals is how many requests the API server has answered by 403.
func refusals(t *testing.T) float64 {
	t.Helper()
	metrics, err := plane.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	return metrics.Sum("apiserver_request_total", "code", "403")
}

// awaitEmpty returns when no pod is left.
func (s scenario) awaitEmpty() error {
	return view.Await("no pod is left", harness.Deadline, func() (bool, string) {
		pods, _ := view.Count("")
		return pods == 0, fmt.Sprintf("%d pods", pods)
	})
}
