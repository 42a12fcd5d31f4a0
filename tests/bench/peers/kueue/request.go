package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	scheduler "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"

	"gangplan.io/tests/bench/peers/ask"
)

var labelOf = map[string]string{
	"block": blockLabel, "rack": rackLabel, "hostname": corev1.LabelHostname,
}

func workloadOf(name string, pods int32, requests corev1.ResourceList,
	topology *kueue.PodSetTopologyRequest) *kueue.Workload {
	return &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: "bench", Name: name, UID: types.UID(name)},
		Spec: kueue.WorkloadSpec{
			QueueName: "research",
			PodSets: []kueue.PodSet{{
				Name:  podSetName,
				Count: pods,
				Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers: []corev1.Container{{
						Name: "main", Image: "bench",
						Resources: corev1.ResourceRequirements{Requests: requests},
					}},
				}},
				TopologyRequest: topology,
			}},
		},
	}
}

// topologyOf says in Kueue's words where the pods are to go.
func topologyOf(r ask.Request) (*kueue.PodSetTopologyRequest, error) {
	topology := &kueue.PodSetTopologyRequest{}
	level, known := labelOf[r.Level]
	yes := true
	switch r.Mode {
	case "required":
		topology.Required = &level
	case "preferred", "balanced":
		topology.Preferred = &level
	case "unconstrained":
		known, topology.Unconstrained = r.Level == "", &yes
	case "slices":
		known = r.Level == "" && r.SliceSize > 0
	default:
		return nil, fmt.Errorf("there is no mode %q", r.Mode)
	}
	if !known {
		return nil, fmt.Errorf("mode %s does not go with level %q", r.Mode, r.Level)
	}
	if r.SliceSize > 0 {
		whole, size := labelOf[r.SliceLevel], int32(r.SliceSize)
		if whole == "" {
			return nil, fmt.Errorf("there is no level %q for slices", r.SliceLevel)
		}
		topology.PodSetSliceRequiredTopology, topology.PodSetSliceSize = &whole, &size
	}
	return topology, nil
}

// question is a workload in the form in which Kueue's flavor assigner asks for its placement.
type question struct {
	workload *kueue.Workload
	requests scheduler.WorkloadTASRequests
}

func questionOf(r ask.Request) (question, error) {
	topology, err := topologyOf(r)
	if err != nil {
		return question{}, err
	}
	requests := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1"),
		gpu:                *resource.NewQuantity(int64(r.GPUs), resource.DecimalSI),
	}
	workload := workloadOf("asked", int32(r.Pods), requests, topology)
	podSet := &workload.Spec.PodSets[0]
	return question{workload, scheduler.WorkloadTASRequests{flavorName: {{
		PodSet:            podSet,
		SinglePodRequests: resources.NewRequestsFromPodSpec(&podSet.Template.Spec),
		Count:             podSet.Count,
		Flavor:            flavorName,
	}}}}, nil
}

// unseen is the question of a workload that Kueue cannot have seen: without a UID it keeps nothing
// of it.
func (q question) unseen() question {
	workload := q.workload.DeepCopy()
	workload.UID = ""
	return question{workload, q.requests}
}
