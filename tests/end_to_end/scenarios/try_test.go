package scenarios

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

// tryDeadline is how long all of it may take: it starts a control plane of its own.
const tryDeadline = 3 * time.Minute

// ./dev try, but for its builds: what it prints can be typed and is true, and after Ctrl-C none of its
// programs is left.
func TestTry(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), tryDeadline)
	defer cancel()
	command := exec.CommandContext(ctx, os.Getenv("GANGPLAN_TRY"))
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	shown := readUntil(lines, "Ctrl-C ends it all.")
	t.Logf("shown after %s:\n%s", seconds(time.Since(start)), shown)
	children := childrenOf(t, command.Process.Pid)
	if len(children) != 6 {
		t.Errorf("%d programs run: %v", len(children), children)
	}
	checkTyped(t, ctx, shown)
	start = time.Now()
	command.Process.Signal(syscall.SIGINT)
	said := readUntil(lines, "have ended.")
	if err := command.Wait(); err != nil || !strings.Contains(said, "All programs") {
		t.Errorf("it ended with %v, and said %q", err, said)
	}
	t.Logf("ended within %s", seconds(time.Since(start)))
	for child, name := range children {
		if now, err := nameOf(child); err == nil && now == name {
			t.Errorf("%s is left, process %d", name, child)
		}
	}
}

// checkTyped types what was shown.
func checkTyped(t *testing.T, ctx context.Context, shown string) {
	t.Helper()
	export := regexp.MustCompile(`(?m)^  (export .*)$`).FindStringSubmatch(shown)
	_, typed, found := strings.Cut(shown, "Then, for example:\n")
	if export == nil || !found {
		t.Fatal("it does not say how to go on")
	}
	var said []string
	for line := range strings.Lines(typed) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		out, err := exec.CommandContext(ctx, "bash", "-c", export[1]+"\n"+line).CombinedOutput()
		if err != nil {
			t.Errorf("%s%v\n%s", line, err, out)
		}
		said = append(said, string(out))
	}
	said = append(said, make([]string, 4)...)
	for i, words := range [][]string{
		{"trainer", "pretraining", "giant", "11 members must share one rack; the largest holds 10"},
		{"pretraining-63-", "Running", "next-9-", "Pending", "n-00-00-01"},
		{"Job default/next: Blocked", "10 members must share one rack; no rack has room for all of them now"},
		{"deleted"},
	} {
		for _, word := range words {
			if !strings.Contains(said[i], word) {
				t.Errorf("no %q in\n%s", word, said[i])
			}
		}
	}
	err := harness.Eventually("next runs, since a rack is free, on nodes that are played", func() error {
		out, err := exec.CommandContext(ctx, "bash", "-c", export[1]+
			"\nkubectl get gang next -o jsonpath='{.status.state}'; kubectl get job next -o jsonpath=' {.status.ready}'",
		).CombinedOutput()
		if err == nil && string(out) != "Running 10" {
			err = fmt.Errorf("%s", out)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	page := regexp.MustCompile(`The page, live: (\S+)`).FindStringSubmatch(shown)
	answer, err := http.Get(page[1])
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || !strings.HasPrefix(string(body), "<!doctype html>") {
		t.Errorf("the page: %v %.80s", err, body)
	}
}

// readUntil is all lines up to the one with these words, or to the end.
func readUntil(lines *bufio.Scanner, words string) string {
	var text strings.Builder
	for lines.Scan() {
		fmt.Fprintln(&text, lines.Text())
		if strings.Contains(lines.Text(), words) {
			break
		}
	}
	return text.String()
}

// childrenOf is the programs that a process has started, by their ids.
func childrenOf(t *testing.T, parent int) map[int]string {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int]string{}
	for _, folder := range folders {
		status, err := os.ReadFile(folder + "/status")
		if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", parent)) {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(folder))
		if children[id], err = nameOf(id); err != nil {
			t.Fatal(err)
		}
	}
	return children
}

// nameOf is the command line of a process.
func nameOf(id int) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
	return strings.ReplaceAll(strings.TrimRight(string(text), "\x00"), "\x00", " "), err
}

// What a build says of itself meanwhile: by ninja's count, by that of the packages that Go compiles,
// and where neither is known.
func TestBuildsSayHowFarTheyAre(t *testing.T) {
	for log, said := range map[string]string{
		"[1/12] A\n[3/12] B\n":            "  build: 3 of 12 after 6 s; about 18 s more\n",
		"go: downloading a v1\nb\nc\nd\n": "  build: 3 of 9 after 6 s; about 12 s more\n",
		"go: downloading a v1\n":          "  build: at it for 6 s\n",
		"[5/5] A\n":                       "  build: at it for 6 s\n", // the last step
		"":                                "  build: at it for 6 s\n",
	} {
		file := filepath.Join(t.TempDir(), "build.log")
		if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("bash", "-euo", "pipefail", "-c",
			`source "$1/tests/progress.sh"; how_far 9 "$2" 6`, "", plane.Env.Tree, file).Output()
		if err != nil || string(out) != said {
			t.Errorf("%q: %v %q, not %q", log, err, out, said)
		}
	}
}
