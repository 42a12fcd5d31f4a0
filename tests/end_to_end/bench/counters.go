package main

import (
	"maps"
	"strings"

	"gangplan.io/tests/end_to_end/harness"
)

// counters is every number that only grows: at one moment, or how much over a time. The word before
// the slash is its kind; a figure's name tells the rest.
type counters map[string]float64

// Watches that are open: how many there are now, not a number that grows.
const openWatches = "open/"

func (c counters) minus(before counters) counters {
	grown := counters{}
	for name, count := range c {
		if by := count - before[name]; by != 0 && !strings.HasPrefix(name, openWatches) {
			grown[name] = by
		}
	}
	for name, watches := range c {
		resource, isOpen := strings.CutPrefix(name, openWatches)
		if events := grown["watch/events to all: "+resource]; isOpen && watches > 0 && events > 0 {
			grown["watch/events to each watch: "+resource] = events / watches
		}
	}
	return grown
}

// reader takes them from everybody: who is asked works for it, so that processor times are read
// last before a run, and first after it.
type reader struct {
	plane *harness.ControlPlane
	pair  *harness.Pair
}

func (r reader) before() (counters, error) { return inTurn(r.told, r.processes) }
func (r reader) after() (counters, error)  { return inTurn(r.processes, r.told) }

func inTurn(first, second func() (counters, error)) (counters, error) {
	one, err := first()
	if err != nil {
		return nil, err
	}
	other, err := second()
	maps.Copy(one, other)
	return one, err
}

// processes is what the kernel counts.
func (r reader) processes() (counters, error) {
	found := counters{}
	for name, process := range map[string]*harness.Process{
		"API server": r.plane.APIServer, "etcd": r.plane.Etcd, "controllers": r.plane.Controllers,
		"scheduler": r.pair.Scheduler, "the others' scheduler": r.pair.Others,
		"gangplan": r.pair.Gangplan,
	} {
		if process == nil {
			continue
		}
		time, err := process.CPU()
		if err != nil {
			return nil, err
		}
		found["cpu/"+name] = time.Seconds()
	}
	if r.pair.Gangplan != nil {
		read, err := r.pair.Gangplan.BytesRead()
		if err != nil {
			return nil, err
		}
		found["watch/bytes to gangplan"] = float64(read)
	}
	return found, nil
}

// told is what the programs count themselves.
func (r reader) told() (counters, error) {
	found := counters{}
	server, err := r.plane.Metrics()
	if err != nil {
		return nil, err
	}
	addServer(found, server)
	scheduler, err := r.pair.SchedulerMetrics()
	if err != nil {
		return nil, err
	}
	found["attempt/pods"] = scheduler.Sum("scheduler_schedule_attempts_total")
	found["attempt/groups"] = scheduler.Sum("scheduler_podgroup_schedule_attempts_total")
	if r.pair.Gangplan == nil {
		return found, nil
	}
	gangplan, err := r.pair.Metrics()
	if err != nil {
		return nil, err
	}
	for verb, count := range gangplan.By("gangplan_verb_calls_total", label("verb")) {
		found["call/"+verb] = count
	}
	return found, nil
}

func label(name string) func(map[string]string) string {
	return func(labels map[string]string) string { return labels[name] }
}

// addServer adds writes, conflicts and events of watches. The metrics do not tell clients apart:
// the figures are of all of them, also of the bench, which is the same on every road.
func addServer(found counters, server harness.Metrics) {
	for request, count := range server.By("apiserver_request_total", writeOf) {
		found["write/"+request] = count
	}
	for request, count := range server.By("apiserver_request_total", conflictOf) {
		found["conflict/"+request] = count
	}
	for resource, events := range server.By("apiserver_watch_events_total", watchOf) {
		found["watch/events to all: "+resource] = events
	}
	for resource, open := range server.By("apiserver_longrunning_requests", watchesOf) {
		found[openWatches+resource] = open
	}
	for resource, bytes := range server.By("apiserver_watch_events_sizes", watchOf) {
		found["watch/bytes to all: "+resource] = bytes
	}
}

func writeOf(labels map[string]string) string {
	switch labels["verb"] {
	case "POST", "PUT", "PATCH", "APPLY", "DELETE":
	default:
		return ""
	}
	if !counted[labels["resource"]] {
		return ""
	}
	return labels["verb"] + " " + strings.TrimSuffix(labels["resource"]+"/"+labels["subresource"], "/")
}

func conflictOf(labels map[string]string) string {
	if labels["code"] != "409" {
		return ""
	}
	return writeOf(labels)
}

func watchOf(labels map[string]string) string {
	if !watched[labels["resource"]] {
		return ""
	}
	return labels["resource"]
}

func watchesOf(labels map[string]string) string {
	if labels["verb"] != "WATCH" {
		return ""
	}
	return watchOf(labels)
}

// counted and watched leave out what the parts do by themselves from time to time, such as leases,
// and what is one in hundreds of pods.
var (
	counted = map[string]bool{"pods": true, "jobs": true, "jobsets": true, "events": true,
		"podgroups": true, "workloads": true, "nodes": true}
	watched = map[string]bool{"pods": true, "jobs": true, "jobsets": true}
)
