package harness

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Prometheus is one that scrapes a Gangplan each second, with the rules of a file.
type Prometheus struct {
	process *Process
	url     string
}

// HasPrometheus is whether this machine has the program.
func (e Environment) HasPrometheus() bool {
	_, err := os.Stat(filepath.Join(e.Tools, "prometheus"))
	return err == nil
}

// StartPrometheus returns at once; what was scraped so far is what it answers with.
func (p *Pair) StartPrometheus(rules string) (*Prometheus, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	env := p.plane.Env
	config := fmt.Sprintf("{global: {scrape_interval: 1s, evaluation_interval: 1s}, rule_files: [%q], "+
		"scrape_configs: [{job_name: gangplan, static_configs: [{targets: [%q]}]}]}\n",
		rules, strings.TrimPrefix(p.ProbeURL(), "http://"))
	file := env.path("prometheus.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	process, err := startProcess("prometheus", env.path("prometheus.log"),
		filepath.Join(env.Tools, "prometheus"), "--config.file="+file, "--web.listen-address="+address,
		"--storage.tsdb.path="+env.path("prometheus"))
	return &Prometheus{process, "http://" + address}, err
}

// Stop ends it.
func (p *Prometheus) Stop() { p.process.Stop() }

// Query is how many series an expression has now.
func (p *Prometheus) Query(expression string) (int, error) {
	text, err := get(p.url + "/api/v1/query?query=" + url.QueryEscape(expression))
	if err != nil {
		return 0, err
	}
	var answer struct{ Data struct{ Result []any } }
	err = json.Unmarshal([]byte(text), &answer)
	return len(answer.Data.Result), err
}

// Promtool runs it, and is an error with its words when it is not content.
func (e Environment) Promtool(arguments ...string) error {
	said, err := exec.Command(filepath.Join(e.Tools, "promtool"), arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("promtool %s: %w\n%s", strings.Join(arguments, " "), err, said)
	}
	return nil
}
