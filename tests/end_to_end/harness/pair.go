package harness

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Options are what differs between the tests; zero values mean what is shipped.
type Options struct {
	Bare          bool // the scheduler without Gangplan, with everything else the same
	Percentage    int  // percentageOfNodesToScore
	BindTimeout   time.Duration
	GatherTimeout time.Duration
	RejectMax     int
	Proxy         bool   // between Gangplan and the API server
	Unrecorded    bool   // the scheduler calls Gangplan directly
	Affinity      bool   // preferred node affinity counts
	Kueue         bool   // the levels come from Kueue's Topology "default"
	Sakkara       bool   // groups and levels are those of Sakkara's ConfigMaps
	Unready       bool   // do not wait until Gangplan is ready
	Balanced      bool   // Kueue's balanced placement is on
	Suspended     bool   // Jobs that wait suspended are started
	Unasked       bool   // the scheduler knows nothing of Gangplan: server.verbs is false
	Gates         string // behind which pods wait: groups.gates
}

// Pair is a kube-scheduler with Gangplan beside it.
type Pair struct {
	Gangplan  *Process
	Scheduler *Process
	Verbs     *Recorder
	API       *Proxy
	plane     *ControlPlane
	options   Options
	port      int // of the verbs
	probePort int
	starts    int
}

var pairs int // numbers the logs

// StartPair returns when Gangplan is ready and the scheduler runs.
func (c *ControlPlane) StartPair(options Options) (*Pair, error) {
	pairs++
	p := &Pair{plane: c, options: options}
	if err := p.start(); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Pair) start() error {
	if p.options.Bare {
		return p.StartScheduler()
	}
	var err error
	if p.port, err = freePort(); err != nil {
		return err
	}
	if p.probePort, err = freePort(); err != nil {
		return err
	}
	if p.Verbs, err = startRecorder(fmt.Sprintf("127.0.0.1:%d", p.port)); err != nil {
		return err
	}
	if p.options.Proxy {
		if p.API, err = startProxy(p.plane); err != nil {
			return err
		}
	}
	if err := p.StartGangplan(); err != nil {
		return err
	}
	return p.StartScheduler()
}

// Stop ends both and returns Gangplan's exit code.
func (p *Pair) Stop() int {
	p.Scheduler.Stop()
	code := p.Gangplan.Stop()
	if p.Verbs != nil {
		p.Verbs.stop()
	}
	if p.API != nil {
		p.API.stop()
	}
	return code
}

func (p *Pair) launch(name string, argv ...string) (*Process, error) {
	p.starts++
	log := p.plane.Env.path(fmt.Sprintf("%02d-%d-%s.log", pairs, p.starts, name))
	return startProcess(name, log, argv...)
}

// StartGangplan starts it, also again after a Kill, and returns when it is ready.
func (p *Pair) StartGangplan() error {
	config, err := p.gangplanConfiguration()
	if err != nil {
		return err
	}
	p.Gangplan, err = p.launch("gangplan", p.plane.Env.Gangplan, "serve", "--config", config)
	if err != nil {
		return err
	}
	if p.options.Unready {
		return nil
	}
	return p.AwaitReady()
}

// AwaitReady returns when Gangplan is ready.
func (p *Pair) AwaitReady() error {
	return Eventually("gangplan ready", func() error {
		if !p.Gangplan.Running() {
			return fmt.Errorf("gangplan has ended:\n%s", p.Gangplan.lastLines(20))
		}
		_, err := p.Probe("/readyz")
		return err
	})
}

func (p *Pair) gangplanConfiguration() (string, error) {
	url := p.plane.url()
	if p.API != nil {
		url = p.API.url
	}
	kubeconfig, err := p.plane.kubeconfig("gangplan", url, gangplanToken)
	if err != nil {
		return "", err
	}
	config := map[string]any{
		"apiVersion":     "gangplan.io/v1alpha1",
		"kind":           "ExtenderConfiguration",
		"cluster":        map[string]any{"source": "api", "kubeconfig": kubeconfig},
		"server":         p.serverSettings(),
		"topologies":     []any{p.topology()},
		"schedulerNames": []any{GangScheduler},
	}
	if p.options.GatherTimeout != 0 {
		config["gang"] = map[string]any{"gatherTimeout": p.options.GatherTimeout.String()}
	}
	if p.options.Affinity {
		config["engines"] = map[string]any{"tas": map[string]any{"preferredNodeAffinity": true}}
	}
	if p.options.RejectMax != 0 {
		config["waiting"] = map[string]any{"rejectMax": p.options.RejectMax}
	}
	config["groups"] = p.groups()
	if p.options.Balanced {
		config["engines"] = map[string]any{"tas": map[string]any{"balancedPlacement": true}}
	}
	return p.write("gangplan", config)
}

