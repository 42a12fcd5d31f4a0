package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// docs/install.md, every command of it, with the pods played by harness.Kubelet.

// guide is the commands of a document by their heading.
type guide struct {
	*testing.T
	shell    *harness.Shell
	commands map[string]string
	run      map[string]bool
}

func readGuide(t *testing.T) guide {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/install.md"))
	if err != nil {
		t.Fatal(err)
	}
	return guide{t, newShell(t), commandsOf(string(text)), map[string]bool{}}
}

// commandsOf is the commands of a document by their heading; of what stands above the first one by "".
func commandsOf(text string) map[string]string {
	commands, heading, inside := map[string]string{}, "", false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside && line == "```sh\n"
		case inside:
			commands[heading] += line
		case strings.HasPrefix(line, "## "):
			heading = strings.TrimSpace(line[3:])
		}
	}
	return commands
}

// do runs what stands under the heading, and returns what it prints.
func (g guide) do(heading string) string {
	g.Helper()
	commands, start := g.commands[heading], time.Now()
	if commands == "" {
		g.Fatalf("docs/install.md has no commands under %q", heading)
	}
	g.run[heading] = true
	out, err := g.shell.Run(commands)
	if err != nil {
		g.Fatalf("%s: %v\n%s", heading, err, out)
	}
	g.Logf("%s: %s", heading, seconds(time.Since(start)))
	return out
}

// columns is the labels that the section has its reader look at.
func (g guide) columns(heading string) []string {
	_, labels, _ := strings.Cut(g.commands[heading], "kubectl get nodes -L ")
	labels, _, _ = strings.Cut(labels, "\n")
	return strings.Split(labels, ",")
}

// notes is the commands that the installation prints.
func notes(out string) (commands []string) {
	_, said, _ := strings.Cut(out, "\nNOTES:\n")
	for line := range strings.Lines(said) {
		if command, ok := strings.CutPrefix(line, "  "); ok {
			commands = append(commands, command)
		}
	}
	return commands
}

func TestInstallGuide(t *testing.T) {
	g := readGuide(t)
	again, err := plane.RemoveRole()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := again(); err != nil {
			t.Error(err)
		}
	})
	g.checkShown()
	node := shape.NodeNames()[0]
	g.withChart("EKS", node, nil)
	g.withChart("GKE", node, g.checkQuota)
	g.withChart("On premises", node, func(kubelet *harness.Kubelet) {
		g.checkUpgrade(kubelet)
		g.checkFirstGang(kubelet)
		g.checkAlertsPage()
	})
	g.withManifests(node)
	for heading := range g.commands {
		if !g.run[heading] {
			t.Errorf("nothing has run the commands under %q", heading)
		}
	}
}

// checkShown is that the README installs as the guide does, and that the guide shows a refusal as it
// is.
func (g guide) checkShown() {
	texts := map[string]string{}
	for _, name := range []string{"README.md", "docs/install.md"} {
		text, err := os.ReadFile(filepath.Join(plane.Env.Tree, name))
		if err != nil {
			g.Fatal(err)
		}
		texts[name] = string(text)
	}
	_, install, _ := strings.Cut(g.commands["EKS"], "\n")
	if !strings.Contains(texts["README.md"], "```\n"+install+"```\n") {
		g.Errorf("the README does not install by %s", install)
	}
	_, err := g.shell.Render("--set topology.preset=eks")
	for line := range strings.Lines(fmt.Sprint(err)) {
		refusal, found := strings.CutPrefix(line, "- ")
		if found && !strings.Contains(texts["docs/install.md"], "```\n"+strings.TrimSpace(refusal)+"\n") {
			g.Errorf("docs/install.md does not show %s", refusal)
		} else if found {
			return
		}
	}
	g.Errorf("a wrong preset was not refused: %v", err)
}

// withChart follows the reader from one section to the last, with a gang that outlives all of it.
func (g guide) withChart(section, node string, more func(*harness.Kubelet)) {
	g.Helper()
	addNodes(g.T, shape.RackNodes(91+len(g.run), 0)[:2], g.columns(section)...)
	kubelet := startKubelet(g.T, "gangplan", node)
	out := g.do(section)
	if said := notes(out); strings.Join(said, "") != g.commands["See that it works"] {
		g.Errorf("the installation says %q, docs/install.md %q", said, g.commands["See that it works"])
	}
	if said := g.do("See that it works"); !strings.Contains(said, "Phase:          Succeeded") {
		g.Errorf("helm test says %s", said)
	}
	s := scenario{g.T, nil}
	s.must(plane.CreateJob(harness.GangJob("survivor", 1, "node=pack!"), 2))
	s.waitBound("survivor", 2)
	for _, pod := range view.Bound("survivor") {
		s.must(plane.Run(pod.Name))
	}
	view.Wait(s, "both run", func() (bool, string) {
		pods := standing("survivor")
		return !slices.ContainsFunc(pods, func(pod string) bool {
			return !strings.HasSuffix(pod, ": Running")
		}), strings.Join(pods, ", ")
	})
	before := standing("survivor")
	if more != nil {
		more(kubelet)
	}
	g.do("Remove")
	s.must(kubelet.Stop())
	if after := standing("survivor"); !slices.Equal(after, before) {
		g.Errorf("of the gang that ran %q are left %q", before, after)
	}
	g.checkNothingIsLeft()
	s.must(plane.DeleteEverything())
	s.must(s.awaitEmpty())
}

