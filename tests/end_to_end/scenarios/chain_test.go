package scenarios

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// docs/other-extenders.md: Gangplan behind an extender of others.

// refuser is an extender that lets no pod go to some nodes.
func refuser(t *testing.T, nodes []string) (url string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var call struct{ NodeNames []string }
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		failed := map[string]string{}
		left := slices.DeleteFunc(call.NodeNames, func(name string) bool {
			if slices.Contains(nodes, name) {
				failed[name] = "not of this pod's kind"
			}
			return failed[name] != ""
		})
		json.NewEncoder(w).Encode(map[string]any{"NodeNames": left, "FailedNodes": failed})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/theirs", asked
}

// Room is left in two racks. The one that Gangplan would take is refused by the extender before it, of
// which nobody has told Gangplan: the gang starts in the other one, as a whole.
func TestChainOfExtenders(t *testing.T) {
	tight, other := shape.RackNodes(1, 2), shape.RackNodes(3, 0)
	url, asked := refuser(t, tight)
	s := begin(t, harness.Options{Before: url})
	s.fill("fill", 8, allNodesBut(append(slices.Clone(tight), other...)...)...)
	s.must(plane.CreateJob(harness.GangJob("chained", 8, "rack=pack!"), 8))
	s.waitBound("chained", 8)
	for _, pod := range view.Bound("chained") {
		if !slices.Contains(other, pod.Spec.NodeName) {
			t.Errorf("%s is on %s", pod.Name, pod.Spec.NodeName)
		}
	}
	t.Logf("the extender before it was asked %d times", asked.Load())
	if asked.Load() < 8 {
		t.Error("the scheduler did not ask the extender before Gangplan")
	}
}

// kube-scheduler takes the chain that the page shows.
func TestChainOfThePageIsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(plane.Env.Tree, "docs/other-extenders.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(text), "```yaml\n")
	shown, _, _ = strings.Cut(shown, "```")
	file := filepath.Join(t.TempDir(), "chain.yaml")
	if err := os.WriteFile(file, []byte(shown), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plane.CheckScheduler(file); err != nil {
		t.Error(err)
	}
	twice := strings.Replace(shown, "  filterVerb: filter\n", "  filterVerb: filter\n  bindVerb: bind\n", 1)
	if err := os.WriteFile(file, []byte(twice), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plane.CheckScheduler(file); err == nil {
		t.Error("two extenders that bind were taken")
	}
}
