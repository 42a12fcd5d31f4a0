package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

var shape = harness.Shape{Blocks: 5, Racks: 10, Nodes: 10, GPUs: 8}

// trial is one Kubernetes with all that runs in it.
type trial struct {
	env        harness.Environment
	plane      *harness.ControlPlane
	pair       *harness.Pair
	shell      *harness.Shell
	kubeconfig string
}

type step struct {
	what string
	do   func() error
}

func (t *trial) steps() []step {
	return []step{
		{"etcd, kube-apiserver and kube-controller-manager", t.startPlane},
		{fmt.Sprintf("%d nodes: %d blocks of %d racks of %d nodes of %d GPUs, their kubelets played by KWOK",
			shape.Total(), shape.Blocks, shape.Racks, shape.Nodes, shape.GPUs), t.startNodes},
		{"Gangplan beside a stock kube-scheduler, and kubectl get gangs", t.startPair},
		{"four gangs, two of which wait", t.makeGangs},
	}
}

func (t *trial) startPlane() (err error) {
	if t.plane, err = harness.StartPlain(t.env); err != nil {
		return err
	}
	t.kubeconfig, err = t.plane.AdminKubeconfig()
	return err
}

func (t *trial) startNodes() error {
	if err := t.plane.CreateNodes(shape, shape.NodeNames()...); err != nil {
		return err
	}
	return t.plane.StartKwok(t.env.Kwok) // which finds them ready, and has nothing to write
}

func (t *trial) startPair() (err error) {
	t.pair, err = t.plane.StartPair(harness.Options{Unrecorded: true, API: true, Suspended: true})
	if err != nil {
		return err
	}
	if err = t.pair.AwaitAPI(); err != nil {
		return err
	}
	t.shell, err = t.pair.ShellOf("admin")
	return err
}

// end leaves no program of ours behind.
func (t *trial) end() {
	if t.plane == nil {
		return
	}
	if t.pair != nil {
		t.pair.Stop()
	}
	t.plane.Stop()
	fmt.Println("All programs that were started have ended.")
}

// makeGangs returns when two of them run, and the other two say why they do not.
func (t *trial) makeGangs() error {
	notebooks := make([]string, 0, shape.Blocks*shape.Racks)
	for block := range shape.Blocks {
		for rack := range shape.Racks {
			notebooks = append(notebooks, shape.RackNodes(block, rack)[0])
		}
	}
	if err := t.plane.Fill("notebook", 1, notebooks...); err != nil {
		return err
	}
	if _, err := t.shell.Run("kubectl apply -f examples/job-rack.yaml -f examples/job-block.yaml"); err != nil {
		return err
	}
	for name, pods := range map[string]int{"next": shape.Nodes, "giant": shape.Nodes + 1} {
		if err := t.plane.CreateJob(harness.GangJob(name, shape.GPUs, "rack=pack!"), pods); err != nil {
			return err
		}
	}
	return harness.Eventually("two gangs run and two wait", func() error {
		return t.expect(map[string]string{"trainer": "Running", "pretraining": "Running",
			"next": "Blocked", "giant": "Blocked"})
	})
}

// expect is an error unless each of these gangs is in its state.
func (t *trial) expect(states map[string]string) error {
	text, err := t.pair.Probe("/v1/list")
	if err != nil {
		return err
	}
	var list struct {
		Groups []struct{ Name, State string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	found := map[string]string{}
	for _, group := range list.Groups {
		found[group.Name] = group.State
	}
	for name, state := range states {
		if is := found[harness.Namespace+"/"+name]; is != state {
			return fmt.Errorf("%s is %q, not yet %s", name, is, state)
		}
	}
	return nil
}

// programs is a folder for the PATH, with what people type.
func (t *trial) programs() (string, error) {
	bin := filepath.Join(t.env.Directory, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return "", err
	}
	for name, file := range map[string]string{"gangplan": t.env.Gangplan,
		"kubectl":          filepath.Join(t.env.Tools, "kubectl"),
		"kubectl-gangplan": filepath.Join(t.env.Tree, "config/kubectl-gangplan")} {
		if err := os.Symlink(file, filepath.Join(bin, name)); err != nil {
			return "", err
		}
	}
	return bin, nil
}

// show prints the gangs, and how to go on.
func (t *trial) show() error {
	bin, err := t.programs()
	if err != nil {
		return err
	}
	list, err := exec.Command(t.env.Gangplan, "list", "--server", t.pair.ProbeURL()).Output()
	if err != nil {
		return err
	}
	fmt.Printf("\n%s\n", list)
	fmt.Print(strings.NewReplacer("PAGE", t.pair.ProbeURL(), "KUBECONFIG_FILE", t.kubeconfig, "BIN", bin,
		"NOTEBOOK", harness.PodName("notebook", shape.Blocks*shape.Racks-1)).Replace(
		`The page, live: PAGE/

In another terminal:
  export KUBECONFIG=KUBECONFIG_FILE PATH=BIN:$PATH

Then, for example:
  kubectl get gangs
  kubectl get pods -o wide
  gangplan why next --server PAGE    # or: kubectl gangplan why next
  kubectl delete pod NOTEBOOK    # a rack is free: see "next" start

Smaller gangs come and go meanwhile. Ctrl-C ends it all.
`))
	return nil
}

// stay lets a day go by until the end of ctx; an error when a program has ended by itself.
func (t *trial) stay(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	day := newDay(t.plane)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if name := t.ended(); name != "" {
			return fmt.Errorf("%s has ended by itself", name)
		}
		if err := day.second(ctx); err != nil && ctx.Err() == nil {
			fmt.Printf("  a gang of the day: %v\n", err)
		}
	}
}

// ended is a program that runs no more; empty when all do.
func (t *trial) ended() string {
	for _, process := range append(t.plane.Processes(), t.pair.Gangplan, t.pair.Scheduler) {
		if !process.Running() {
			return process.Name
		}
	}
	return ""
}
