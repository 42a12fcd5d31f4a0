package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Whoever says something wrong is told where, what was expected, and what else there is.
func TestChartRefusesWrongValues(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	for _, wrong := range []struct{ options, says string }{
		{"", "topology: one of preset, levels and source expected, got none of them"},
		{"--set topology.preset=gke,topology.source=kueue",
			"topology: one of preset, levels and source expected, got preset and source"},
		{"--set topology.preset=gkee", "at '/topology/preset': value must be one of 'aws-3', 'aws-4'"},
		{"--set topology.source=file", "at '/topology/source': value must be one of 'kueue', 'sakkara'"},
		{"--set topology.prest=gke", "at '/topology': additional properties 'prest' not allowed"},
		{"--set-json topology.levels=[]", "at '/topology/levels': minItems: got 0, want 1"},
		{"--set topology.levels[0].name=rack", "at '/topology/levels/0': missing property 'label'"},
		{"--set topology.levels[0].name=rack,topology.levels[0].label='a b'",
			"at '/topology/levels/0/label': 'a b' does not match pattern"},
		{"--set topology.source=kueue,topology.namespace=default",
			"topology.namespace: only with source sakkara"},
		{"--set topology.source=slurm", "at '/topology/source': value must be one of 'kueue', 'sakkara'"},
		{someTopology + " --set topologies[0].name=a,topologies[0].preset=gke",
			"topology: stands beside topologies; expected one or the other"},
		{"--set topologies[0].preset=gke", "at '/topologies/0': missing property 'name'"},
		{"--set topologies[0].name=a", "topologies[0]: one of preset, levels and source expected, got none of them"},
		{"--set topologies[0].name=a,topologies[0].source=slurm",
			"topologies[0].file: expected with source slurm or tree, and only there"},
		{"--set topologies[0].name=a,topologies[0].preset=gke,topologies[0].file=x",
			"topologies[0].file: expected with source slurm or tree, and only there"},
		{"--set topologies[0].name=a,topologies[0].source=slurm,topologies[0].file=/etc/gangplan/topology.conf",
			"topologies[0].file: what the file says expected, not where it is: --set-file topologies[0].file=FILE"},
		{"--set topologies[0].name=a,topologies[0].preset=gke,topologies[0].default=yes",
			"at '/topologies/0/default': got string, want boolean"},
		{"--set topology.source=kueue,topology.name=Fat", `topology.name: with source kueue the name of a Topology object expected, got "Fat"`},
		{"--set topology.levels[0].name='a b',topology.levels[0].label=a", "at '/topology/levels/0/name': 'a b' does not match"},
		{"--set topology.levels[0].name=a,topology.levels[0].label=x,topology.levels[1].name=x,topology.levels[1].label=y",
			`topology.levels[1]: "x" stands for another level already`},
		{"--set topology.levels[0].name=a,topology.levels[0].label=kubernetes.io/hostname," +
			"topology.levels[1].name=b,topology.levels[1].label=y", "topology.levels[0]: kubernetes.io/hostname can only be the last"},
		{twoTopologies("b", "preset=gke"), "topologies[1].nodes: one topology at most expected without a selector"},
		{twoTopologies("a", "preset=gke,topologies[1].nodes.matchLabels.a=b"), `topologies[1].name: "a" names another one already`},
		{twoTopologies("b", "preset=gke,topologies[1].nodes.matchLabels.a=b,topologies[0].default=true,topologies[1].default=true"),
			"topologies[1].default: one default expected, and topologies[0] is"},
		{"--set topologies[0].name=a,topologies[0].source=sakkara,topologies[1].name=b,topologies[1].source=sakkara," +
			"topologies[1].nodes.matchLabels.a=b", "topologies[1].source: one topology at most expected from sakkara"},
		{someTopology + " --set schedulerName=Gang_Plan", "at '/schedulerName': 'Gang_Plan' does not match"},
		{someTopology + " --set nodes.pool=a", "at '/nodes': additional properties 'pool' not allowed"},
		{someTopology + " --set nodes.matchLabels.pool=1", "at '/nodes/matchLabels/pool': got number, want string"},
		{someTopology + " --set nodes.matchExpressions[0].key=pool,nodes.matchExpressions[0].operator=Gt",
			"at '/nodes/matchExpressions/0/operator': value must be one of 'In', 'NotIn', 'Exists'"},
		{someTopology + " --set nodes.matchLabels.pool='a b'", "at '/nodes/matchLabels/pool': 'a b' does not match pattern"},
		{someTopology + " --set nodes.matchLabels.-pool=a", "at '/nodes/matchLabels': additional properties '-pool' not allowed"},
		{someTopology + " --set nodes.matchExpressions[0].key=pool,nodes.matchExpressions[0].operator=In",
			"at '/nodes/matchExpressions/0': missing property 'values'"},
		{someTopology + " --set nodes.matchExpressions[0].key=pool,nodes.matchExpressions[0].operator=Exists," +
			"nodes.matchExpressions[0].values={a}", "at '/nodes/matchExpressions/0/values': maxItems: got 1, want 0"},
		{someTopology + " --set nodes.matchLabels.a=b " + requirements(16), "nodes: at most 16 requirements expected"},
		{someTopology + " --set gates=all", "at '/gates': value must be one of 'none', 'gangplan', "},
		{someTopology + " --set suspendedJobs=yes", "at '/suspendedJobs': got string, want boolean"},
		{someTopology + " --set sakkara=1", "at '/sakkara': got number, want boolean"},
		{someTopology + " --set wake=shout", "at '/wake': value must be one of '', 'nominate', 'annotate'"},
		{someTopology + " --set configuration.server.port=1",
			"at '/configuration/server': additional properties 'port' not allowed"},
		{someTopology + " --set configuration.gang.gatherTimeout=5",
			"at '/configuration/gang/gatherTimeout': got number, want string"},
		{someTopology + " --set-string configuration.gang.gatherTimeout=5",
			"at '/configuration/gang/gatherTimeout': '5' does not match pattern"},
		{someTopology + " --set configuration.gang.gatherTimeout=0s",
			"at '/configuration/gang/gatherTimeout': '0s' does not match pattern"},
		{someTopology + " --set configuration.gang.gatherTimeout=23h60m1ms",
			"configuration.gang.gatherTimeout: at most 24h expected, got 23h60m1ms"},
		{someTopology + " --set configuration.groups.admissionCheckPatience=0m0s",
			"at '/configuration/groups/admissionCheckPatience': '0m0s' does not match pattern"},
		{someTopology + " --set configuration.server.bindTimeout=9999ms",
			"configuration.server.bindTimeout: at least 10s expected, got 9999ms"},
		{someTopology + " --set configuration.server.maxHeldCalls=10497",
			"configuration.server.maxHeldCalls: at most 10496 expected, the other 256 of maxConnections"},
		{someTopology + " --set configuration.server.maxHeldCalls=2,configuration.server.maxConnections=2",
			"configuration.server.maxHeldCalls: at most 1 expected"},
		{someTopology + " --set configuration.gang.holdFrom=12.5%",
			"at '/configuration/gang/holdFrom': '12.5%' does not match pattern"},
		{someTopology + " --set repair.timeout=0s", "at '/repair/timeout': '0s' does not match pattern"},
		{someTopology + " --set repair.after=24h1s", "repair.after: at most 24h expected, got 24h1s"},
		{someTopology + " --set 'rankLists.namespaces={ml*}'", "at '/rankLists/namespaces/0': 'ml*' does not match pattern"},
		{someTopology + " --set 'rankLists.namespaces={*,ml}'", `rankLists.namespaces: names of namespaces expected, or "*" alone`},
		{someTopology + " --set provisioning.class=Check", "at '/provisioning/class': 'Check' does not match pattern"},
		{someTopology + " --set provisioning.backOff=30m1s", "provisioning.maxBackOff: not less than backOff expected"},
		{someTopology + " --set provisioning.class=check,schedulerName=" + strings.Repeat("a", 64),
			"provisioning.class: only where schedulerName has up to 63 characters"},
		{someTopology + " --set configuration.waiting.rejectMax=100001",
			"at '/configuration/waiting/rejectMax': maximum: got 100,001, want 100,000"},
		{someTopology + " --set admissionPolicies.gate=true",
			"admissionPolicies.gate: nobody would release the pods; set gates to gangplan"},
		{someTopology + " --set admissionPolicies.suspend=true",
			"admissionPolicies.suspend: nobody would start the Jobs; set suspendedJobs to true"},
		{someTopology + " --set suspendedJobs=true,admissionPolicies.suspend=true --kube-version 1.33.0",
			"admissionPolicies: Kubernetes 1.34 or later is needed"},
		{someTopology + " --set api.enabled=true,api.certificate.secretName=mine",
			"api.certificate.secretName: caBundle expected beside it, or annotations that bring one"},
		{someTopology + " --set api.enabled=true,api.certificate.caBundle=mine",
			"api.certificate.caBundle: only with secretName, whose authority it is"},
		{someTopology + " --set api.enable=true", "at '/api': additional properties 'enable' not allowed"},
		{someTopology + " --set tls.enabled=true,tls.gangplan.secretName=mine",
			"tls: gangplan.secretName and scheduler.secretName expected, or none of both"},
		{someTopology + " --set tls.enabled=true,tls.scheduler.commonName=me",
			"tls.scheduler.commonName: only with secretName, whose name it is"},
		{someTopology + " --set tls=true", "at '/tls': got boolean, want object"},
		{someTopology + " --set resourceQuota=true,priorityClassName=",
			"resourceQuota: priorityClassName expected"},
		{someTopology + " --set image.name=x", "at '/image': additional properties 'name' not allowed"},
		{someTopology + " --set image.pullPolicy=Sometimes", "at '/image/pullPolicy': value must be one of"},
		{someTopology + " --set scheduler.image.tag=1", "at '/scheduler/image/tag': got number, want string"},
		{someTopology + " --set resources.request.cpu=1",
			"at '/resources': additional properties 'request' not allowed"},
		{someTopology + " --set tolerations[0].operator=Exist",
			"at '/tolerations/0/operator': value must be one of 'Exists', 'Equal'"},
		{someTopology + " --set networkPolicy.from[0].pods=x",
			"at '/networkPolicy/from/0': additional properties 'pods' not allowed"},
		{someTopology + " --set serviceMonitor.interval=often",
			"at '/serviceMonitor/interval': 'often' does not match pattern"},
		{someTopology + " --set prometheusRule=true", "at '/prometheusRule': got boolean, want object"},
		{someTopology + " --set replicas=0", "at '/replicas': minimum: got 0, want 1"},
		{someTopology + " --set replicas=6", "at '/replicas': maximum: got 6, want 5"},
		{someTopology + " --set replica=2", "at '': additional properties 'replica' not allowed"},
		{someTopology + " --kube-version 1.29.9", "requires kubeVersion: >=1.30.0-0"},
	} {
		text, err := shell.Render(wrong.options)
		if err == nil || !strings.Contains(err.Error(), wrong.says) {
			t.Errorf("%s: expected %q, got %v\n%.200s", wrong.options, wrong.says, err, text)
		}
	}
}