// standing is each pod of the batch with its node and its phase.
func standing(name string) (pods []string) {
	for _, pod := range view.Pods(name) {
		pods = append(pods, fmt.Sprintf("%s on %s: %s", pod.UID, pod.Spec.NodeName, pod.Status.Phase))
	}
	slices.Sort(pods)
	return pods
}

// checkQuota is that the quota counts the pair's pod.
func (g guide) checkQuota(*harness.Kubelet) {
	const asked = "kubectl -n gangplan get resourcequota gangplan -o jsonpath='{.status.used.pods}'"
	err := harness.Eventually("the quota counts the pod", func() error {
		if used, err := g.shell.Run(asked); err != nil || used != "1" {
			return fmt.Errorf("%q: %v", used, err)
		}
		return nil
	})
	if err != nil {
		g.Error(err)
	}
}

// checkUpgrade changes a value: the gang that runs is the new Gangplan's, too, and the next one
// starts by what has changed.
func (g guide) checkUpgrade(kubelet *harness.Kubelet) {
	s, before := scenario{g.T, nil}, standing("survivor")
	g.do("Change a value, or upgrade")
	// As soon as its scheduler leads.
	s.must(harness.Eventually("the new Gangplan says of the gang that it runs", func() error {
		told, err := kubelet.Ask("/v1/explain/default/survivor")
		if err == nil && !strings.Contains(told, "Running; 2 of 2 members seen") {
			err = errors.New(told)
		}
		return err
	}))
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("next", 1, "rack=pack!"), 2)))
	s.waitBound("next", 2)
	if after := standing("survivor"); !slices.Equal(after, before) {
		g.Errorf("the gang that ran was %q and is %q", before, after)
	}
}

// checkFirstGang has the reader's first gang placed, and seen by each that tells of it: list, why, the
// page, and a Prometheus with the chart's rules.
func (g guide) checkFirstGang(kubelet *harness.Kubelet) {
	const heading = "See the first gang"
	s, start := scenario{g.T, nil}, time.Now()
	prepare, look, found := strings.Cut(g.commands[heading], "export PATH=")
	if !found {
		g.Fatalf("docs/install.md has no commands under %q", heading)
	}
	g.run[heading] = true
	_, err := g.shell.Run(prepare)
	s.must(err)
	lines := strings.Split(strings.TrimSpace(look), "\n")
	path, lines := "export PATH="+lines[0]+"\n", lines[1:]
	g.sees(path+lines[0], "trainer", "Running", "8/8")
	g.Logf("%s: running after %s", heading, seconds(time.Since(start)))
	g.sees(path+lines[1], "Job default/trainer: Running", `rack=pack!`)
	page := strings.Replace(pageOfTheProxy, "kubectl gangplan page --port 18411", lines[2]+" --port 18412", 1)
	g.sees(path+page, "<!doctype html>")
	figures := strings.Replace(page, `head -n 1 page.txt)"`, `head -n 1 page.txt)figures/state"`, 1)
	g.sees(path+figures, `"default/trainer"`) // what it asks for
	url, err := kubelet.ProbeURL()
	s.must(err)
	prometheus, err := plane.Env.StartPrometheus(url, chartFile("rules.yaml"))
	s.must(err)
	defer prometheus.Stop()
	// The survivor, the one that came after the upgrade, and this one.
	s.must(prometheus.Sees(`sum(gangplan_groups{state="Running"}) == 3`))
	s.must(prometheus.Sees(`gangplan_topology_levels == 3 and gangplan_nodes > 0`))
}

// The command of docs/label-nodes.md, of three nodes that there are, labels these; they have its keys already.
func TestLabelNodesPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/label-nodes.md"))
	if err != nil {
		t.Fatal(err)
	}
	shell, nodes := newShell(t), strings.Join(shape.RackNodes(0, 0)[:3], " ")
	for _, command := range commandsOf(string(text)) {
		command = strings.NewReplacer("n-01 n-02 n-03", nodes, "example.com/", "shown.example.com/").Replace(command)
		for _, script := range []string{command, "[ $(kubectl get nodes -l shown.example.com/block=b1,shown.example.com/rack=r7 -o name | wc -l) = 3 ]",
			"kubectl label node " + nodes + " shown.example.com/block- shown.example.com/rack-"} {
			if out, err := shell.Run(script); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		}
	}
}

