package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	"gangplan.io/tests/end_to_end/harness"
)

// What config/chart renders, by helm itself; what becomes of it in a cluster is chart_installed_test.
// Tests that leave the cluster alone run beside each other, after all others.

// someTopology is what every rendering has to say.
const someTopology = "--set topology.preset=gke"

func newShell(t *testing.T) *harness.Shell {
	t.Helper()
	shell, err := plane.NewShell()
	if err != nil {
		t.Fatal(err)
	}
	return shell
}

func render(t *testing.T, shell *harness.Shell, options string) string {
	t.Helper()
	text, err := shell.Render(options)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// object is any Kubernetes object; at follows keys, and numbers in lists.
type object map[string]any

func (o object) at(path ...any) any {
	var value any = map[string]any(o)
	for _, step := range path {
		switch into := value.(type) {
		case map[string]any:
			value = into[step.(string)]
		case []any:
			value = into[step.(int)]
		default:
			return nil
		}
	}
	return value
}

func (o object) text(path ...any) string {
	value, _ := o.at(path...).(string)
	return value
}

func objectsIn(t *testing.T, text string) []object {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096)
	var objects []object
	for {
		var one object
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(one) > 0 {
			objects = append(objects, one)
		}
	}
}

// renderedFile is one file of the ConfigMap.
func renderedFile(t *testing.T, text, name string) string {
	t.Helper()
	for _, o := range objectsIn(t, text) {
		if o.text("kind") == "ConfigMap" {
			return o.text("data", name)
		}
	}
	t.Fatalf("no ConfigMap in\n%s", text)
	return ""
}

const madeFrom = "# Made from config/chart by TestExamplesAreMadeFromTheChart of tests/end_to_end.\n"

const beforeAPI = `# Beside deployment.yaml, whose pod wants a port and a certificate for it: docs/api.md, "Without Helm".
`

const exampleNamespace = `apiVersion: v1
kind: Namespace
metadata:
  name: gangplan
---
`

type madeExample struct{ name, before, options string }

// madeExamples is the plain manifests of examples/, and of what values.
var madeExamples = []madeExample{
	{"rbac", exampleNamespace, // with every part, since a right is not a duty
		"--set topology.source=kueue,sakkara=true,gates=gangplan,suspendedJobs=true,admissionChecks=true," +
			"preemption=lower-priority,repair.after=30s,api.enabled=true,reservations=true,rankLists.namespaces={default}," +
			"provisioning.class=check-capacity.autoscaling.x-k8s.io"},
	{"api", beforeAPI, someTopology + ` --set api.enabled=true,api.certificate.secretName=gangplan-api ` +
		`--set 'api.annotations.cert-manager\.io/inject-ca-from=gangplan/gangplan-api'`},
	{"deployment", "", `--set-json 'topology.levels=[{"name":"block","label":"example.com/block"},` +
		`{"name":"rack","label":"example.com/rack"},{"name":"node","label":"kubernetes.io/hostname"}]'`},
	{"gate-policy", "", someTopology + " --set gates=gangplan,admissionPolicies.gate=true"},
	{"suspend-policy", "", someTopology +
		" --set suspendedJobs=true,admissionPolicies.suspend=true"},
	{"words-policy", "", someTopology + " --set admissionPolicies.words=true"},
}

// The plain manifests of examples/ are what the chart renders, so that nothing is said twice.
// GANGPLAN_WRITE_EXAMPLES=1 writes them.
func TestExamplesAreMadeFromTheChart(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	for _, made := range madeExamples {
		text := render(t, shell, fmt.Sprintf("--show-only templates/%s.yaml %s", made.name, made.options))
		want := madeFrom + made.before + plain(text)
		file := filepath.Join(plane.Env.Examples, made.name+".yaml")
		if os.Getenv("GANGPLAN_WRITE_EXAMPLES") != "" {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s (%v) is not what the chart makes: GANGPLAN_WRITE_EXAMPLES=1 writes it", file, err)
		}
	}
}

