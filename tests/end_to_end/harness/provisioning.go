package harness

import (
	"context"
	"errors"
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// ProvisioningClass is that of the requests that Gangplan makes.
const ProvisioningClass = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"

const provisioningDefinition = definitions + "/provisioningrequests.autoscaling.x-k8s.io"

var provisioningRequests = schema.GroupVersionResource{Group: "autoscaling.x-k8s.io", Version: "v1",
	Resource: "provisioningrequests"}

// DefineProvisioning has the API server serve ProvisioningRequests, as the cluster autoscaler's API
// has them: what it refuses of them is refused here, too.
func (c *ControlPlane) DefineProvisioning() error {
	object := func(properties map[string]any, required ...any) map[string]any {
		schema := map[string]any{"type": "object", "properties": properties}
		if len(required) > 0 {
			schema["required"] = required
		}
		return schema
	}
	const name = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	text := func(most int) map[string]any { return map[string]any{"type": "string", "maxLength": most} }
	named := map[string]any{"type": "string", "maxLength": 253, "pattern": name}
	fixed := func(schema map[string]any) map[string]any {
		schema["x-kubernetes-validations"] = []any{
			map[string]any{"rule": "self == oldSelf", "message": "Value is immutable"}}
		return schema
	}
	podSet := object(map[string]any{
		"count":          map[string]any{"type": "integer", "format": "int32", "minimum": 1},
		"podTemplateRef": object(map[string]any{"name": named}, "name"),
	}, "count", "podTemplateRef")
	spec := object(map[string]any{
		"podSets":               fixed(map[string]any{"type": "array", "minItems": 1, "maxItems": 32, "items": podSet}),
		"provisioningClassName": fixed(map[string]any{"type": "string", "maxLength": 253, "pattern": name}),
		"parameters": fixed(map[string]any{"type": "object", "maxProperties": 100,
			"additionalProperties": text(255)}),
	}, "podSets", "provisioningClassName")
	condition := object(map[string]any{
		"type": text(316), "reason": text(1024), "message": text(32768),
		"status":             map[string]any{"type": "string", "enum": []any{"True", "False", "Unknown"}},
		"lastTransitionTime": map[string]any{"type": "string", "format": "date-time"},
	}, "type", "status", "reason", "message", "lastTransitionTime")
	status := object(map[string]any{
		"conditions": map[string]any{"type": "array", "items": condition,
			"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"type"}},
		"provisioningClassDetails": map[string]any{"type": "object", "maxProperties": 64,
			"additionalProperties": text(32768)},
	})
	err := c.post(definitions, map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "provisioningrequests.autoscaling.x-k8s.io"},
		"spec": map[string]any{
			"group": provisioningRequests.Group, "scope": "Namespaced",
			"names": map[string]any{"kind": "ProvisioningRequest", "plural": "provisioningrequests"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": object(
					map[string]any{"spec": spec, "status": status}, "spec")}}},
		},
	})
	if err != nil {
		return err
	}
	return c.awaitServed(provisioningRequests)
}

// RemoveProvisioning takes the kind away, with every request.
func (c *ControlPlane) RemoveProvisioning() error {
	if err := c.delete(provisioningDefinition); err != nil {
		return err
	}
	return Eventually("requests for nodes are served no longer", func() error {
		_, err := c.get(provisioningDefinition)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the definition is still there: %v", err)
	})
}

// Provisioning is the requests for nodes that are not being deleted, by name.
func (c *ControlPlane) Provisioning() ([]unstructured.Unstructured, error) {
	list, err := c.Dynamic.Resource(provisioningRequests).Namespace(Namespace).List(
		context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	items := list.Items
	sort.Slice(items, func(i, j int) bool { return items[i].GetName() < items[j].GetName() })
	return items, nil
}

// PodTemplates is those of Namespace.
func (c *ControlPlane) PodTemplates() ([]corev1.PodTemplate, error) {
	list, err := c.Client.CoreV1().PodTemplates(Namespace).List(context.Background(),
		metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// SetQuota lets Namespace have so many of a resource.
func (c *ControlPlane) SetQuota(name, resource string, most int64) error {
	_, err := c.Client.CoreV1().ResourceQuotas(Namespace).Create(context.Background(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
			corev1.ResourceName(resource): *apiresource.NewQuantity(most, apiresource.DecimalSI)}},
	}, metav1.CreateOptions{})
	return err
}

func (c *ControlPlane) RemoveQuota(name string) error {
	return c.Client.CoreV1().ResourceQuotas(Namespace).Delete(context.Background(), name, metav1.DeleteOptions{})
}

// DisownProvisioning takes the label away by which a request is known as Gangplan's.
func (c *ControlPlane) DisownProvisioning(name string) error {
	_, err := c.Dynamic.Resource(provisioningRequests).Namespace(Namespace).Patch(context.Background(), name,
		types.MergePatchType, []byte(`{"metadata":{"labels":null}}`), metav1.PatchOptions{})
	return err
}

// SetProvisioning says in a condition of a request how it stands, as a cluster autoscaler does.
func (c *ControlPlane) SetProvisioning(name, condition, message string) error {
	requests := c.Dynamic.Resource(provisioningRequests).Namespace(Namespace)
	ctx := context.Background()
	request, err := requests.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(request.Object, "status", "conditions")
	conditions = append(conditions, map[string]any{
		"type": condition, "status": "True", "reason": condition, "message": message,
		"lastTransitionTime": metav1.Now().UTC().Format("2006-01-02T15:04:05Z")})
	err = errors.Join(err, unstructured.SetNestedSlice(request.Object, conditions, "status", "conditions"))
	if err != nil {
		return err
	}
	_, err = requests.UpdateStatus(ctx, request, metav1.UpdateOptions{})
	return err
}