// checkAlertsPage runs each command of docs/alerts.md as who is on duty does, on a cluster where nothing
// is wrong.
func (g guide) checkAlertsPage() {
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/alerts.md"))
	if err != nil {
		g.Fatal(err)
	}
	if err := os.Symlink(plane.Env.Gangplan, filepath.Join(g.shell.Folder, "gangplan")); err != nil {
		g.Fatal(err)
	}
	commands := commandsOf(string(text))
	for _, heading := range slices.Sorted(maps.Keys(commands)) {
		for line := range strings.Lines(commands[heading]) {
			if strings.HasPrefix(line, "kubectl get topologies") {
				continue // of a cluster with Kueue
			}
			said, err := g.shell.Run("export PATH=$PWD/config:$PWD:$PATH\n" + line)
			if err != nil && !strings.HasPrefix(line, "kubectl gangplan doctor") { // its code tells what it found
				g.Errorf("%s: %v\n%s", heading, err, said)
			}
		}
	}
	if len(commands) < 8 {
		g.Errorf("docs/alerts.md has commands in %d sections", len(commands))
	}
}

// sees has the command print all of the words, some time soon.
func (g guide) sees(command string, words ...string) {
	g.Helper()
	err := harness.Eventually(command, func() error {
		out, err := g.shell.Run(command)
		for _, word := range words {
			if err == nil && !strings.Contains(out, word) {
				err = fmt.Errorf("no %q in\n%s", word, out)
			}
		}
		return err
	})
	if err != nil {
		g.Error(err)
	}
}

func (g guide) withManifests(node string) {
	s := scenario{g.T, nil}
	kubelet := startKubelet(g.T, "gangplan", node)
	defer func() { s.must(kubelet.Stop()) }()
	g.do("Without Helm")
	view.Wait(s, "the example's eight pods are bound", func() (bool, string) {
		pods, bound := 0, 0
		for _, pod := range view.Pods("") {
			if pod.Labels["batch.kubernetes.io/job-name"] == "trainer" {
				pods++
				if pod.Spec.NodeName != "" {
					bound++
				}
			}
		}
		return bound == 8, fmt.Sprintf("%d of %d", bound, pods)
	})
	g.removeManifests()
	g.checkNothingIsLeft()
	s.must(plane.DeleteEverything())
	s.must(s.awaitEmpty())
}

// removeManifests is of one who has applied every file that is made from the chart.
func (g guide) removeManifests() {
	g.Helper()
	const heading = "Remove without Helm"
	files, policies := "", ""
	for _, file := range madeExamples {
		if servesPolicies(g.T) || !slices.Contains([]string{"gate-policy", "suspend-policy"}, file.name) {
			files += fmt.Sprintf(" -f examples/%s.yaml", file.name)
		}
	}
	if _, err := g.shell.Run("kubectl apply" + files); err != nil {
		g.Fatal(err)
	}
	if servesPolicies(g.T) {
		policies = ",mutatingadmissionpolicies,mutatingadmissionpolicybindings"
	} else {
		g.commands[heading] = lineWithout(g.commands[heading], "examples/gate-policy.yaml")
	}
	g.do(heading)
	left, err := g.shell.Run("kubectl get -o name -l app.kubernetes.io/instance=gangplan " +
		"validatingadmissionpolicies,validatingadmissionpolicybindings" + policies)
	if err != nil || left != "" {
		g.Errorf("left behind: %v %s", err, left)
	}
}

// lineWithout is the text but the line that has the word.
func lineWithout(text, word string) string {
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		return strings.Contains(line, word)
	}), "")
}

// checkNothingIsLeft is that no object of the installation is there, whatever its kind.
func (g guide) checkNothingIsLeft() {
	g.Helper()
	left, err := g.shell.Run("kubectl get -A -o name -l app.kubernetes.io/instance=gangplan " +
		"deployments,replicasets,pods,configmaps,services,serviceaccounts,resourcequotas,leases,jobs," +
		"networkpolicies,roles,rolebindings,clusterroles,clusterrolebindings,apiservices,secrets")
	if err != nil || left != "" {
		g.Errorf("left behind: %v %s", err, left)
	}
	if text, err := g.shell.Run("kubectl get namespaces -o name"); err != nil ||
		strings.Contains(text, "namespace/gangplan\n") {
		g.Errorf("the namespace is left: %v %s", err, text)
	}
}