func (p *Pair) groups() map[string]any {
	groups := map[string]any{"sakkara": p.options.Sakkara, "suspendedJobs": p.options.Suspended}
	if p.options.Gates != "" {
		groups["gates"] = p.options.Gates
	}
	return groups
}

func (p *Pair) topology() map[string]any {
	if p.options.Kueue {
		return map[string]any{"name": "default", "source": "kueue"}
	}
	if p.options.Sakkara {
		return map[string]any{"name": "default", "source": "sakkara",
			"namespace": SakkaraTopologyNamespace}
	}
	return map[string]any{
		"name": "default",
		"levels": []any{
			map[string]any{"name": "block", "label": BlockLabel},
			map[string]any{"name": "rack", "label": RackLabel},
			map[string]any{"name": "node", "label": "kubernetes.io/hostname"},
		},
	}
}

func (p *Pair) serverSettings() map[string]any {
	server := map[string]any{"port": p.port, "probePort": p.probePort, "verbs": !p.options.Unasked}
	if p.options.BindTimeout != 0 {
		server["bindTimeout"] = p.options.BindTimeout.String()
	}
	return server
}

// StartScheduler starts it, also again after a Kill. Its configuration is the one that is shipped;
// only addresses, credentials and the options are filled in.
func (p *Pair) StartScheduler() error {
	kubeconfig, err := p.plane.kubeconfig("admin", p.plane.url(), adminToken)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(p.plane.Env.Examples, "scheduler-configuration.yaml"))
	if err != nil {
		return err
	}
	var config map[string]any
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		return err
	}
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 5000, "burst": 5000}
	config["leaderElection"] = map[string]any{"leaderElect": false}
	if p.options.Percentage != 0 {
		config["percentageOfNodesToScore"] = p.options.Percentage
	}
	if err := p.setExtenders(config); err != nil {
		return err
	}
	file, err := p.write("scheduler", config)
	if err != nil {
		return err
	}
	p.Scheduler, err = p.launch("kube-scheduler", p.plane.Env.ControlPlane, "kube-scheduler",
		"--config="+file, "--leader-elect=false", "--secure-port=0")
	return err
}

func (p *Pair) setExtenders(config map[string]any) error {
	if p.options.Bare || p.options.Unasked {
		delete(config, "extenders")
		return nil
	}
	extenders, ok := config["extenders"].([]any)
	if !ok || len(extenders) == 0 {
		return fmt.Errorf("scheduler-configuration.yaml names no extenders")
	}
	for _, entry := range extenders {
		extender, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("scheduler-configuration.yaml: an extender is %v", entry)
		}
		prefix, _ := extender["urlPrefix"].(string)
		_, path, found := strings.Cut(strings.TrimPrefix(prefix, "http://"), "/")
		if !found {
			return fmt.Errorf("scheduler-configuration.yaml: no path in urlPrefix %q", prefix)
		}
		extender["urlPrefix"] = p.verbsURL() + "/" + path
		if extender["bindVerb"] != nil && p.options.BindTimeout != 0 {
			extender["httpTimeout"] = p.options.BindTimeout.String()
		}
	}
	return nil
}

func (p *Pair) verbsURL() string {
	if p.options.Unrecorded {
		return fmt.Sprintf("http://127.0.0.1:%d", p.port)
	}
	return p.Verbs.url
}

func (p *Pair) write(name string, config map[string]any) (string, error) {
	text, err := yaml.Marshal(config)
	if err != nil {
		return "", err
	}
	file := p.plane.Env.path(fmt.Sprintf("%02d-%s.yaml", pairs, name))
	return file, os.WriteFile(file, text, 0o600)
}

// ProbeURL is where gangplan answers questions.
func (p *Pair) ProbeURL() string { return fmt.Sprintf("http://127.0.0.1:%d", p.probePort) }

// Probe asks the second listener of Gangplan.
func (p *Pair) Probe(path string) (string, error) {
	response, err := http.Get(p.ProbeURL() + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", path, response.StatusCode, body)
	}
	return string(body), err
}

// Metric is the sum of a metric over all its series that carry the label text, such as
// verb="filter".
func (p *Pair) Metric(name, label string) (float64, error) {
	text, err := p.Probe("/metrics")
	if err != nil {
		return 0, err
	}
	sum, found := 0.0, false
	for line := range strings.Lines(text) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		family, labels, _ := strings.Cut(series, "{")
		if !ok || family != name || !strings.Contains(labels, label) {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("metric %s: %w", name, err)
		}
		sum, found = sum+number, true
	}
	if !found {
		return 0, fmt.Errorf("there is no metric %s{%s}", name, label)
	}
	return sum, nil
}
