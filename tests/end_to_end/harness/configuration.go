package harness

// The configuration that the options of a pair make.

// Configuration is the file that Gangplan is served with.
func (p *Pair) Configuration() (string, error) { return p.gangplanConfiguration() }

func (p *Pair) gangplanConfiguration() (string, error) {
	url := p.apiURL()
	if p.API != nil {
		url = p.API.url
	}
	kubeconfig, err := p.plane.kubeconfig("gangplan"+p.options.Host, url, gangplanToken)
	if err != nil {
		return "", err
	}
	config := map[string]any{
		"apiVersion":     "gangplan.io/v1alpha1",
		"kind":           "ExtenderConfiguration",
		"cluster":        map[string]any{"source": "api", "kubeconfig": kubeconfig},
		"server":         p.serverSettings(),
		"topologies":     []any{p.topology()},
		"schedulerNames": []any{p.options.scheduler()},
	}
	if p.options.Rings != "" {
		racks := p.topology()
		racks["nodes"] = map[string]any{"matchExpressions": []any{map[string]any{"key": RackLabel, "operator": "Exists"}}}
		config["topologies"] = []any{racks, map[string]any{"name": "rings", "source": "slurm", "file": p.options.Rings}}
	}
	if p.options.Pool != "" {
		config["nodes"] = map[string]any{"matchLabels": map[string]any{PoolLabel: p.options.Pool}}
	}
	if p.options.Saved != "" {
		config["cluster"] = map[string]any{"source": "file", "file": p.options.Saved}
	}
	gang := map[string]any{}
	if p.options.GatherTimeout != 0 {
		gang["gatherTimeout"] = p.options.GatherTimeout.String()
	}
	if p.options.NotReady != 0 {
		gang["readyTimeout"] = p.options.NotReady.String()
	}
	if len(gang) > 0 {
		config["gang"] = gang
	}
	if p.options.Affinity {
		config["engines"] = map[string]any{"tas": map[string]any{"preferredNodeAffinity": true}}
	}
	if p.options.RejectMax != 0 {
		config["waiting"] = map[string]any{"rejectMax": p.options.RejectMax}
	}
	config["groups"] = p.groups()
	if p.options.Queue != "" {
		config["queue"] = map[string]any{"mode": p.options.Queue, "fairness": p.options.fairness()}
	}
	if p.options.VacantShare != "" {
		config["limits"] = map[string]any{"namespace": map[string]any{"vacantShare": p.options.VacantShare}}
	}
	if p.options.Reservations {
		config["reservations"] = map[string]any{"namespace": ReservationNamespace}
	}
	if p.options.RankLists {
		config["rankLists"] = map[string]any{"namespaces": []string{Namespace}}
	}
	if p.options.Provisioning != "" {
		config["provisioning"] = map[string]any{"class": p.options.Provisioning, "after": "1s",
			"retries": 1, "backOff": "2s", "maxBackOff": "2s"}
	}
	if p.options.Annotate {
		config["wake"] = "annotate"
	}
	if p.options.Preemption {
		config["preemption"] = "lower-priority-and-pods"
	}
	if p.options.Balanced {
		config["engines"] = map[string]any{"tas": map[string]any{"balancedPlacement": true}}
	}
	if p.options.Repair != 0 {
		repair := map[string]any{"after": p.options.Repair.String()}
		if p.options.Restart != 0 {
			repair["onFailure"], repair["timeout"] = "restart", p.options.Restart.String()
		}
		if p.options.Relax != 0 {
			repair["onFailure"], repair["timeout"] = "relax", p.options.Relax.String()
		}
		config["repair"] = repair
	}
	if p.options.Lease != "" {
		config["leader"] = map[string]any{"lease": Namespace + "/" + p.options.Lease}
	}
	return p.write("gangplan", config)
}

func (p *Pair) groups() map[string]any {
	groups := map[string]any{"sakkara": p.options.Sakkara, "suspendedJobs": p.options.Suspended,
		"admissionChecks": p.options.Checks}
	if p.options.CheckPatience != 0 {
		groups["admissionCheckPatience"] = p.options.CheckPatience.String()
	}
	if p.options.RejectAfter != 0 {
		groups["admissionCheckRejectAfter"] = p.options.RejectAfter.String()
	}
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
	racks := RackLabel
	if p.options.Racks != "" {
		racks = p.options.Racks
	}
	return map[string]any{
		"name": "default",
		"levels": []any{
			map[string]any{"name": "block", "label": BlockLabel},
			map[string]any{"name": "rack", "label": racks},
			map[string]any{"name": "node", "label": "kubernetes.io/hostname"},
		},
	}
}

func (p *Pair) serverSettings() map[string]any {
	server := map[string]any{"port": p.port, "probePort": p.probePort, "verbs": !p.options.Unasked}
	if p.options.BindTimeout != 0 {
		server["bindTimeout"] = p.options.BindTimeout.String()
	}
	if p.tls != nil {
		server["tls"] = p.tls.settings()
	}
	if p.api != nil {
		server["api"] = p.api.settings()
	}
	return server
}
