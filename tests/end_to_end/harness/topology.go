package harness

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	definitions  = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	definition   = definitions + "/topologies.kueue.x-k8s.io"
	topologyPath = "/apis/kueue.x-k8s.io/%s/topologies"
)

// InstallTopologies makes the API server serve Kueue's Topology in one version, and returns when it
// does. Levels cannot be changed, as with Kueue's own definition.
func (c *ControlPlane) InstallTopologies(version string) error {
	text := map[string]any{"type": "string"}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	spec := object(map[string]any{"levels": map[string]any{
		"type": "array", "minItems": 1, "maxItems": 16,
		"items": object(map[string]any{"nodeLabel": text}),
		"x-kubernetes-validations": []any{
			map[string]any{"rule": "self == oldSelf", "message": "field is immutable"}},
	}})
	crd := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{
			"name": "topologies.kueue.x-k8s.io",
			// Without it names that end in k8s.io are reserved.
			"annotations": map[string]any{
				"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/kueue"},
		},
		"spec": map[string]any{
			"group": "kueue.x-k8s.io", "scope": "Cluster",
			"names": map[string]any{"kind": "Topology", "listKind": "TopologyList",
				"plural": "topologies", "singular": "topology"},
			"versions": []any{map[string]any{"name": version, "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": object(map[string]any{"spec": spec})}}},
		},
	}
	if err := c.post(definitions, crd); err != nil {
		return err
	}
	return Eventually("topologies are served", func() error {
		_, err := c.get(fmt.Sprintf(topologyPath, version))
		return err
	})
}

// RemoveTopologies takes the definition away, with every object; none is fine.
func (c *ControlPlane) RemoveTopologies() error {
	if err := c.delete(definition); err != nil {
		return err
	}
	return Eventually("topologies are served no longer", func() error {
		_, err := c.get(definition)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the definition is still there: %v", err)
	})
}

// CreateTopology makes one object with these node labels as its levels.
func (c *ControlPlane) CreateTopology(version, name string, labels ...string) error {
	levels := []any{}
	for _, label := range labels {
		levels = append(levels, map[string]any{"nodeLabel": label})
	}
	return c.post(fmt.Sprintf(topologyPath, version), map[string]any{
		"apiVersion": "kueue.x-k8s.io/" + version, "kind": "Topology",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"levels": levels},
	})
}

// DeleteTopology removes the object.
func (c *ControlPlane) DeleteTopology(version, name string) error {
	return c.delete(fmt.Sprintf(topologyPath, version) + "/" + name)
}

func (c *ControlPlane) get(path string) ([]byte, error) {
	return c.Client.Discovery().RESTClient().Get().AbsPath(path).DoRaw(context.Background())
}

func (c *ControlPlane) post(path string, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = c.Client.Discovery().RESTClient().Post().AbsPath(path).Body(body).
		SetHeader("Content-Type", "application/json").DoRaw(context.Background())
	return err
}

func (c *ControlPlane) delete(path string) error {
	_, err := c.Client.Discovery().RESTClient().Delete().AbsPath(path).DoRaw(context.Background())
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
