package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"gangplan.io/tests/end_to_end/harness"
)

// The rules and the dashboard of the chart, by promtool, and by a Prometheus that scrapes Gangplan.

func chartFile(name string) string {
	return filepath.Join(plane.Env.Tree, "config/chart/files", name)
}

// series is the values of some metrics, a sample a minute.
type series map[string]string

// healthy is a Gangplan about which nobody is to be told.
var healthy = series{"gangplan_nodes": "16+0x100", "gangplan_unplaced_nodes": "2+0x100",
	"gangplan_foreign_nodes":   "0+0x100",
	"gangplan_topology_levels": "3+0x100", "gangplan_watch_age_seconds": "180+0x100"}

// alerts is for each rule what makes it fire after 95 minutes, alone, and what nearly does.
var alerts = []struct {
	name, labels string // beside the rule's own
	loud, quiet  series
}{
	{"GangplanIsGone", "namespace: b, job: pair-b",
		series{`gangplan_nodes{namespace="b", job="pair-b", instance="x"}`: "4+0x80 _x20"},
		series{`gangplan_nodes{namespace="b", job="pair-b", instance="x"}`: "4+0x80 _x20",
			`gangplan_nodes{namespace="b", job="pair-b", instance="y"}`: "_x81 4+0x20"}},
	{"GangplanNobodyActs", "", series{"gangplan_acts": "0+0x100"}, series{"gangplan_acts": "1+0x100"}},
	{"GangplanKnowsNoTopology", "", series{"gangplan_topology_levels": "0+0x100"},
		series{"gangplan_topology_levels": "1+0x100"}},
	{"GangplanPlacesOnNoNode", "", series{"gangplan_unplaced_nodes": "16+0x100"},
		series{"gangplan_unplaced_nodes": "15+0x100"}},
	{"GangplanNodesLostTheirPlace", "", series{"gangplan_unplaced_nodes": "2+0x70 3+0x30"},
		series{"gangplan_unplaced_nodes": "3+0x70 2+0x30"}},
	{"GangplanWatchIsStale", "", series{"gangplan_watch_age_seconds": "181+0x100"}, healthy},
	{"GangplanHasADefect", "what: exception",
		series{`gangplan_unexpected_total{what="exception"}`: "_x90 1+0x10"},
		series{`gangplan_unexpected_total{what="exception"}`: "1+0x100",
			`gangplan_unexpected_total{what="thread"}`: "0+0x20 1+0x80"}},
	{"GangplanManyWaitByRejection", "road: error",
		series{`gangplan_waiting_groups{road="error"}`: "1+0x100"},
		series{`gangplan_waiting_groups{road="rejected"}`: "1+0x100"}},
	{"GangplanGangWaitsWithRoomFree", "",
		series{`gangplan_longest_wait_seconds{room="free"}`: "0+60x100"},
		series{`gangplan_longest_wait_seconds{room="free"}`: "3600+0x100",
			`gangplan_longest_wait_seconds{room="short"}`: "0+60x100"}},
	{"GangplanRefusesBindCalls", "", series{"gangplan_refused_bind_calls_total": "0+0x90 1+0x10"},
		series{"gangplan_refused_bind_calls_total": "7+0x100"}},
	{"GangplanBindingsFail", "", series{`gangplan_bindings_total{outcome="refused"}`: "0+1x100"},
		series{`gangplan_bindings_total{outcome="bound"}`: "0+1x100"}},
	{"GangplanAnswersFail", "verb: filter",
		series{`gangplan_verb_calls_total{verb="filter",result="failed"}`: "0+1x100"},
		series{`gangplan_verb_calls_total{verb="filter",result="error"}`: "0+1x100"}},
	{"GangplanCertificateEnds", "listener: verbs", // a week after 95 minutes are 610,500 s
		series{`gangplan_tls_certificate_expiry_timestamp_seconds{listener="verbs"}`: "610000+0x100"},
		series{`gangplan_tls_certificate_expiry_timestamp_seconds{listener="verbs"}`: "610500+0x100"}},
	{"GangplanCannotReadPods", "", series{"gangplan_faulty_pods": "1+0x100"},
		series{"gangplan_faulty_pods": "0+0x100"}},
}

