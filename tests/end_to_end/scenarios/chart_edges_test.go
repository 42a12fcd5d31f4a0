package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the schema of the chart's values lets through at its edges is what Gangplan reads.

type valuesSchema struct{ properties, definitions object }

func readSchema(t *testing.T) valuesSchema {
	t.Helper()
	schema := object(fileOfTree(t, "config/chart/values.schema.json"))
	return valuesSchema{schema.at("properties").(map[string]any), schema.at("definitions").(map[string]any)}
}

// knownEdges is what the schema cannot say of a value, by its path or its definition: least and most.
var knownEdges = map[string][2]any{
	"duration":                          {"0s", "24h"},
	"time":                              {"1ms", "24h"},
	"percentage":                        {"0%", "100%"},
	"server.bindTimeout":                {"10s", "24h"},
	"server.maxHeldCalls":               {1, 65536 - 256},
	"provisioning.class":                {"", strings.Repeat("a", 253)},
	"provisioning.parameters":           {map[string]any{}, manyParameters()},
	"resources.excludeResourcePrefixes": {[]any{}, manyPrefixes()},
}

func manyPrefixes() (all []any) {
	for i := range 32 {
		one := fmt.Sprintf("Example-%d.com/_", i)
		all = append(all, one+strings.Repeat("x", 253-len(one)))
	}
	return all
}

func manyParameters() map[string]any {
	all := map[string]any{}
	for i := range 100 {
		all[fmt.Sprint("name-", i)] = strings.Repeat("x", 255)
	}
	return all
}

// edge is the least or the most of what may stand at the path.
func (v valuesSchema) edge(t *testing.T, path string, of object, most int) any {
	t.Helper()
	name := strings.TrimPrefix(of.text("$ref"), "#/definitions/")
	for _, key := range []string{path, name} {
		if edges, known := knownEdges[key]; known {
			return edges[most]
		}
	}
	if name != "" {
		return v.edge(t, path, object(v.definitions.at(name).(map[string]any)), most)
	}
	if words, ok := of["enum"].([]any); ok {
		return words[most*(len(words)-1)]
	}
	switch of.text("type") {
	case "boolean":
		return most == 1
	case "integer":
		return of.at([]any{"minimum", "maximum"}[most])
	case "object":
		all := map[string]any{}
		inner := of.at("properties").(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			all[key] = v.edge(t, strings.TrimPrefix(path+"."+key, "configuration."), inner[key].(map[string]any), most)
		}
		return all
	}
	t.Fatalf("%s: edges that nobody knows: %v", path, of)
	return nil
}

// All least values together, and all greatest, are read by both programs.
func TestChartEdgesAreRead(t *testing.T) {
	t.Parallel()
	shell, schema := newShell(t), readSchema(t)
	for most, name := range []string{"least", "most"} {
		options := someTopology
		for _, key := range []string{"configuration", "repair", "queue", "provisioning"} {
			text, err := json.Marshal(schema.edge(t, key, schema.properties.at(key).(map[string]any), most))
			if err != nil {
				t.Fatal(err)
			}
			options += fmt.Sprintf(" --set-json '%s=%s'", key, text)
		}
		options += " " + requirements(16*most)
		checkConfigurations(t, name, render(t, shell, options))
	}
}

// valuePaths is every value that has a default, as --set names it.
func valuePaths(values map[string]any, prefix string) (paths []string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := prefix + strings.ReplaceAll(key, ".", `\.`)
		paths = append(paths, path)
		if inner, ok := values[key].(map[string]any); ok {
			paths = append(paths, valuePaths(inner, path+".")...)
		}
	}
	return paths
}

// Whoever takes a default away by null is told which one is needed, or has what both programs read.
func TestChartWithoutADefault(t *testing.T) {
	t.Parallel()
	values := fileOfTree(t, "config/chart/values.yaml")
	shell, refused, read := newShell(t), 0, map[string]bool{}
	paths := valuePaths(values, "")
	for _, path := range paths {
		if path == "topology" {
			continue // it has to be said
		}
		rendered, err := shell.Render(everything + " --set dashboard.enabled=false,resourceQuota=false --set '" + path + "=null'")
		if err == nil {
			text := renderedFile(t, rendered, "gangplan.yaml") + renderedFile(t, rendered, "scheduler-configuration.yaml")
			if !read[text] {
				checkConfigurations(t, path, rendered)
			}
			read[text] = true
			continue
		}
		parent, key := "", path
		if at := strings.LastIndex(path, "."); at >= 0 {
			parent, key = "/"+strings.ReplaceAll(path[:at], ".", "/"), path[at+1:]
		}
		if told := fmt.Sprintf("at '%s': missing property '%s'", parent, key); !strings.Contains(err.Error(), told) {
			t.Errorf("%s=null: %v", path, err)
		}
		refused++
	}
	if refused < 40 || len(paths)-refused < 15 {
		t.Errorf("%d of %d were refused", refused, len(paths))
	}
}

