package harness

import (
	_ "embed"
	"os"
)

// RunsFor is the annotation that tells KWOK how long a pod runs ("45s"); one without it runs until it
// is deleted.
const RunsFor = "example.com/runs-for"

//go:embed stages.yaml
var kwokStages []byte

// StartKwok has KWOK (the program) play the kubelets of all nodes, there now or to come: bound pods
// run, and end. The tests of the scenarios do without it: there bound pods stay as they are.
func (c *ControlPlane) StartKwok(program string) error {
	stages := c.Env.path("kwok-stages.yaml")
	if err := os.WriteFile(stages, kwokStages, 0o600); err != nil {
		return err
	}
	// Nobody misses the nodes' heartbeats: neither leases nor a stage that renews their status.
	return c.startController("kwok", program, "--config="+stages, "--manage-all-nodes=true",
		"--node-lease-duration-seconds=0")
}