// What docs/install.md says of Kubernetes 1.30 and 1.31 makes of examples/deployment.yaml what the chart makes there.
func TestDeploymentOfOlderVersions(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	at := slices.IndexFunc(madeExamples, func(made madeExample) bool { return made.name == "deployment" })
	options := "--show-only templates/deployment.yaml " + madeExamples[at].options
	there := plain(render(t, shell, options+" --kube-version 1.31.3"))
	changed := strings.NewReplacer("    wake: nominate\n", "    wake: annotate\n", "    kind: KubeSchedulerConfiguration\n",
		"    kind: KubeSchedulerConfiguration\n    percentageOfNodesToScore: 100\n", "v1.36.3", "v1.31.3").Replace(plain(render(t, shell, options)))
	marks := regexp.MustCompile(`checksum/configuration: .*|(percentageOfNodesToScore: 100) #.*`)
	if there, changed = marks.ReplaceAllString(there, "$1"), marks.ReplaceAllString(changed, "$1"); there != changed {
		t.Errorf("the chart makes\n%s\nand who follows docs/install.md has\n%s", there, changed)
	}
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"`wake: annotate` in place of `wake: nominate`", "`percentageOfNodesToScore: 100`", "behind `kind: KubeSchedulerConfiguration`"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("docs/install.md does not say %s", word)
		}
	}
}

// Where a Service of examples/ leads is a port of the pod of examples/deployment.yaml, or one that docs/api.md
// adds to it, with the certificate that it has made.
func TestPortsOfTheExamples(t *testing.T) {
	t.Parallel()
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{plane.Env.Tree}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	pods := objectsIn(t, read("examples", "deployment.yaml"))
	for _, block := range strings.Split(read("docs", "api.md"), "\n```yaml\n")[1:] {
		snippet, _, _ := strings.Cut(block, "\n```")
		pods = append(pods, objectsIn(t, snippet)...)
	}
	there := map[string]bool{}
	for _, o := range pods {
		if o.text("kind") == "Certificate" {
			there["made "+o.text("spec", "secretName")] = true
		}
		containers, _ := o.at("spec", "template", "spec", "containers").([]any)
		for _, one := range containers {
			ports, _ := object(one.(map[string]any)).at("ports").([]any)
			for _, port := range ports {
				there["port "+object(port.(map[string]any)).text("name")] = true
			}
		}
		there["mounted "+o.text("spec", "template", "spec", "volumes", 0, "secret", "secretName")] = true
	}
	for _, o := range objectsIn(t, read("examples", "api.yaml")) {
		if port := o.text("spec", "ports", 0, "targetPort"); port != "" && !there["port "+port] {
			t.Errorf("%s %s leads to %q, which no container has", o.text("kind"), o.text("metadata", "name"), port)
		}
		_, secret, named := strings.Cut(o.text("metadata", "annotations", "cert-manager.io/inject-ca-from"), "/")
		if named && !(there["made "+secret] && there["mounted "+secret]) {
			t.Errorf("nobody makes or mounts the certificate %s", secret)
		}
	}
}