// A file of values takes back what the one before it says of the levels.
func TestChartValuesInLayers(t *testing.T) {
	t.Parallel()
	shell, folder := newShell(t), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return " --values " + path
	}
	base := write("base.yaml", "topology: {preset: gke}\n")
	for i, one := range []struct{ here, topologies string }{
		{"topology: null\ntopologies: [{name: a, preset: aws-3}]\n", "name: a\n  preset: aws-3"},
		{"topology: {preset: null}\ntopologies: [{name: a, preset: aws-3}]\n", "name: a\n  preset: aws-3"},
		{"topology: {preset: null, source: kueue, name: net}\n", "name: net\n  source: kueue"},
	} {
		rendered := render(t, shell, base+write(fmt.Sprintf("here-%d.yaml", i), one.here))
		checkConfigurations(t, one.here, rendered)
		if text := renderedFile(t, rendered, "gangplan.yaml"); !strings.Contains(text, "topologies:\n- "+one.topologies+"\n") ||
			strings.Contains(text, "gke") {
			t.Errorf("%s\nbecame\n%s", one.here, text)
		}
	}
}

// Names that YAML reads as something else where nobody quotes them: numbers, booleans, nothing, a time.
var readOtherwise = []string{"7", "007", "0x1f", "1e3", "0.5", "true", "no", "on", "y", "null", "2026-11-29"}

// notTexts is where in it a name, or what labels and annotations say, is no text.
func notTexts(value any, path string, words bool) (found []string) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			below := words || slices.Contains([]string{"labels", "annotations", "matchLabels", "nodeSelector", "data"}, key)
			named := strings.HasSuffix(strings.ToLower(key), "name") || strings.HasSuffix(strings.ToLower(key), "namespace")
			if _, text := inner.(string); !text && named {
				found = append(found, fmt.Sprintf("%s.%s: %v", path, key, inner))
			}
			found = append(found, notTexts(inner, path+"."+key, below && !named)...)
		}
	case []any:
		listed := strings.HasSuffix(path, "Names") || strings.HasSuffix(path, ".values")
		for i, inner := range value {
			found = append(found, notTexts(inner, fmt.Sprintf("%s[%d]", path, i), words || listed)...)
		}
	case string:
	default:
		if words {
			found = append(found, fmt.Sprintf("%s: %v", path, value))
		}
	}
	return found
}

// A name is a text in every object and in both configurations, whatever it looks like.
func TestChartNamesAreTexts(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	for _, name := range readOtherwise {
		space := strings.ReplaceAll(name, ".", "-")
		options := fmt.Sprintf("--set topology=null --set-string schedulerName=%[1]s,priorityClassName=%[1]s,topologies[0].name=%[1]s,"+
			"topologies[1].namespace=%[2]s,rankLists.namespaces[0]=%[2]s,imagePullSecrets[0].name=%[1]s,nodeSelector.pool=%[1]s,"+
			"serviceMonitor.labels.release=%[1]s,prometheusRule.labels.release=%[1]s,"+
			"api.certificate.secretName=%[1]s,api.certificate.caBundle=x,"+
			"tls.gangplan.secretName=%[1]s,tls.scheduler.secretName=%[1]s "+
			"--set topologies[0].source=slurm,topologies[0].file=x,topologies[1].name=b,topologies[1].source=sakkara,"+
			"reservations=true,admissionPolicies.words=true", name, space)
		if strings.Contains(name, ".") {
			options += " --set api.enabled=false,serviceMonitor.enabled=false"
		}
		rendered, err := shell.Run(fmt.Sprintf("helm template %s config/chart --namespace %s --kube-version 1.36.3 %s %s",
			name, space, everything, options))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, o := range objectsIn(t, rendered) {
			found := notTexts(map[string]any(o), o.text("kind"), false)
			if o.text("metadata", "name") == name+"-topologies" && o.text("data", name) != "x" {
				found = append(found, fmt.Sprintf("data: %v", o.at("data")))
			}
			if o.text("metadata", "labels", "app.kubernetes.io/instance") != name {
				found = append(found, "it has no label with the release")
			}
			for _, file := range []string{"gangplan.yaml", "scheduler-configuration.yaml"} {
				for _, configuration := range objectsIn(t, o.text("data", file)) {
					found = append(found, notTexts(map[string]any(configuration), file, false)...)
				}
			}
			for _, one := range found {
				t.Errorf("release %s, %s %v: %s", name, o.text("kind"), o.at("metadata", "name"), one)
			}
		}
	}
	// What chooses no topology goes by the one of this name, as an annotation of the test says.
	for _, name := range append(readOtherwise, "fast: ib", `a "b" #c`) {
		rendered := render(t, shell, fmt.Sprintf("--set topology.preset=gke --set-string 'topology.name=%s'", name))
		for _, o := range objectsIn(t, rendered) {
			if got := o.at("spec", "template", "metadata", "annotations", "gangplan.io/topology"); o.text("kind") == "Job" && got != name {
				t.Errorf("%s became %v", name, got)
			}
		}
	}
}

// A Service is called as a part of a host's name is.
func TestChartReleaseNameOfAService(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	for options, allowed := range map[string]bool{"": true, "api.enabled=true": false, "serviceMonitor.enabled=true": false} {
		_, err := shell.Run("helm template a.b config/chart --kube-version 1.36.3 " + someTopology + " --set replicas=1," + options)
		refused := err != nil && strings.Contains(err.Error(), `one without a dot expected, got "a.b"`)
		if refused == allowed || (err != nil && !refused) {
			t.Errorf("%q: %v", options, err)
		}
	}
}
