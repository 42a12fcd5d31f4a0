package harness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// account is the service account that examples/rbac.yaml binds Gangplan's role to.
type account struct{ namespace, name string }

func (a account) user() string {
	return fmt.Sprintf("system:serviceaccount:%s:%s", a.namespace, a.name)
}

func (a account) groups() []string {
	return []string{"system:serviceaccounts", "system:serviceaccounts:" + a.namespace,
		"system:authenticated"}
}

// roleObjects reads Gangplan's own rights from examples/rbac.yaml. The bindings there to roles that
// it does not define are the scheduler's, which shares the account: a right that Gangplan lacks must
// not hide behind them.
func roleObjects(env Environment) ([]runtime.Object, error) {
	all, err := allObjects(env)
	own := map[string]bool{}
	for _, object := range all {
		if role, ok := object.(*rbacv1.ClusterRole); ok {
			own[role.Name] = true
		}
	}
	return slices.DeleteFunc(all, func(object runtime.Object) bool {
		switch o := object.(type) {
		case *rbacv1.ClusterRoleBinding:
			return !own[o.RoleRef.Name]
		case *rbacv1.Role, *rbacv1.RoleBinding:
			return true // in kube-system, for the scheduler's lease
		}
		return false
	}), err
}

func allObjects(env Environment) ([]runtime.Object, error) {
	file := filepath.Join(env.Examples, "rbac.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var objects []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, object)
	}
}

func gangplanAccount(env Environment) (account, error) {
	objects, err := roleObjects(env)
	if err != nil {
		return account{}, err
	}
	for _, object := range objects {
		binding, ok := object.(*rbacv1.ClusterRoleBinding)
		if !ok {
			continue
		}
		for _, subject := range binding.Subjects {
			if subject.Kind == rbacv1.ServiceAccountKind {
				return account{subject.Namespace, subject.Name}, nil
			}
		}
	}
	return account{}, errors.New("rbac.yaml binds no ClusterRole to a ServiceAccount")
}

// applyRole creates what roleObjects reads; a namespace that is there already is fine.
func applyRole(client kubernetes.Interface, env Environment) error {
	objects, err := roleObjects(env)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := create(client, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func create(client kubernetes.Interface, object runtime.Object) error {
	ctx, options := context.Background(), metav1.CreateOptions{}
	var err error
	switch o := object.(type) {
	case *corev1.Namespace:
		_, err = client.CoreV1().Namespaces().Create(ctx, o, options)
	case *corev1.ServiceAccount:
		_, err = client.CoreV1().ServiceAccounts(o.Namespace).Create(ctx, o, options)
	case *rbacv1.ClusterRole:
		_, err = client.RbacV1().ClusterRoles().Create(ctx, o, options)
	case *rbacv1.ClusterRoleBinding:
		_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, o, options)
	default:
		err = fmt.Errorf("rbac.yaml holds an object that the tests do not know: %T", object)
	}
	return err
}

// RemoveRole takes away what applyRole has made, but for its namespace, so that somebody else may
// install the same names. The function that it returns makes all of it again.
func (c *ControlPlane) RemoveRole() (again func() error, err error) {
	objects, err := roleObjects(c.Env)
	if err != nil {
		return nil, err
	}
	ctx, options := context.Background(), metav1.DeleteOptions{}
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.ServiceAccount:
			err = c.Client.CoreV1().ServiceAccounts(o.Namespace).Delete(ctx, o.Name, options)
		case *rbacv1.ClusterRole:
			err = c.Client.RbacV1().ClusterRoles().Delete(ctx, o.Name, options)
		case *rbacv1.ClusterRoleBinding:
			err = c.Client.RbacV1().ClusterRoleBindings().Delete(ctx, o.Name, options)
		}
		if err != nil {
			return nil, err
		}
	}
	return func() error { return applyRole(c.Client, c.Env) }, nil
}