// plain is the documents without helm's own marks.
func plain(text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(text, "---\n")) {
		if !strings.HasPrefix(line, "# Source: ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// facts is what there is in a rendering: objects, the rights of Gangplan's own role, and what a pod
// has by a value of its own.
func facts(t *testing.T, text string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, o := range objectsIn(t, text) {
		found[o.text("kind")+" "+o.text("metadata", "name")] = true
		if kind := o.text("kind"); kind == "ClusterRole" {
			addRights(found, "", o)
		} else if kind == "Role" {
			addRights(found, "in "+o.text("metadata", "namespace")+" ", o)
		}
		pod, _ := o.at("spec", "template", "spec").(map[string]any)
		for _, key := range []string{"priorityClassName", "imagePullSecrets", "nodeSelector", "tolerations"} {
			if name := map[string]string{"Deployment": "pod ", "Job": "test "}[o.text("kind")]; name != "" && pod[key] != nil {
				found[name+key] = true
			}
		}
	}
	return found
}

func addRights(found map[string]bool, where string, role object) {
	words := func(value any) (texts []string) {
		for _, text := range value.([]any) {
			texts = append(texts, text.(string))
		}
		return texts
	}
	for _, one := range role.at("rules").([]any) {
		rule := one.(map[string]any)
		for _, group := range words(rule["apiGroups"]) {
			for _, resource := range words(rule["resources"]) {
				for _, verb := range words(rule["verbs"]) {
					right := strings.TrimPrefix(fmt.Sprintf("%s/%s %s", group, resource, verb), "/")
					found[where+right] = true
				}
			}
		}
	}
}

// Each part is there with its value, and nothing of it without.
func TestChartParts(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	base := facts(t, render(t, shell, someTopology))
	part := func(name, rights string) string {
		return fmt.Sprintf("ClusterRole gangplan-%s, ClusterRoleBinding gangplan-%s, %s", name, name, rights)
	}
	readsAndWatches := func(resource string) string {
		return fmt.Sprintf("%s list, %s watch", resource, resource)
	}
	seen := func(resources ...string) string {
		var rights []string
		for _, resource := range resources {
			rights = append(rights, "gangplan.io/"+resource+" get", "gangplan.io/"+resource+" list")
		}
		return strings.Join(rights, ", ")
	}
	gates := part("gates", "pods patch, pods/eviction create")
	admission := part("admission", readsAndWatches("limitranges")+", "+
		readsAndWatches("node.k8s.io/runtimeclasses")+", "+readsAndWatches("scheduling.k8s.io/priorityclasses")+", ")
	checks := admission + part("admission-checks", readsAndWatches("kueue.x-k8s.io/workloads")+", "+
		readsAndWatches("kueue.x-k8s.io/admissionchecks")+", "+readsAndWatches("kueue.x-k8s.io/resourceflavors")+
		", kueue.x-k8s.io/workloads get, kueue.x-k8s.io/workloads/status patch, "+
		"kueue.x-k8s.io/admissionchecks/status patch")
	kueue := part("kueue", readsAndWatches("kueue.x-k8s.io/topologies")+", ") +
		part("kueue-workloads", readsAndWatches("kueue.x-k8s.io/workloads"))
	suspended := admission + part("suspend", readsAndWatches("batch/jobs")+", batch/jobs patch, batch/jobs/status patch, ") +
		part("suspend-jobsets", readsAndWatches("jobset.x-k8s.io/jobsets")+", jobset.x-k8s.io/jobsets patch")
	sakkara := part("sakkara", readsAndWatches("configmaps")+", configmaps patch, pods patch")
	wakes, nominations := part("wakes", "pods patch"), part("nominations", "pods/status patch")
	policy := func(name string) string {
		return fmt.Sprintf(", MutatingAdmissionPolicy %s, MutatingAdmissionPolicyBinding %s", name, name)
	}
	for _, one := range []struct{ options, more, less string }{
		{"--set topology.source=kueue", kueue, ""},
		{"--set topology.source=sakkara,topology.namespace=trees",
			"Role gangplan-tree, RoleBinding gangplan-tree, in trees configmaps list, in trees configmaps watch", ""},
		{severalTopologies("config/chart/Chart.yaml"), "ConfigMap gangplan-topologies", ""},
		{"--set topologies[0].name=a,topologies[0].source=kueue,topologies[1].name=b,topologies[1].source=sakkara," +
			"topologies[1].nodes.matchLabels.net=b", kueue +
			", Role gangplan-tree, RoleBinding gangplan-tree, in default configmaps list, in default configmaps watch", ""},
		{someTopology + " --set sakkara=true", sakkara, ""},
		{someTopology + " --set reservations=true",
			"Role gangplan-reservations, RoleBinding gangplan-reservations, " +
				"in gangplan configmaps list, in gangplan configmaps watch", ""},
		{someTopology + " --set rankLists.namespaces={ml}", "Role gangplan-ranks, RoleBinding gangplan-ranks, " +
			"in ml configmaps list, in ml configmaps watch, in ml configmaps patch", ""},
		{someTopology + " --set-json 'rankLists.namespaces=[\"*\"]'", "ClusterRole gangplan-ranks, " +
			"ClusterRoleBinding gangplan-ranks, configmaps list, configmaps watch, configmaps patch", ""},
		{someTopology + " --set provisioning.class=check-capacity.autoscaling.x-k8s.io", part("provisioning",
			"autoscaling.x-k8s.io/provisioningrequests get, autoscaling.x-k8s.io/provisioningrequests list, "+
				"autoscaling.x-k8s.io/provisioningrequests create, autoscaling.x-k8s.io/provisioningrequests delete, "+
				"podtemplates get, podtemplates create"), ""},
		{someTopology + " --set podGroupStatus=never", "", part("pod-group-status",
			"scheduling.x-k8s.io/podgroups/status patch")},
		{someTopology + " --set gates=gangplan", gates, ""},
		{someTopology + " --set gates=gangplan,admissionPolicies.gate=true",
			gates + policy("gangplan-gate-pods"), ""},
		{someTopology + " --set preemption=lower-priority",
			part("preemption", "pods patch, pods delete, pods/eviction create, "+
				"policy/poddisruptionbudgets list"), ""},
		{someTopology + " --set repair.after=30s", part("repair", "pods delete, pods/eviction create"), ""},
		{someTopology + " --set repair.after=0m,repair.readyTimeout=0.0h0ms,configuration.gang.readyTimeout=0m0s", "", ""},
		{someTopology + " --set repair.readyTimeout=0h0.5s",
			part("preemption", "pods patch, pods delete, pods/eviction create, "+
				"policy/poddisruptionbudgets list"), ""},
		{someTopology + " --set repair.onFailure=restart",
			part("preemption", "pods patch, pods delete, pods/eviction create, "+
				"policy/poddisruptionbudgets list"), ""},
		{someTopology + " --set api.enabled=true", part("api", "authorization.k8s.io/subjectaccessreviews create") +
			", Secret gangplan-api, Service gangplan-api, APIService v1alpha1.gangplan.io, " +
			"RoleBinding gangplan-api-authentication-reader, ClusterRole gangplan-view, ClusterRole gangplan-view-all, " +
			seen("gangs", "gangs/explanation", "gangs/history", "*"), ""},
		{someTopology + " --set tls.enabled=true", "Secret gangplan-tls, Secret gangplan-scheduler-tls", ""},
		{someTopology + " --set tls.enabled=true,tls.gangplan.secretName=a,tls.scheduler.secretName=b", "", ""},
		{someTopology + " --set replicas=2", "PodDisruptionBudget gangplan", ""},
		{someTopology + " --set suspendedJobs=true", suspended, ""},
		{someTopology + " --set admissionChecks=true", checks, ""},
		{someTopology + " --set suspendedJobs=true,admissionPolicies.suspend=true",
			suspended + policy("gangplan-suspend-jobs") + policy("gangplan-suspend-jobsets"), ""},
		{someTopology + " --set admissionPolicies.words=true",
			"ValidatingAdmissionPolicy gangplan-words, ValidatingAdmissionPolicyBinding gangplan-words", ""},
		{someTopology + " --set wake=annotate", wakes, nominations},
		{someTopology + " --kube-version 1.31.0", wakes, nominations},
		{someTopology + " --set resourceQuota=true", "ResourceQuota gangplan", ""},
		{someTopology + " --set priorityClassName=", "", "pod priorityClassName"},
		{someTopology + " --set networkPolicy.enabled=true", "NetworkPolicy gangplan", ""},
		{someTopology + " --set serviceMonitor.enabled=true",
			"Service gangplan, ServiceMonitor gangplan", ""},
		{someTopology + " --set prometheusRule.enabled=true", "PrometheusRule gangplan", ""},
		{someTopology + " --set global.any=thing", "", ""}, // as a part of somebody's chart
		{someTopology + " --set dashboard.enabled=true", "ConfigMap gangplan-dashboard", ""},
		{someTopology + " --set imagePullSecrets[0].name=pull,nodeSelector.pool=system," +
			"tolerations[0].operator=Exists",
			"pod imagePullSecrets, pod nodeSelector, pod tolerations, test imagePullSecrets", ""},
	} {
		got := facts(t, render(t, shell, one.options))
		more, less := without(got, base), without(base, got)
		if !slices.Equal(more, words(one.more)) || !slices.Equal(less, words(one.less)) {
			t.Errorf("%s:\nmore %q\nexpected %q\nless %q\nexpected %q", one.options, more,
				words(one.more), less, words(one.less))
		}
	}
}

func without(these, those map[string]bool) []string {
	left := maps.Clone(these)
	maps.DeleteFunc(left, func(name string, _ bool) bool { return those[name] })
	return slices.Sorted(maps.Keys(left))
}

func words(text string) []string {
	if text == "" {
		return nil
	}
	list := strings.Split(text, ", ")
	slices.Sort(list)
	return list
}
