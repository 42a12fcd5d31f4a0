package scenarios

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gangplan.io/tests/end_to_end/harness"
)

// A pod that its author has nest deep, in a field that nobody reads, stops nobody: gangs start beside it,
// and after a restart, when it is listed.
func TestDeepObjectStopsNobody(t *testing.T) {
	const levels = 500
	s := begin(t, harness.Options{})
	pods := plane.Client.CoreV1().Pods(harness.Namespace)
	deep, err := pods.Create(context.Background(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "deep"},
		Spec: corev1.PodSpec{SchedulerName: harness.ForeignScheduler,
			NodeSelector: map[string]string{"no": "node"},
			Containers:   []corev1.Container{{Name: "c", Image: "c"}}},
	}, metav1.CreateOptions{})
	s.must(err)
	nested := strings.Repeat(`{"f:a":`, levels) + "{}" + strings.Repeat("}", levels)
	deep.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "deep", APIVersion: "v1",
		Operation: metav1.ManagedFieldsOperationUpdate, FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:nodeName":` + nested + `}}`)}}}
	deep, err = pods.Update(context.Background(), deep, metav1.UpdateOptions{})
	s.must(err)
	kept := ""
	for _, entry := range deep.ManagedFields {
		if entry.FieldsV1 != nil {
			kept += string(entry.FieldsV1.Raw)
		}
	}
	if strings.Count(kept, "f:a") < levels {
		t.Fatalf("the API server has kept %d of %d levels", strings.Count(kept, "f:a"), levels)
	}
	s.must(plane.CreateJob(harness.GangJob("beside", 8, "rack=pack!"), 4))
	s.waitBound("beside", 4)
	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	s.must(plane.CreateJob(harness.GangJob("after", 8, "rack=pack!"), 4))
	s.waitBound("after", 4)
}
