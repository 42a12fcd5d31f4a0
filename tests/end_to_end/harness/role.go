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
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
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

// roleObjects reads Gangplan's own account and rights from examples/rbac.yaml. The bindings there to
// roles that it does not define are the scheduler's.
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

// grant makes the Role of this name of examples/rbac.yaml, and its binding.
func (c *ControlPlane) grant(name string) error {
	objects, err := allObjects(c.Env)
	if err != nil {
		return err
	}
	ctx, options := context.Background(), metav1.CreateOptions{}
	for _, object := range objects {
		var err error
		switch o := object.(type) {
		case *rbacv1.Role:
			if o.Name == name {
				_, err = c.Client.RbacV1().Roles(o.Namespace).Create(ctx, o, options)
			}
		case *rbacv1.RoleBinding:
			if o.Name == name {
				_, err = c.Client.RbacV1().RoleBindings(o.Namespace).Create(ctx, o, options)
			}
		}
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
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
	case *corev1.Secret:
		_, err = client.CoreV1().Secrets(o.Namespace).Create(ctx, o, options)
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
		case *corev1.Secret:
			err = c.Client.CoreV1().Secrets(o.Namespace).Delete(ctx, o.Name, options)
		case *corev1.ServiceAccount:
			err = c.Client.CoreV1().ServiceAccounts(o.Namespace).Delete(ctx, o.Name, options)
		case *rbacv1.ClusterRole:
			err = c.Client.RbacV1().ClusterRoles().Delete(ctx, o.Name, options)
		case *rbacv1.ClusterRoleBinding:
			err = c.Client.RbacV1().ClusterRoleBindings().Delete(ctx, o.Name, options)
		}
		if err != nil && !apierrors.IsNotFound(err) { // a Secret goes with its account
			return nil, err
		}
	}
	return func() error { return applyRole(c.Client, c.Env) }, nil
}

// TakeRight takes one right out of all of Gangplan's roles, until the function that it returns gives
// it back. `resource` is as in a role's rules; both return when the API server knows.
func (c *ControlPlane) TakeRight(group, resource, verb string) (giveBack func() error, err error) {
	ctx := context.Background()
	roles, err := c.ownRoles()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, role := range roles {
		names = append(names, role.Name)
		taken := role.DeepCopy()
		taken.Rules = nil
		for _, rule := range role.Rules {
			if slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) {
				taken.Rules = append(taken.Rules, split(rule, group, resource, verb)...)
			} else {
				taken.Rules = append(taken.Rules, rule)
			}
		}
		if _, err := c.Client.RbacV1().ClusterRoles().Update(ctx, taken, metav1.UpdateOptions{}); err != nil {
			return nil, err
		}
	}
	giveBack = func() error {
		for _, role := range roles {
			role.ResourceVersion = ""
			if _, err := c.Client.RbacV1().ClusterRoles().Update(ctx, role, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
		return c.awaitRight(group, resource, verb, true)
	}
	return giveBack, c.awaitRight(group, resource, verb, false)
}

// split is the rule without the verb on that one of its resources in that one of its groups.
func split(rule rbacv1.PolicyRule, group, resource, verb string) (rules []rbacv1.PolicyRule) {
	one, same, others := *rule.DeepCopy(), *rule.DeepCopy(), *rule.DeepCopy()
	without := func(all []string, name string) []string {
		return slices.DeleteFunc(all, func(n string) bool { return n == name })
	}
	one.APIGroups, one.Resources, one.Verbs = []string{group}, []string{resource}, without(one.Verbs, verb)
	same.APIGroups, same.Resources = []string{group}, without(same.Resources, resource)
	others.APIGroups = without(others.APIGroups, group)
	for _, part := range []rbacv1.PolicyRule{one, same, others} {
		if len(part.Verbs) > 0 && len(part.Resources) > 0 && len(part.APIGroups) > 0 {
			rules = append(rules, part)
		}
	}
	return rules
}

// ownRoles is Gangplan's ClusterRoles as they are in the cluster.
func (c *ControlPlane) ownRoles() (roles []*rbacv1.ClusterRole, err error) {
	objects, err := roleObjects(c.Env)
	for _, object := range objects {
		if role, ok := object.(*rbacv1.ClusterRole); ok && err == nil {
			role, err = c.Client.RbacV1().ClusterRoles().Get(context.Background(), role.Name, metav1.GetOptions{})
			roles = append(roles, role)
		}
	}
	return roles, err
}

// OwnRights is every right of examples/rbac.yaml that is Gangplan's: GROUP/RESOURCE VERB, without the
// group's slash for the core group.
func (c *ControlPlane) OwnRights() (map[string]bool, error) {
	roles, err := c.ownRoles()
	rights := map[string]bool{}
	for _, role := range roles {
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				addRights(rights, group, rule)
			}
		}
	}
	return rights, err
}

func addRights(rights map[string]bool, group string, rule rbacv1.PolicyRule) {
	for _, resource := range rule.Resources {
		for _, verb := range rule.Verbs {
			rights[strings.TrimPrefix(group+"/"+resource+" "+verb, "/")] = true
		}
	}
}

func (c *ControlPlane) awaitRight(group, resource, verb string, held bool) error {
	account, err := gangplanAccount(c.Env)
	if err != nil {
		return err
	}
	resource, subresource, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: account.user(), Groups: account.groups(),
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Resource: resource,
			Subresource: subresource, Verb: verb, Namespace: "default"}}}
	return Eventually(fmt.Sprintf("the right to %s %s: %v", verb, resource, held), func() error {
		answer, err := c.Client.AuthorizationV1().SubjectAccessReviews().Create(context.Background(), review,
			metav1.CreateOptions{})
		if err == nil && answer.Status.Allowed != held {
			err = errors.New("not yet")
		}
		return err
	})
}
