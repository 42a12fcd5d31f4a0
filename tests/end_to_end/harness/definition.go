package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// define returns when the API server serves a kind, whose definition stands beside its controller.
// It comes before the garbage collector, which looks for new kinds once in 30 seconds.
func (c *ControlPlane) define(controller string, kind schema.GroupVersionResource) error {
	text, err := os.ReadFile(fmt.Sprintf("%s.crds/%s_%s.yaml", controller, kind.Group, kind.Resource))
	if err != nil {
		return err
	}
	var definition map[string]any
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return err
	}
	if err := c.post(definitions, definition); err != nil {
		return err
	}
	return c.awaitServed(kind)
}

// awaitServed returns when the kind is listed and discovery tells it, which comes a moment later: a controller
// that starts in between ends for want of its kind.
func (c *ControlPlane) awaitServed(kind schema.GroupVersionResource) error {
	return Eventually(kind.Resource+" are served", func() error {
		_, err := c.Dynamic.Resource(kind).List(context.Background(), metav1.ListOptions{Limit: 1})
		if err != nil {
			return err
		}
		_, told, err := c.Client.Discovery().ServerGroupsAndResources()
		for _, list := range told {
			if list.GroupVersion == kind.GroupVersion().String() &&
				slices.ContainsFunc(list.APIResources, func(one metav1.APIResource) bool { return one.Name == kind.Resource }) {
				return nil
			}
		}
		return errors.Join(errors.New("discovery does not tell them"), err)
	})
}

// startController starts a program that finds the API server by --kubeconfig.
func (c *ControlPlane) startController(name, program string, flags ...string) error {
	kubeconfig, err := c.kubeconfig(name, c.url(), adminToken)
	if err != nil {
		return err
	}
	process, err := startProcess(name, c.Env.path(name+".log"),
		append([]string{program, "--kubeconfig=" + kubeconfig}, flags...)...)
	if err == nil {
		c.processes = append(c.processes, process)
	}
	return err
}