// alertsOfReleases is what several Gangplans in one Prometheus tell: each for itself, and which one it is.
var alertsOfReleases = []struct {
	these  series
	labels string
}{
	{series{`gangplan_unexpected_total{what="thread", namespace="a", job="pair-a"}`: "1+0x100",
		`gangplan_unexpected_total{what="thread", namespace="b", job="pair-b"}`: "1+0x60 2+0x40"},
		"alertname: GangplanHasADefect, alertstate: firing, severity: warning, namespace: b, job: pair-b, what: thread"},
	{series{`gangplan_longest_wait_seconds{room="free", namespace="a", job="pair-a"}`: "60+0x100",
		`gangplan_longest_wait_seconds{room="free", namespace="b", job="pair-b"}`: "3660+0x100"},
		"alertname: GangplanGangWaitsWithRoomFree, alertstate: firing, severity: warning, namespace: b, job: pair-b"},
	// Eight a quarter of an hour of each are too few; sixteen of one are not.
	{series{`gangplan_bindings_total{outcome="refused", namespace="a", job="pair-a"}`: "0+0.5x100",
		`gangplan_bindings_total{outcome="refused", namespace="b", job="pair-b"}`: "0+0.5x100"}, ""},
	{series{`gangplan_bindings_total{outcome="refused", namespace="a", job="pair-a"}`: "0+0.5x100",
		`gangplan_bindings_total{outcome="refused", namespace="b", job="pair-b"}`: "0+1x100"},
		"alertname: GangplanBindingsFail, alertstate: firing, severity: warning, namespace: b, job: pair-b"},
	{series{`gangplan_verb_calls_total{verb="bind",result="failed", namespace="a", job="pair-a"}`: "3+0x100",
		`gangplan_verb_calls_total{verb="bind",result="failed", namespace="b", job="pair-b"}`: "0+1x100"},
		"alertname: GangplanAnswersFail, alertstate: firing, severity: warning, namespace: b, job: pair-b, verb: bind"},
}

// rule is one alert of the file.
type rule struct {
	Alert, Expr string
	Labels      map[string]string
}

func rules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile(chartFile("rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Groups[0].Rules
}

// Each rule fires when it should, alone, and is quiet at its limit.
func TestAlerts(t *testing.T) {
	t.Parallel()
	if err := plane.Env.Promtool("check", "rules", chartFile("rules.yaml")); err != nil {
		t.Error(err)
	}
	var cases []string
	for i, rule := range rules(t) {
		if i >= len(alerts) || alerts[i].name != rule.Alert {
			t.Fatalf("no case of the rule %s, or not in the order of the file", rule.Alert)
		}
		labels := fmt.Sprintf("alertname: %s, alertstate: firing, severity: %s", rule.Alert,
			rule.Labels["severity"])
		if alerts[i].labels != "" {
			labels += ", " + alerts[i].labels
		}
		cases = append(cases, alertCase(alerts[i].loud, labels), alertCase(alerts[i].quiet, ""))
	}
	for _, one := range alertsOfReleases {
		cases = append(cases, alertCase(one.these, one.labels))
	}
	cases = append(cases, // none that anybody knows of; a count that has grown; one release goes on
		alertCase(nil, "alertname: GangplanIsGone, alertstate: firing, severity: critical"),
		alertCase(series{`gangplan_unexpected_total{what="exception"}`: "1+0x60 2+0x40"},
			"alertname: GangplanHasADefect, alertstate: firing, severity: warning, what: exception"),
		alertCase(series{`gangplan_nodes{namespace="b", job="pair-b"}`: "4+0x100"}, ""))
	file := filepath.Join(t.TempDir(), "alerts.yaml")
	text := fmt.Sprintf("rule_files: [%q]\nevaluation_interval: 1m\ntests:\n%s", chartFile("rules.yaml"),
		strings.Join(cases, ""))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plane.Env.Promtool("test", "rules", file); err != nil {
		t.Error(err)
	}
}

// alertCase is one of promtool's: with these series, and else a healthy Gangplan (none at all: no
// Gangplan), the alert with these labels fires and no other; without labels none.
func alertCase(these series, labels string) string {
	values := series{}
	if these != nil {
		maps.Copy(values, healthy)
		maps.Copy(values, these)
	}
	var inputs []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inputs = append(inputs, fmt.Sprintf("{series: %q, values: %q}", name, values[name]))
	}
	samples := ""
	if labels != "" {
		var quoted []string
		for _, label := range strings.Split(labels, ", ") {
			key, value, _ := strings.Cut(label, ": ")
			quoted = append(quoted, fmt.Sprintf("%s=%q", key, value))
		}
		samples = fmt.Sprintf("{labels: %q, value: 1}", "ALERTS{"+strings.Join(quoted, ", ")+"}")
	}
	return fmt.Sprintf("- interval: 1m\n  input_series: [%s]\n  promql_expr_test:\n"+
		"  - {expr: 'ALERTS{alertstate=\"firing\"}', eval_time: 95m, exp_samples: [%s]}\n",
		strings.Join(inputs, ", "), samples)
}

