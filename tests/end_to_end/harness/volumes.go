package harness

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What of pods only the scheduler looks at: volumes that some nodes have, and spread constraints.

// CreateClaim makes a claim, bound to a volume that the nodes with all of these labels have. No volume
// controller runs here.
func (c *ControlPlane) CreateClaim(name string, labels map[string]string) error {
	ctx, class := context.Background(), ""
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	claim, err := c.Client.CoreV1().PersistentVolumeClaims(Namespace).Create(ctx, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace,
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: modes, StorageClassName: &class, VolumeName: name,
			Resources: corev1.VolumeResourceRequirements{Requests: size}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	var terms []corev1.NodeSelectorRequirement
	for key, value := range labels {
		terms = append(terms, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn,
			Values: []string{value}})
	}
	_, err = c.Client.CoreV1().PersistentVolumes().Create(ctx, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: Namespace, Name: name, UID: claim.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/data"}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: terms}}}},
		},
	}, metav1.CreateOptions{})
	return err
}

// DeleteClaim deletes both, past their finalizers.
func (c *ControlPlane) DeleteClaim(name string) error {
	ctx, none := context.Background(), []byte(`{"metadata":{"finalizers":null}}`)
	claims, volumes := c.Client.CoreV1().PersistentVolumeClaims(Namespace), c.Client.CoreV1().PersistentVolumes()
	failed := errors.Join(claims.Delete(ctx, name, metav1.DeleteOptions{}),
		volumes.Delete(ctx, name, metav1.DeleteOptions{}))
	_, err := claims.Patch(ctx, name, types.MergePatchType, none, metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		failed = errors.Join(failed, err)
	}
	_, err = volumes.Patch(ctx, name, types.MergePatchType, none, metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		failed = errors.Join(failed, err)
	}
	return failed
}

func (p PodSpec) volumes() []corev1.Volume {
	if p.Claim == "" {
		return nil
	}
	return []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: p.Claim}}}}
}

func (p PodSpec) spread() []corev1.TopologySpreadConstraint {
	if p.SpreadBy == "" {
		return nil
	}
	return []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: p.SpreadBy,
		WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{NameLabel: p.Name}}}}
}
