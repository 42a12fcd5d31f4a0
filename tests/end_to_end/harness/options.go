package harness

import "time"

// Options are what differs between the tests; zero values mean what is shipped.
type Options struct {
	Bare          bool // the scheduler without Gangplan, with everything else the same
	Percentage    int  // percentageOfNodesToScore
	BindTimeout   time.Duration
	GatherTimeout time.Duration
	RejectMax     int
	Proxy         bool          // between Gangplan and the API server
	Unrecorded    bool          // the scheduler calls Gangplan directly
	TLS           bool          // so it does, under mutual TLS
	API           bool          // the aggregated API is served, and registered
	Affinity      bool          // preferred node affinity counts
	Kueue         bool          // the levels come from Kueue's Topology "default"
	Sakkara       bool          // groups and levels are those of Sakkara's ConfigMaps
	Unready       bool          // do not wait until Gangplan is ready
	Racks         string        // the label by which Gangplan looks for racks, in place of the nodes' own
	Rings         string        // a topology.conf whose nodes are a second topology; those with a label for racks are the first
	Balanced      bool          // Kueue's balanced placement is on
	Suspended     bool          // Jobs that wait suspended are started
	Checks        bool          // Kueue's admission checks are answered
	CheckPatience time.Duration // who has quota and no room gives it back after so long, if given
	RejectAfter   time.Duration // who can never have room is rejected after so long, if given
	Unasked       bool          // the scheduler knows nothing of Gangplan: server.verbs is false
	Preemption    bool          // gangs give way to those of greater priority
	Repair        time.Duration // a node that is not ready for so long has failed: repair.after
	Restart       time.Duration // what no repair makes whole within it starts anew: repair.onFailure
	Relax         time.Duration // what has had no room for it may go anywhere: repair.onFailure
	NotReady      time.Duration // who is not ready within it is evicted: gang.readyTimeout
	Queue         string        // who may pass whom: queue.mode
	Fair          bool          // namespaces share room: queue.fairness
	VacantShare   string        // of a namespace, for pods that do not exist yet: limits.namespace.vacantShare
	Reservations  bool          // ConfigMaps of ReservationNamespace reserve room
	RankLists     bool          // ConfigMaps of Namespace are told the ranks of gangs
	Provisioning  string        // the class of the requests for nodes that are made, soon: provisioning.class
	Annotate      bool          // rejected members are woken by an annotation
	Gates         string        // behind which pods wait: groups.gates
	NativeGangs   bool          // the scheduler's own gangs are on, as NativeGangFlags has them on in the API server
	Alone         bool          // Gangplan without a scheduler
	Lease         string        // by which the schedulers of several pairs elect one of themselves
	Host          string        // the name of the host that both run on, beside others
	Relay         bool          // between the pair and the API server
	Saved         string        // the file of a saved cluster, in place of the API server
	Steered       bool          // the scheduler asks Gangplan for scores, too: prioritizeVerb
	Before        string        // where an extender of others is, which filters before Gangplan
	Name          string        // of the scheduler, in place of GangScheduler
	Pool          string        // the value of PoolLabel on the nodes that are the pair's
	Offered       bool          // ... but the scheduler tries others, too
	Program       string        // in place of the gangplan under test
	Apart         bool          // all pods but Gangplan's have a scheduler of their own, which knows nothing of it
}

// program is the gangplan that such a pair runs.
func (c *ControlPlane) program(options Options) string {
	if options.Program != "" {
		return options.Program
	}
	return c.Env.Gangplan
}
