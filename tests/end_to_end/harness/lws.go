package harness

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// What the LeaderWorkerSet controller writes on pods.
const (
	lwsNameKey     = "leaderworkerset.sigs.k8s.io/name"
	LwsGroupKey    = "leaderworkerset.sigs.k8s.io/group-index"
	LwsWorkerKey   = "leaderworkerset.sigs.k8s.io/worker-index"
	LwsExclusive   = "leaderworkerset.sigs.k8s.io/exclusive-topology"
	LwsSubGroups   = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
	lwsWebhookPath = "/mutate--v1-pod"
)

var leaderWorkerSets = schema.GroupVersionResource{Group: "leaderworkerset.x-k8s.io", Version: "v1",
	Resource: "leaderworkersets"}

func (c *ControlPlane) defineLeaderWorkerSets() error {
	return c.define(c.Env.LeaderWorkerSet, leaderWorkerSets)
}

// startLeaderWorkerSets starts the controller, and has the API server ask its webhook about pods of
// LeaderWorkerSets, and no others.
func (c *ControlPlane) startLeaderWorkerSets() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	root, err := os.ReadFile(c.authority.rootFile)
	if err != nil {
		return err
	}
	err = c.post("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "MutatingWebhookConfiguration",
		"metadata":   map[string]any{"name": "lws"},
		"webhooks": []any{map[string]any{
			"name":                    "mpod.kb.io",
			"admissionReviewVersions": []any{"v1"},
			"sideEffects":             "None",
			"clientConfig": map[string]any{
				"url":      fmt.Sprintf("https://127.0.0.1:%d%s", port, lwsWebhookPath),
				"caBundle": base64.StdEncoding.EncodeToString(root)},
			"objectSelector": map[string]any{"matchExpressions": []any{
				map[string]any{"key": lwsNameKey, "operator": "Exists"}}},
			"rules": []any{map[string]any{"apiGroups": []any{""}, "apiVersions": []any{"v1"},
				"operations": []any{"CREATE"}, "resources": []any{"pods"}}},
		}},
	})
	if err != nil {
		return err
	}
	return c.startController("lws", c.Env.LeaderWorkerSet, fmt.Sprintf("--webhook-port=%d", port),
		"--certificates="+c.Env.Directory)
}

func (c *ControlPlane) leaderWorkerSets() dynamic.ResourceInterface {
	return c.Dynamic.Resource(leaderWorkerSets).Namespace(Namespace)
}

// LeaderWorkerSet is what the tests vary in one.
type LeaderWorkerSet struct {
	Name           string
	Leader, Worker PodSpec
	Replicas, Size int               // groups, and pods of each
	SubGroup       int               // pods of each sub-group; 0: there are none
	Startup        string            // its policy; empty: the default
	Words          map[string]string // annotations of its own
}

// SubmitLeaderWorkerSet makes it.
func (c *ControlPlane) SubmitLeaderWorkerSet(set LeaderWorkerSet) error {
	template := func(spec PodSpec) (map[string]any, error) {
		pod := spec.template()
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
		return runtime.DefaultUnstructuredConverter.ToUnstructured(&pod)
	}
	leader, err := template(set.Leader)
	if err != nil {
		return err
	}
	worker, err := template(set.Worker)
	if err != nil {
		return err
	}
	pods := map[string]any{"size": int64(set.Size), "leaderTemplate": leader, "workerTemplate": worker}
	if set.SubGroup > 0 {
		pods["subGroupPolicy"] = map[string]any{"subGroupSize": int64(set.SubGroup), "subGroupPolicyType": "LeaderWorker"}
	}
	startup := set.Startup
	if startup == "" {
		startup = "LeaderCreated"
	}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"replicas":             int64(set.Replicas),
		"startupPolicy":        startup,
		"leaderWorkerTemplate": pods,
		"networkConfig":        map[string]any{"subdomainPolicy": "Shared"},
		"rolloutStrategy": map[string]any{"type": "RollingUpdate",
			"rollingUpdateConfiguration": map[string]any{
				"maxUnavailable": int64(1), "maxSurge": int64(0), "partition": int64(0)}},
	}}}
	object.SetAPIVersion(leaderWorkerSets.GroupVersion().String())
	object.SetKind("LeaderWorkerSet")
	object.SetName(set.Name)
	object.SetNamespace(Namespace)
	object.SetAnnotations(set.Words)
	_, err = c.leaderWorkerSets().Create(context.Background(), object, metav1.CreateOptions{})
	return err
}

// ScaleLeaderWorkerSet changes how many groups there are.
func (c *ControlPlane) ScaleLeaderWorkerSet(name string, replicas int) error {
	patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
	_, err := c.leaderWorkerSets().Patch(context.Background(), name, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{})
	return err
}

// DeleteLeaderWorkerSet deletes one; the garbage collector deletes its pods.
func (c *ControlPlane) DeleteLeaderWorkerSet(name string) error {
	background := metav1.DeletePropagationBackground
	return c.leaderWorkerSets().Delete(context.Background(), name, metav1.DeleteOptions{PropagationPolicy: &background})
}

func (c *ControlPlane) deleteLeaderWorkerSets() error {
	background := metav1.DeletePropagationBackground
	return c.leaderWorkerSets().DeleteCollection(context.Background(),
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
}