// twoTopologies is a from labels, for all nodes that are of no other, and another one.
func twoTopologies(name, rest string) string {
	return fmt.Sprintf("--set topologies[0].name=a,topologies[0].preset=gke,topologies[1].name=%s,topologies[1].%s", name, rest)
}

// requirements is so many expressions of the selector.
func requirements(count int) string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprintf(`{"key": "key-%d", "operator": "Exists"}`, i))
	}
	return fmt.Sprintf("--set-json 'nodes.matchExpressions=[%s]'", strings.Join(all, ", "))
}

// What the chart says itself of Gangplan's configuration: these keys are not passed through.
var chartsOwn = []string{"apiVersion", "kind", "cluster", "server.address", "server.port",
	"server.probeAddress", "server.probePort", "server.tls", "server.api", "server.verbs", "schedulerNames",
	"nodes", "topologies", "groups.suspendedJobs", "groups.admissionChecks", "groups.gates", "groups.sakkara", "groups.podGroupStatus",
	"queue", "reservations", "rankLists", "provisioning", "preemption", "repair", "wake", "leader"}

// keep leaves out the keys that stand in the list, by their whole path.
func keep(from map[string]any, prefix string, out []string) map[string]any {
	kept := map[string]any{}
	for key, value := range from {
		path := prefix + key
		if slices.Contains(out, path) {
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			value = keep(inner, path+".", out)
		}
		kept[key] = value
	}
	return kept
}

