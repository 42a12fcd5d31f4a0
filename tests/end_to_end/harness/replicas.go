package harness

import (
	"context"
	"fmt"
	"syscall"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// onHost is a command of a host of its own name, as a pod is one. It takes root's rights.
func onHost(host string, argv []string) []string {
	if host == "" {
		return argv
	}
	return append([]string{"unshare", "--uts", "sh", "-c",
		`echo "$0" > /proc/sys/kernel/hostname && exec "$@"`, host}, argv...)
}

// leaderElection is the scheduler's: that of a stock one, by the Lease of these options.
func (o Options) leaderElection() map[string]any {
	if o.Lease == "" {
		return map[string]any{"leaderElect": false}
	}
	return map[string]any{"leaderElect": true, "resourceName": o.Lease, "resourceNamespace": Namespace}
}

// AllowLease lets Gangplan read the Lease, as the chart does. The function that it returns takes the
// right and the Lease away.
func (c *ControlPlane) AllowLease(name string) (end func() error, err error) {
	account, err := gangplanAccount(c.Env)
	if err != nil {
		return nil, err
	}
	meta := metav1.ObjectMeta{Name: name, Namespace: Namespace}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"},
		ResourceNames: []string{name}, Verbs: []string{"list", "watch"}}}}
	binding := &rbacv1.RoleBinding{ObjectMeta: meta,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account.name,
			Namespace: account.namespace}}}
	ctx, rights := context.Background(), c.Client.RbacV1()
	if _, err := rights.Roles(Namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if _, err := rights.RoleBindings(Namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	return func() error {
		err := rights.RoleBindings(Namespace).Delete(ctx, name, metav1.DeleteOptions{})
		if err == nil {
			err = rights.Roles(Namespace).Delete(ctx, name, metav1.DeleteOptions{})
		}
		if err == nil {
			err = c.Client.CoordinationV1().Leases(Namespace).Delete(ctx, name, metav1.DeleteOptions{})
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}, nil
}

// Holder is who holds the Lease, empty for nobody, and when that is over.
func (c *ControlPlane) Holder(name string) (string, time.Time, error) {
	lease, err := c.Client.CoordinationV1().Leases(Namespace).Get(context.Background(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", time.Time{}, nil
	}
	if err != nil || lease.Spec.HolderIdentity == nil || lease.Spec.RenewTime == nil {
		return "", time.Time{}, err
	}
	lasts := time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
	return *lease.Spec.HolderIdentity, lease.Spec.RenewTime.Add(lasts), nil
}

// Signal sends it to the program.
func (p *Process) Signal(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// AwaitEnd returns the exit code when the program has ended by itself.
func (p *Process) AwaitEnd(within time.Duration) (int, error) {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(within):
		return 0, fmt.Errorf("%s has not ended within %s:\n%s", p.Name, within, p.lastLines(5))
	}
}
