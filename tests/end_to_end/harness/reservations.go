package harness

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// ReservationKey is the label of ConfigMaps that reserve room, and the annotation of gangs that
	// ask for one.
	ReservationKey = "gangplan.io/reservation"
	// ReservationNamespace is that of the chart's release, where the right is.
	ReservationNamespace = "gangplan"
	reservationRole      = "gangplan-reservations"
	ranksRole            = "gangplan-ranks"
)

// Reservation is a ConfigMap that reserves room.
func Reservation(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ReservationNamespace,
			Labels: map[string]string{ReservationKey: ""}},
		Data: data,
	}
}

// GrantReservations makes the Role of examples/rbac.yaml by which Gangplan reads them.
func (c *ControlPlane) GrantReservations() error { return c.grant(reservationRole) }

// GrantRankLists is likewise for the ConfigMaps of Namespace that are told the ranks of gangs.
func (c *ControlPlane) GrantRankLists() error { return c.grant(ranksRole) }

// RevokeRankLists takes that right away again.
func (c *ControlPlane) RevokeRankLists() error {
	ctx, options := context.Background(), metav1.DeleteOptions{}
	return errors.Join(
		c.Client.RbacV1().RoleBindings(Namespace).Delete(ctx, ranksRole, options),
		c.Client.RbacV1().Roles(Namespace).Delete(ctx, ranksRole, options))
}

// ReservationEvents is the reasons of the Events about one, in no order.
func (c *ControlPlane) ReservationEvents(name string) (map[string]string, error) {
	events, err := c.Client.EventsV1().Events(ReservationNamespace).List(context.Background(),
		metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	told := map[string]string{}
	for _, event := range events.Items {
		if event.Regarding.Kind == "ConfigMap" && event.Regarding.Name == name {
			told[event.Reason] = event.Note
		}
	}
	return told, nil
}
