package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// The aggregated API behind a real API server: people see by kubectl what their roles allow, and
// whoever comes past the API server sees nothing.
func TestAggregatedAPI(t *testing.T) {
	s := begin(t, harness.Options{API: true, Suspended: true})
	s.must(s.AwaitAPI())
	s.must(plane.CreateJob(harness.GangJob("runs", 1, "rack=pack!"), 10))
	s.runs("runs", 10)
	s.must(plane.CreateJob(harness.GangJob("waits", 8, "rack=pack!"), 11)) // a rack has ten nodes
	view.Wait(s, "the second gang says why it waits", func() (bool, string) {
		count, text := told("waits", "11 members")
		return count == 11, text
	})
	admin, jane, john := s.shellOf("admin"), s.shellOf(harness.Viewer), s.shellOf(harness.Stranger)
	s.showsGangs(admin)
	s.showsWhatTheRoleAllows(jane, john)
	s.showsByThePlugin(jane, admin)
	s.holdsAndRequeues(jane, admin)
	s.refusesWhoComesPast()
	metrics, err := s.Metrics()
	s.must(err)
	for _, result := range []string{"ok", "refused"} {
		if metrics.Sum("gangplan_api_requests_total", "result", result) == 0 {
			t.Errorf("no request is counted as %s", result)
		}
	}
}

// Opens the page and reads what a browser would.
const pageOfTheProxy = `kubectl gangplan page --port 18411 >page.txt 2>&1 & page=$!
trap 'kill $page' EXIT
until grep -q 'Starting to serve' page.txt; do kill -0 $page || exit 1; sleep 0.1; done
curl -sf "$(head -n 1 page.txt)"`

func (s scenario) shellOf(user string) *harness.Shell {
	s.Helper()
	shell, err := s.ShellOf(user)
	s.must(err)
	return shell
}

func (s scenario) prints(shell *harness.Shell, script string, words ...string) string {
	s.Helper()
	out, err := shell.Run(script)
	if err != nil {
		s.Errorf("%v\n%s", err, out)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			s.Errorf("%s: no %q in\n%s", script, word, out)
		}
	}
	return out
}

func (s scenario) refuses(shell *harness.Shell, script, says string) {
	s.Helper()
	if out, err := shell.Run(script); err == nil || !strings.Contains(err.Error(), says) {
		s.Errorf("%s: expected %q, got %v\n%s", script, says, err, out)
	}
}

var age = regexp.MustCompile(`^[0-9]+m?[0-9]*s$`)

// cells are the words of a table but for ages.
func cells(table string) (words []string) {
	for _, word := range strings.Fields(table) {
		if !age.MatchString(word) {
			words = append(words, word)
		}
	}
	return words
}

// showsGangs: the table is that of docs/api.md, but for the ages.
func (s scenario) showsGangs(admin *harness.Shell) {
	s.Helper()
	out := s.prints(admin, "kubectl get gangs -A", "NAMESPACE", "runs", "waits")
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/api.md"))
	s.must(err)
	_, shown, _ := strings.Cut(string(text), "$ kubectl get gangs -A\n")
	shown, _, _ = strings.Cut(shown, "```")
	if !slices.Equal(cells(shown), cells(out)) {
		s.Errorf("docs/api.md shows\n%sand this is printed\n%s", shown, out)
	}
	s.prints(admin, "kubectl get gang runs -o jsonpath='{.status.state} {.status.pods}'", "Running 10/10")
	s.prints(admin, "kubectl get gangs --field-selector status.state=Blocked -o name", "gang.gangplan.io/waits")
	s.prints(admin, "kubectl get gg -o wide", "RULES", "rack=pack!")
	s.prints(admin, "kubectl describe gang waits", "Name:", "waits", "State:", "Blocked", "Evidence:")
	s.prints(admin, "kubectl api-resources --api-group gangplan.io", "gg", "Gang")
	if out := s.prints(admin, "kubectl get gangs -A --chunk-size 1 --no-headers"); strings.Count(out, "\n") != 2 {
		s.Errorf("page by page:\n%s", out)
	}
	s.prints(admin, "kubectl get --raw /apis/gangplan.io/v1alpha1/topology", `"levels":["block","rack","node"]`)
	s.prints(admin, "kubectl get --raw /apis/gangplan.io/v1alpha1/page/v1/list", `"name":"default/runs"`)
	s.prints(admin, "kubectl get --raw /apis/gangplan.io/v1alpha1/page/", "<!doctype html>")
	s.prints(admin, "kubectl get --raw /apis/gangplan.io/v1alpha1/page/page/main.js", "import")
	s.prints(admin, "kubectl get --raw /apis/gangplan.io/v1alpha1/page/figures/state", `"generation"`)
	s.refuses(admin, "kubectl get gangs -l a=b", "gangs have no labels")
	s.refuses(admin, "kubectl get gang nobody", `gangs.gangplan.io "nobody" not found`)
	s.refuses(admin, "kubectl delete gang runs", "MethodNotAllowed")
}

