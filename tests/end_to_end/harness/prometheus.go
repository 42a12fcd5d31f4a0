package harness

import (
	"encoding/json"
	"errors"
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

// StartPrometheus scrapes the Gangplan whose probes are at this URL. It returns at once; what was
// scraped so far is what it answers with.
func (e Environment) StartPrometheus(probes, rules string) (*Prometheus, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf("{global: {scrape_interval: 1s, evaluation_interval: 1s}, rule_files: [%q], "+
		"scrape_configs: [{job_name: gangplan, static_configs: [{targets: [%q]}]}]}\n",
		rules, strings.TrimPrefix(probes, "http://"))
	name := e.path(fmt.Sprintf("prometheus-%d", port))
	if err := os.WriteFile(name+".yaml", []byte(config), 0o600); err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	process, err := startProcess("prometheus", name+".log", filepath.Join(e.Tools, "prometheus"),
		"--config.file="+name+".yaml", "--web.listen-address="+address, "--storage.tsdb.path="+name)
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

// Sees returns when an expression has a series.
func (p *Prometheus) Sees(expression string) error {
	return Eventually(expression, func() error {
		found, err := p.Query(expression)
		if err == nil && found == 0 {
			err = errors.New("no series")
		}
		return err
	})
}

// Promtool runs it, and is an error with its words when it is not content.
func (e Environment) Promtool(arguments ...string) error {
	said, err := exec.Command(filepath.Join(e.Tools, "promtool"), arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("promtool %s: %w\n%s", strings.Join(arguments, " "), err, said)
	}
	return nil
}
