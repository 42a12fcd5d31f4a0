package harness

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1",
	Resource: "apiservices"}

// leadToAPI plays the network's part for the aggregated API of an installed pair: there are no
// addresses of pods here, so its Service leads to the port that the Gangplan listens on. Nothing
// happens where the chart has not registered it, or it leads there already.
func (c *ControlPlane) leadToAPI(pod *corev1.Pod, port int) error {
	ctx := context.Background()
	registered, err := c.Dynamic.Resource(apiServices).Get(ctx, "v1alpha1.gangplan.io", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	service, _ := registered.Object["spec"].(map[string]any)["service"].(map[string]any)
	name, _ := service["name"].(string)
	if service["namespace"] != pod.Namespace || service["port"] == int64(port) {
		return nil
	}
	_, err = c.Client.CoreV1().Services(pod.Namespace).Patch(ctx, name, types.MergePatchType,
		[]byte(`{"spec": {"type": "ExternalName", "externalName": "localhost"}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	_, err = c.Dynamic.Resource(apiServices).Patch(ctx, registered.GetName(), types.MergePatchType,
		fmt.Appendf(nil, `{"spec": {"service": {"port": %d}}}`, port), metav1.PatchOptions{})
	return err
}