func (s scenario) showsWhatTheRoleAllows(jane, john *harness.Shell) {
	s.Helper()
	s.prints(jane, "kubectl get gangs", "runs", "waits")
	s.prints(jane, "kubectl get gang waits -o yaml", "state: Blocked")
	s.refuses(jane, "kubectl get gangs -n kube-system", `cannot list resource "gangs" in API group "gangplan.io" in the namespace "kube-system"`)
	s.refuses(jane, "kubectl get gangs -A", "at the cluster scope")
	s.refuses(jane, "kubectl get --raw /apis/gangplan.io/v1alpha1/topology", "orbidden")
	s.refuses(john, "kubectl get gangs", "orbidden")
	s.refuses(john, "kubectl get gang runs", "orbidden")
}

func (s scenario) showsByThePlugin(jane, admin *harness.Shell) {
	s.Helper()
	s.prints(jane, "kubectl gangplan list", "STATE", "runs")
	for _, name := range []string{"waits", "job/waits", "pod/" + view.Pods("waits")[0].Name} {
		s.prints(jane, "kubectl gangplan why "+name, "Job default/waits: Blocked", "asked:")
	}
	s.prints(jane, "kubectl gangplan history runs -n default", "TIME ", "Running")
	s.prints(jane, "kubectl gangplan history runs -n default -o json", `"state":"Running"`)
	s.prints(jane, "kubectl gangplan history --help", "Usage: kubectl gangplan history NAME")
	s.refuses(jane, "kubectl gangplan why waits -o yaml", "expected -o text or json")
	s.prints(jane, "kubectl gangplan why waits -n default -o json", `"state":"Blocked"`)
	s.refuses(jane, "kubectl gangplan explain nobody", "no group default/nobody")
	s.refuses(jane, "kubectl gangplan why waits -n kube-system", "orbidden")
	s.refuses(jane, "kubectl gangplan list -A", "orbidden")
	s.refuses(jane, "kubectl gangplan shout", "there is no command shout")
	s.prints(admin, "kubectl gangplan topology", `"nodes":[`)
	s.prints(admin, "kubectl gangplan plan -f examples/job-rack.yaml || [ $? -eq 1 ]", "default/trainer")
	s.prints(admin, "kubectl gangplan why waits -o json", `"state":"Blocked"`)
	s.prints(admin, "kubectl gangplan map", "nvidia.com/gpu of each node")
	s.prints(admin, "kubectl gangplan capacity --shape 8gpu", "IN ONE", "LOST")
	s.prints(admin, "kubectl gangplan drain \"$(kubectl get nodes -o name | head -n 1 | cut -d / -f 2)\" --dry-run || [ $? -eq 1 ]",
		"1 node: ")
	s.prints(admin, "kubectl gangplan doctor || [ $? -eq 1 ]", "version ", "levels ")
	s.prints(admin, "kubectl gangplan replay -o wide || [ $? -eq 3 ]", "default/runs")
	s.prints(admin, pageOfTheProxy, "<!doctype html>")
	s.prints(jane, "kubectl_complete-gangplan why ''", "runs", ":4")
	s.prints(admin, "kubectl gangplan snapshot -o saved.json && grep -c runs saved.json", "1")
	s.prints(admin, "kubectl gangplan plan -f examples/job-rack.yaml --snapshot saved.json || [ $? -eq 1 ]", "default/trainer")
}

