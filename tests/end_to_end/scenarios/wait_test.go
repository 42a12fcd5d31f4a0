package scenarios

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// Two Jobs want the last free rack. One gets it whole; the other waits whole, says why, and starts
// when a rack becomes free, woken by a nomination. Single free nodes elsewhere keep the scheduler
// asking: where it finds no node itself, the condition is its own.
func TestTwoJobsOneRack(t *testing.T) {
	s := begin(t, harness.Options{})
	free, next := shape.RackNodes(3, 7), shape.RackNodes(1, 4)
	kept := slices.Concat(free, next)
	for rack := range shape.Racks {
		kept = append(kept, shape.RackNodes(0, rack)[0])
	}
	s.fill("fill", 8, allNodesBut(kept...)...)
	s.fill("fill-next", 8, next...)
	s.must(plane.CreateJob(harness.GangJob("red", 1, "rack=pack!"), 80))
	s.must(plane.CreateJob(harness.GangJob("blue", 1, "rack=pack!"), 80))

	winner, loser := s.waitForOneOf("red", "blue", 80)
	words := "gang default/" + loser + ": 80 members must share one rack"
	view.Wait(s, "every pod of the other says why it waits", func() (bool, string) {
		count, text := told(loser, words)
		return count == 80, fmt.Sprintf("%d of 80: %s", count, text)
	})
	_, text := told(loser, words)
	s.Logf("%s has the rack; %s waits: %s", winner, loser, text)
	s.waitQuiet(loser)
	s.checkCommands(winner, loser)
	if _, bound := view.Count(loser); bound != 0 {
		s.Fatalf("%d pods of the waiting gang are bound", bound)
	}

	s.must(plane.DeletePods("fill-next"))
	s.waitBound(loser, 80)
	s.checkJob(loser, 1, 1, 10)
	if nominated := view.Nominated(loser); nominated != 80 {
		s.Errorf("%d of the 80 waiting pods were woken by a nomination", nominated)
	}
}

func (s scenario) waitForOneOf(one, other string, count int) (whole, rest string) {
	s.Helper()
	taken := view.Wait(s, "one of two gangs is whole", func() (bool, string) {
		_, a := view.Count(one)
		_, b := view.Count(other)
		if b == count {
			one, other = other, one
		}
		return a == count || b == count, fmt.Sprintf("%d and %d bound", a, b)
	})
	s.Logf("%s: %d pods bound after %s", one, count, seconds(taken))
	return one, other
}

// waitQuiet waits until nobody has asked for the gang's pods for two seconds.
func (s scenario) waitQuiet(name string) {
	s.Helper()
	view.Wait(s, name+": no filter call for 2 s", func() (bool, string) {
		calls := s.Verbs.Calls("filter", name)
		if len(calls) == 0 {
			return true, ""
		}
		since := time.Since(calls[len(calls)-1].Started)
		return since > 2*time.Second, fmt.Sprintf("the last of %d was %s ago", len(calls), seconds(since))
	})
}

// A Job that fits into no block is told so at once, and then left in peace.
func TestJobLargerThanAnyBlock(t *testing.T) {
	const members = 201 // of a whole node each; a block has 200
	const words = "gang default/giant: impossible: 201 members must share one block"
	s := begin(t, harness.Options{RejectMax: 1000})
	s.must(plane.CreateJob(harness.GangJob("giant", 8, "block=pack!"), members))
	taken := view.Wait(s, "every pod says that it is impossible", func() (bool, string) {
		count, text := told("giant", words)
		return count == members, fmt.Sprintf("%d of %d: %s", count, members, text)
	})
	_, text := told("giant", words)
	s.Logf("told after %s: %s", seconds(taken), text)

	view.Never(s, "a pod of an impossible gang is bound", 20*time.Second, func() (bool, string) {
		_, bound := view.Count("giant")
		return bound != 0, fmt.Sprintf("%d bound", bound)
	})
	calls := map[string]int{}
	most := 0
	for _, call := range s.Verbs.Calls("filter", "giant") {
		calls[call.Pod]++
		most = max(most, calls[call.Pod])
	}
	s.Logf("at most %d filter calls for one pod", most)
	if most > 3 {
		s.Errorf("%d filter calls for one pod in 20 quiet seconds", most)
	}
	s.checkFilterMetric()
	s.checkEvent("involvedObject.kind=Job,involvedObject.name=giant", "GangImpossible",
		"201 members")
	s.checkExplain("giant", "impossible")
}