// dashboard is what the tests read of one.
type dashboard struct {
	Title, UID string
	Panels     []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// dashboardQueries is every expression of the dashboard, of each panel, as Grafana asks it for these jobs.
func dashboardQueries(t *testing.T, jobs string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(chartFile("dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var read dashboard
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	queries := map[string][]string{}
	for _, panel := range read.Panels {
		if len(panel.Targets) == 0 {
			t.Errorf("the panel %q asks nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			queries[panel.Title] = append(queries[panel.Title], strings.ReplaceAll(target.Expr, "$job", jobs))
		}
	}
	return queries
}

// Of two replicas the one that acts is counted, and of two releases those that are chosen.
func TestDashboardCountsEachGangOnce(t *testing.T) {
	t.Parallel()
	inputs := []string{}
	for _, one := range []struct {
		labels             string
		acts, running, all int
	}{{`job="a", instance="x"`, 1, 40, 7}, {`job="a", instance="y"`, 0, 40, 7}, {`job="b", instance="z"`, 1, 2, 1}} {
		for name, value := range map[string]int{
			fmt.Sprintf("gangplan_acts{%s}", one.labels):                             one.acts,
			fmt.Sprintf(`gangplan_groups{%s, state="Running"}`, one.labels):          one.running,
			fmt.Sprintf(`gangplan_waiting_groups{%s, road="suspended"}`, one.labels): one.all,
			fmt.Sprintf("gangplan_held_slots{%s}", one.labels):                       one.all,
		} {
			inputs = append(inputs, fmt.Sprintf("{series: %q, values: '%d'}", name, value))
		}
	}
	var cases []string
	for _, one := range []struct{ jobs, panel, labels, value string }{
		{"a", "Gangs by state", `{state="Running"}`, "40"},
		{".*", "Gangs by state", `{state="Running"}`, "42"},
		{"a", "Gangs that wait, by how", `{road="suspended"}`, "7"},
		{"b", "Room held, and bind calls held", `gangplan_held_slots{job="b", instance="z"}`, "1"},
	} {
		queries := dashboardQueries(t, one.jobs)[one.panel]
		if len(queries) == 0 {
			t.Fatalf("no panel %q", one.panel)
		}
		cases = append(cases, fmt.Sprintf("  - {expr: %q, eval_time: 0, exp_samples: [{labels: %q, value: %s}]}\n",
			queries[0], one.labels, one.value))
	}
	file := filepath.Join(t.TempDir(), "dashboard.yaml")
	text := fmt.Sprintf("tests:\n- interval: 1m\n  input_series: [%s]\n  promql_expr_test:\n%s",
		strings.Join(inputs, ", "), strings.Join(cases, ""))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plane.Env.Promtool("test", "rules", file); err != nil {
		t.Error(err)
	}
}

// One Grafana has a dashboard of each release, which it knows by their uids.
func TestEachReleaseHasADashboard(t *testing.T) {
	t.Parallel()
	shell := newShell(t)
	seen := map[string]bool{}
	for _, release := range []string{"gangplan", "pair-a", "pair.b", strings.Repeat("x", 53)} {
		text, err := shell.Run(fmt.Sprintf("helm template %s config/chart --kube-version 1.36.3 %s "+
			"--set dashboard.enabled=true --show-only templates/dashboard.yaml", release, someTopology))
		if err != nil {
			t.Fatal(err)
		}
		var read dashboard
		if err := json.Unmarshal([]byte(renderedFile(t, text, release+".json")), &read); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^[-\w]{1,40}$`).MatchString(read.UID) || seen[read.UID] || seen[read.Title] ||
			len(read.Panels) == 0 {
			t.Errorf("%s: the uid %q, the title %q, %d panels", release, read.UID, read.Title, len(read.Panels))
		}
		seen[read.UID], seen[read.Title] = true, true
	}
}

// A Prometheus that scrapes Gangplan, while gangs start and one waits, has series for every query of
// the dashboard, and no alert fires. Every metric that a query or a rule names is one of Gangplan's.
func TestDashboardShowsGangplan(t *testing.T) {
	s := begin(t, harness.Options{})
	prometheus, err := plane.Env.StartPrometheus(s.ProbeURL(), chartFile("rules.yaml"))
	s.must(err)
	defer prometheus.Stop()
	s.must(plane.CreateJob(harness.GangJob("starts", 8, "rack=pack!"), 4))
	s.must(plane.CreateJob(harness.GangJob("waits", 8, "rack=pack!"), 11)) // a rack has ten nodes
	s.must(plane.CreateJob(harness.Foreign("plain", 1), 2))
	s.waitBound("starts", 4)
	s.waitBound("plain", 2)
	queries := slices.Concat(slices.Collect(maps.Values(dashboardQueries(t, ".*")))...)
	for _, query := range queries {
		if err := prometheus.Sees(query); err != nil {
			t.Error(err)
		}
	}
	for _, rule := range rules(t) {
		queries = append(queries, rule.Expr)
		firing, err := prometheus.Query(rule.Expr)
		if err != nil || firing != 0 {
			t.Errorf("%s: %d series, %v", rule.Alert, firing, err)
		}
	}
	checkMetricsExist(t, queries)
}

func checkMetricsExist(t *testing.T, queries []string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(plane.Env.Tree, "extender/observe/metrics.cc"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`gangplan_\w+`).FindAllString(strings.Join(queries, " "), -1) {
		if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(string(source), `"`+name+`"`) {
			t.Errorf("Gangplan has no metric %s", name)
		}
	}
}