func (s scenario) holdsAndRequeues(jane, admin *harness.Shell) {
	s.Helper()
	const held = `kubectl get job waits -o "jsonpath=<{.metadata.annotations.gangplan\\.io/hold}>"`
	s.prints(admin, "kubectl gangplan hold job/waits waits for its data && "+held, "<waits for its data>")
	s.prints(admin, "kubectl gangplan release job/waits && "+held, "<>")
	s.refuses(jane, "kubectl gangplan hold job/waits", "orbidden")
	s.refuses(admin, "kubectl gangplan hold waits", "hold wants KIND/NAME, such as job/train")
	const nice = `kubectl get job waits -o "jsonpath=<{.metadata.annotations.gangplan\\.io/nice}>"`
	s.prints(admin, "kubectl gangplan nice job/waits 10 && "+nice, "<10>")
	s.prints(admin, "kubectl gangplan nice job/waits 0 && "+nice, "<>")
	s.refuses(admin, "kubectl gangplan nice job/waits -1", "nice wants a whole number from 0 to 10000, not -1")
	s.refuses(admin, "kubectl gangplan nice job/waits 10001", "nice wants a whole number from 0 to 10000, not 10001")
	s.refuses(admin, "kubectl gangplan nice job/waits", "nice takes one KIND/NAME and a number")
	s.refuses(jane, "kubectl gangplan nice job/waits 10", "orbidden")
	s.refuses(admin, "kubectl gangplan requeue job/runs", "job/runs has no gangplan.io/pinned")
	s.must(plane.Submit(harness.SuspendedJob(harness.GangJob("again", 1, "rack=pack!"), 3)))
	s.waitBound("again", 3)
	s.refuses(jane, "kubectl gangplan requeue job/again", "orbidden")
	s.prints(admin, "kubectl gangplan requeue job/again", "patched")
	view.Wait(s, "it has started anew", func() (bool, string) {
		bindings := len(view.Bindings("again"))
		return bindings == 6, fmt.Sprintf("%d Bindings", bindings)
	})
}

func (s scenario) refusesWhoComesPast() {
	s.Helper()
	const gangs = "/apis/gangplan.io/v1alpha1/namespaces/default/gangs"
	for _, one := range []struct {
		certificate, status int
		user, group, path   string
	}{
		{harness.ProxyCertificate, 200, harness.Viewer, "people", gangs},
		{harness.ProxyCertificate, 403, harness.Viewer, "people", "/apis/gangplan.io/v1alpha1/gangs"},
		{harness.ProxyCertificate, 403, harness.Stranger, "people", gangs},
		{harness.ProxyCertificate, 403, "jane%20", "people", gangs},
		{harness.ProxyCertificate, 401, "", "system:masters", gangs},
		{harness.NoCertificate, 401, "admin", "system:masters", gangs},
		{harness.OtherName, 401, "admin", "system:masters", gangs},
		{harness.OtherIssuer, 401, "admin", "system:masters", gangs},
		{harness.NoCertificate, 401, "admin", "system:masters", "/apis"},
	} {
		status, body, err := s.AskAPI(one.certificate, one.user, one.group, one.path)
		if err != nil || status != one.status || status > 200 && !strings.Contains(body, fmt.Sprintf(`"code":%d`, status)) {
			s.Errorf("%+v: %d %v\n%s", one, status, err, body)
		}
	}
}

// missesReviews: nobody can say what she may.
func missesReviews(s scenario) {
	s.must(s.AwaitAPI())
	s.refuses(s.shellOf(harness.Viewer), "kubectl get gangs", "whether you may is not known")
}
