package harness

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Pair is a kube-scheduler with Gangplan beside it.
type Pair struct {
	Gangplan  *Process
	Scheduler *Process
	Others    *Process // the scheduler of all other pods, when it is apart
	Verbs     *Recorder
	API       *Proxy
	Relay     *Relay
	tls       *pairTLS // of the verbs; nil: they are called openly
	api       *pairAPI // nil: it is not served
	plane     *ControlPlane
	options   Options
	port      int // of the verbs
	probePort int
	metrics   int // the scheduler's port
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
	if err = errors.Join(p.prepareTLS(), p.prepareAPI()); err != nil {
		return err
	}
	if p.options.Proxy {
		if p.API, err = startProxy(p.plane); err != nil {
			return err
		}
	}
	if p.options.Relay {
		if p.Relay, err = startRelay(strings.TrimPrefix(p.plane.url(), "https://")); err != nil {
			return err
		}
	}
	if err := p.StartGangplan(); err != nil || p.options.Alone {
		return err
	}
	if p.options.Apart {
		if err := p.startOthers(); err != nil {
			return err
		}
	}
	return p.StartScheduler()
}

// Stop ends both and returns Gangplan's exit code.
func (p *Pair) Stop() int {
	p.Scheduler.Stop()
	p.Others.Stop()
	code := p.Gangplan.Stop()
	if p.Verbs != nil {
		p.Verbs.stop()
	}
	if p.API != nil {
		p.API.stop()
	}
	if p.Relay != nil {
		p.Relay.stop()
	}
	if p.api != nil {
		p.api.remove()
	}
	return code
}

func (p *Pair) launch(name string, argv ...string) (*Process, error) {
	p.starts++
	log := p.plane.Env.path(fmt.Sprintf("%02d-%d-%s.log", pairs, p.starts, name))
	return startProcess(name, log, onHost(p.options.Host, argv)...)
}

// apiURL is where both programs find the API server.
func (p *Pair) apiURL() string {
	if p.Relay != nil {
		return "https://" + p.Relay.address()
	}
	return p.plane.url()
}

// StartGangplan starts it, also again after a Kill, and returns when it is ready.
func (p *Pair) StartGangplan() error {
	config, err := p.gangplanConfiguration()
	if err != nil {
		return err
	}
	p.Gangplan, err = p.launch("gangplan", p.plane.program(p.options), "serve", "--config", config)
	if err != nil {
		return err
	}
	if p.options.Unready {
		return nil
	}
	return p.AwaitReady()
}

// CheckGangplan has Gangplan read the configuration that these options make, and is an error with
// its words when it refuses it.
func (c *ControlPlane) CheckGangplan(options Options) error {
	p := &Pair{plane: c, options: options}
	config, err := p.gangplanConfiguration()
	if err != nil {
		return err
	}
	said, err := exec.Command(c.program(options), "serve", "--config", config, "--check").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}

// AwaitReady returns when Gangplan is ready.
func (p *Pair) AwaitReady() error { return p.AwaitReadyWithin(Deadline) }

// AwaitReadyWithin is the same with a deadline of its own.
func (p *Pair) AwaitReadyWithin(deadline time.Duration) error {
	return Within(deadline, "gangplan ready", func() error {
		if !p.Gangplan.Running() {
			return fmt.Errorf("gangplan has ended:\n%s", p.Gangplan.lastLines(20))
		}
		_, err := p.Probe("/readyz")
		return err
	})
}

// StartScheduler starts it, also again after a Kill. Its configuration is the one that is shipped;
// only addresses, credentials and the options are filled in.
func (p *Pair) StartScheduler() error {
	var err error
	if p.metrics, err = freePort(); err != nil {
		return err
	}
	p.Scheduler, err = p.startScheduler("scheduler", p.metrics, func(config map[string]any) error {
		if p.options.Apart {
			config["profiles"] = profileOf(GangScheduler)
		}
		if p.options.Pool != "" {
			config["profiles"] = p.options.pooledProfile()
		}
		return p.setExtenders(config)
	})
	return err
}

// startOthers starts the scheduler that the cluster has had before Gangplan came.
func (p *Pair) startOthers() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	p.Others, err = p.startScheduler("others", port, func(config map[string]any) error {
		delete(config, "extenders")
		config["profiles"] = profileOf(ForeignScheduler)
		return nil
	})
	return err
}

func profileOf(scheduler string) []any {
	return []any{map[string]any{"schedulerName": scheduler}}
}

func (o Options) scheduler() string {
	if o.Name != "" {
		return o.Name
	}
	return GangScheduler
}

func (o Options) fairness() string {
	if o.Fair {
		return "namespace"
	}
	return "none"
}

// pooledProfile is as the chart makes it of its value `nodes`.
func (o Options) pooledProfile() []any {
	profile := map[string]any{"schedulerName": o.scheduler()}
	if !o.Offered {
		term := map[string]any{"matchExpressions": []any{
			map[string]any{"key": PoolLabel, "operator": "In", "values": []any{o.Pool}}}}
		profile["pluginConfig"] = []any{map[string]any{"name": "NodeAffinity", "args": map[string]any{
			"addedAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{
				"nodeSelectorTerms": []any{term}}}}}}
	}
	return []any{profile}
}

func (p *Pair) startScheduler(name string, port int, edit func(map[string]any) error) (*Process, error) {
	kubeconfig, err := p.plane.kubeconfig("admin"+p.options.Host, p.apiURL(), adminToken)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(p.plane.Env.Examples, "scheduler-configuration.yaml"))
	if err != nil {
		return nil, err
	}
	var config map[string]any
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		return nil, err
	}
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 5000, "burst": 5000}
	config["leaderElection"] = p.options.leaderElection()
	if p.options.Percentage != 0 {
		config["percentageOfNodesToScore"] = p.options.Percentage
	}
	if err := edit(config); err != nil {
		return nil, err
	}
	file, err := p.write(name, config)
	if err != nil {
		return nil, err
	}
	flags := []string{"--config=" + file, "--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + p.plane.authority.certificateFile,
		"--tls-private-key-file=" + p.plane.authority.keyFile,
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig}
	if p.options.NativeGangs {
		flags = append(flags, nativeGangGates)
	}
	return p.launch("kube-"+name,
		append([]string{p.plane.Env.ControlPlane, "kube-scheduler"}, flags...)...)
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
		extender["urlPrefix"] = p.VerbsURL() + "/" + path
		if p.tls != nil {
			extender["enableHTTPS"], extender["tlsConfig"] = true, p.tls.extender()
		}
		if extender["filterVerb"] != nil && p.options.Steered {
			extender["prioritizeVerb"], extender["weight"] = "prioritize", 2
		}
		if extender["bindVerb"] != nil && p.options.BindTimeout != 0 {
			extender["httpTimeout"] = p.options.BindTimeout.String()
		}
	}
	if p.options.Before != "" {
		config["extenders"] = append([]any{map[string]any{"urlPrefix": p.options.Before, "filterVerb": "filter",
			"nodeCacheCapable": true, "httpTimeout": "2s"}}, extenders...)
	}
	return nil
}

// VerbsURL is where the scheduler calls.
func (p *Pair) VerbsURL() string {
	if p.tls != nil {
		return fmt.Sprintf("https://127.0.0.1:%d", p.port)
	}
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
func (p *Pair) Probe(path string) (string, error) { return get(p.ProbeURL() + path) }

func get(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", url, response.StatusCode, body)
	}
	return string(body), err
}