// fileOfTree is what one in YAML, or in JSON, says.
func fileOfTree(t *testing.T, name string) (says map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &says); err != nil {
		t.Fatal(err)
	}
	return says
}

// Every key of the configuration is a value of the chart's own or passed through, with its default
// at least.
func TestChartPassesEveryKeyOn(t *testing.T) {
	t.Parallel()
	all := fileOfTree(t, "config/default.yaml")
	passed, err := json.Marshal(keep(all, "", chartsOwn))
	if err != nil {
		t.Fatal(err)
	}
	rendered := render(t, newShell(t), fmt.Sprintf("%s --set-json 'configuration=%s'", someTopology, passed))
	var got map[string]any
	if err := yaml.Unmarshal([]byte(renderedFile(t, rendered, "gangplan.yaml")), &got); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(keep(got, "", chartsOwn)); err != nil || string(again) != string(passed) {
		t.Errorf("%v: passed %s\ngot %s", err, passed, again)
	}
	checkConfigurations(t, "every key", rendered)
}

// What is rendered is what both programs read: Gangplan by --check, kube-scheduler by writing what it
// would run with.
func TestChartConfigurationsAreRead(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	variants := []string{
		"--set topology.levels[0].name=rack,topology.levels[0].label=example.com/rack",
		"--set topology.source=kueue,topology.name=net",
		"--set topology.source=sakkara,topology.namespace=trees",
		someTopology + " --set gates=gangplan-and-kueue,suspendedJobs=true,admissionChecks=true,sakkara=true,podGroupStatus=never,wake=annotate,preemption=lower-priority," +
			"nodes.matchLabels.pool=a,nodes.matchExpressions[0].key=gpu,nodes.matchExpressions[0].operator=Exists," +
			"queue.mode=backfill,schedulerName=gangs,configuration.server.bindTimeout=90s,api.enabled=true",
		someTopology + " --set configuration.server.maxHeldCalls=10496,provisioning.class=check,provisioning.backOff=30m",
		someTopology + " --set tls.enabled=true,tls.gangplan.secretName=a,tls.scheduler.secretName=b,tls.scheduler.commonName=me",
	}
	slurm := filepath.Join(t.TempDir(), "topology.conf")
	if err := os.WriteFile(slurm, []byte("SwitchName=s1 Nodes=n[1-4]\n# a remark: \"quoted\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	variants = append(variants, severalTopologies(slurm))
	for _, preset := range presets(t) {
		variants = append(variants, "--set topology.preset="+preset)
	}
	for _, options := range variants {
		checkConfigurations(t, options, render(t, shell, options))
	}
}

// severalTopologies has the rings from a file, which are the default, and racks from labels.
func severalTopologies(file string) string {
	return "--set topologies[0].name=racks,topologies[0].preset=gke,topologies[0].nodes.matchLabels.net=racks," +
		"topologies[1].name=rings,topologies[1].source=slurm,topologies[1].default=true --set-file topologies[1].file=" + file
}

// The values of docs/topologies.md, installed as it says.
func TestTopologiesPageIsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/topologies.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## With the chart\n")
	_, page, _ = strings.Cut(page, "\n```yaml\n")
	values, page, _ := strings.Cut(page, "```\n")
	_, options, _ := strings.Cut(page, "--namespace gangplan ")
	options, _, found := strings.Cut(options, "\n```")
	if !found {
		t.Fatal("docs/topologies.md shows no values and no command")
	}
	shell := newShell(t)
	for name, text := range map[string]string{"topologies.yaml": values, "topology.conf": "SwitchName=s1 Nodes=n[1-4]\n"} {
		if err := os.WriteFile(filepath.Join(shell.Folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rendered := render(t, shell, options)
	checkConfigurations(t, "docs/topologies.md", rendered)
	for _, file := range []string{`"rings": "SwitchName=s1`, `"halls": "levels: [hall]`} {
		if !strings.Contains(rendered, file) {
			t.Errorf("no file %s in\n%s", file, rendered)
		}
	}
}

// presets is the names that the schema knows, which are those of docs/configuration.md.
func presets(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, name := range readSchema(t).definitions.at("preset", "enum").([]any) {
		names = append(names, name.(string))
	}
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Presets\n")
	var documented []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "## ") {
			break
		}
		if cells := strings.Split(line, "`"); strings.HasPrefix(line, "| `") {
			documented = append(documented, cells[1])
		}
	}
	if !slices.Equal(names, documented) {
		t.Errorf("the schema knows the presets %q, docs/configuration.md %q", names, documented)
	}
	return names
}

// writeRendered writes the topology's file to the folder, as the pod sees it.
func writeRendered(t *testing.T, rendered, name, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "topology-"+name)
	for _, o := range objectsIn(t, rendered) {
		if o.text("kind") == "ConfigMap" && o.text("metadata", "name") == "gangplan-topologies" {
			if err := os.WriteFile(path, []byte(o.text("data", name)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path
}

func checkConfigurations(t *testing.T, what, rendered string) {
	t.Helper()
	folder := t.TempDir()
	gangplan, scheduler := filepath.Join(folder, "gangplan.yaml"), filepath.Join(folder, "scheduler.yaml")
	// Secrets are mounted in the pod alone, and both programs open what is named.
	certificate, key := plane.ServerCertificate()
	here := regexp.MustCompile(`/etc/[a-z]+-(api|tls)/[-a-z]+\.(crt|key)|/etc/gangplan-topologies/[-.a-z0-9]+`)
	for file, name := range map[string]string{gangplan: "gangplan.yaml", scheduler: "scheduler-configuration.yaml"} {
		text := here.ReplaceAllStringFunc(renderedFile(t, rendered, name), func(path string) string {
			if name, found := strings.CutPrefix(path, "/etc/gangplan-topologies/"); found {
				return writeRendered(t, rendered, name, folder)
			}
			if strings.HasSuffix(path, ".key") {
				return key
			}
			return certificate
		})
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said, err := exec.Command(plane.Env.Gangplan, "serve", "--config", gangplan, "--check").CombinedOutput()
	if err != nil {
		t.Errorf("%s: gangplan: %v: %s\n%s", what, err, said, renderedFile(t, rendered, "gangplan.yaml"))
	}
	if err := plane.CheckScheduler(scheduler); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