// checkFilterMetric compares Gangplan's own count with what was seen between it and the scheduler.
func (s scenario) checkFilterMetric() {
	s.Helper()
	counted, err := s.Metric("gangplan_verb_calls_total", `verb="filter"`)
	s.must(err)
	if seen := len(s.Verbs.Calls("filter", "")); int(counted) != seen {
		s.Errorf("gangplan_verb_calls_total counts %v filter calls; %d were made", counted, seen)
	}
}

// checkEvent waits for an Event with these words on what the field selector finds.
func (s scenario) checkEvent(selector, reason, words string) {
	s.Helper()
	view.Wait(s, fmt.Sprintf("an Event %s with %q on %s", reason, words, selector),
		func() (bool, string) {
			events, err := plane.Client.CoreV1().Events("").List(context.Background(),
				metav1.ListOptions{FieldSelector: selector})
			if err != nil {
				return false, err.Error()
			}
			var seen []string
			for _, event := range events.Items {
				if event.Reason == reason && strings.Contains(event.Message, words) {
					s.Logf("an Event says: %s", event.Message)
					return true, ""
				}
				seen = append(seen, event.Reason+": "+event.Message)
			}
			return false, strings.Join(seen, ", ")
		})
}

func (s scenario) checkExplain(gang, word string) {
	s.Helper()
	output, err := exec.Command(plane.Env.Gangplan, "explain", harness.Namespace+"/"+gang,
		"--server", s.ProbeURL()).CombinedOutput()
	if err != nil || !strings.Contains(string(output), word) {
		s.Errorf("gangplan explain: %v\n%s", err, output)
	}
	s.Logf("gangplan explain says:\n%s", output)
}

// command runs one of Gangplan's commands against it.
func (s scenario) command(words ...string) string {
	s.Helper()
	words = append(words, "--server", s.ProbeURL())
	output, err := exec.Command(plane.Env.Gangplan, words...).CombinedOutput()
	if err != nil {
		s.Errorf("gangplan %s: %v", strings.Join(words, " "), err)
	}
	s.Logf("gangplan %s:\n%s", words[0], output)
	return string(output)
}

// checkCommands asks for both gangs, and for a pod of the second, as people do.
func (s scenario) checkCommands(running, waiting string) {
	s.Helper()
	list := s.command("list", "-n", harness.Namespace)
	for gang, words := range map[string]string{running: `Running 80/80 0 \d+s `, waiting: `Blocked 0/80 0 \d+s 80 members`} {
		line := regexp.MustCompile(regexp.QuoteMeta(harness.Namespace+"/"+gang) + " " + words)
		if !line.MatchString(strings.Join(strings.Fields(list), " ")) {
			s.Errorf("gangplan list does not say %s", line)
		}
	}
	byJob := s.command("why", "job/"+waiting, "-n", harness.Namespace)
	byPod := s.command("why", harness.Namespace+"/"+view.Pods(waiting)[0].Name)
	if !strings.Contains(byJob, "80 members must share one rack") || byJob != byPod {
		s.Errorf("of the Job and of its pod is said:\n%s%s", byJob, byPod)
	}
}

// A gang that no rack holds says what it comes to, and asks for less when the time has come.
func TestLadder(t *testing.T) {
	const members, after = 12, 8 * time.Second // a rack has ten nodes
	s := begin(t, harness.Options{})
	spec := harness.Gang("climber", members, 8, "rack=pack! | after 8s: block=pack!")
	s.must(plane.CreatePods(spec, 0, members))
	view.Wait(s, "its pods say what it comes to", func() (bool, string) {
		count, text := told("climber", "after 8s of waiting \"block=pack!\" will do")
		return count > 0, fmt.Sprintf("%d of %d: %s", count, members, text)
	})
	s.waitBound("climber", members)
	oldest := view.Pods("climber")[0].CreationTimestamp.Time
	first := view.Bindings("climber")[0]
	if waited := first.At.Sub(oldest); waited < after {
		s.Errorf("%s was bound %s after it was made, before the time of the rung", first.Pod,
			seconds(waited))
	}
	s.checkExtent(view.Bound("climber"), 1, 2, members)
	for _, pod := range view.Bound("climber") {
		if rung := pod.Annotations["gangplan.io/assigned-rung"]; rung != "1" {
			s.Errorf("%s tells rung %q, expected 1", pod.Name, rung)
		}
	}
}
