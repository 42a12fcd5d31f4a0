package harness

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Kubelet plays the node's part for the pods of one namespace, since there are no containers here.
// The pod of an installed pair runs as two processes, with the command lines, the files and the
// service account of its spec; it is ready when its probes say so, and ends when it is deleted. Any
// other pod has run as soon as it is bound.
type Kubelet struct {
	plane     *ControlPlane
	namespace string
	node      string     // where it puts the pair's pod
	mutex     sync.Mutex // of the two below
	pairs     map[types.UID]*installedPair
	faults    []string
	once      sync.Once
	stop      chan struct{}
	stopped   chan struct{}
}

// StartKubelet watches the namespace until Stop.
func (c *ControlPlane) StartKubelet(namespace, node string) *Kubelet {
	k := &Kubelet{plane: c, namespace: namespace, node: node,
		pairs: map[types.UID]*installedPair{},
		stop:  make(chan struct{}), stopped: make(chan struct{})}
	go k.run()
	return k
}

// Stop ends what runs, and returns what went wrong; it may be called again.
func (k *Kubelet) Stop() error {
	k.once.Do(func() { close(k.stop) })
	<-k.stopped
	var all []error
	for _, fault := range k.faults {
		all = append(all, errors.New(fault))
	}
	return errors.Join(all...)
}

func (k *Kubelet) run() {
	defer close(k.stopped)
	for {
		k.look()
		select {
		case <-k.stop:
			k.mutex.Lock()
			for uid := range k.pairs {
				k.end(uid)
			}
			k.mutex.Unlock()
			return
		case <-time.After(poll):
		}
	}
}

func (k *Kubelet) fault(pod *corev1.Pod, err error) {
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		k.faults = append(k.faults, fmt.Sprintf("%s: %v", pod.Name, err))
	}
}

func (k *Kubelet) look() {
	pods, err := k.plane.Client.CoreV1().Pods(k.namespace).List(context.Background(),
		metav1.ListOptions{})
	if err != nil {
		return
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	there := map[types.UID]bool{}
	for _, pod := range pods.Items {
		there[pod.UID] = true
		k.lookAt(&pod)
	}
	for uid := range k.pairs {
		if !there[uid] {
			k.end(uid)
		}
	}
}

func (k *Kubelet) lookAt(pod *corev1.Pod) {
	switch pair := k.pairs[pod.UID]; {
	case pod.DeletionTimestamp != nil:
		k.end(pod.UID)
		immediately := int64(0)
		k.fault(pod, k.plane.Client.CoreV1().Pods(k.namespace).Delete(context.Background(), pod.Name,
			metav1.DeleteOptions{GracePeriodSeconds: &immediately}))
	case pair != nil:
		k.fault(pod, k.plane.leadToAPI(pod, pair.ports.api))
		if pod.Status.Phase == corev1.PodPending && pair.ready() {
			k.fault(pod, k.report(pod, corev1.PodRunning))
		}
	case container(pod, schedulerContainer) != nil:
		k.fault(pod, k.begin(pod))
	case pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodPending:
		k.fault(pod, k.report(pod, corev1.PodSucceeded))
	}
}

func (k *Kubelet) begin(pod *corev1.Pod) error {
	gangplan, err := k.credentials(pod, gangplanContainer)
	if err != nil {
		return err
	}
	scheduler, err := k.credentials(pod, schedulerContainer)
	if err != nil {
		return err
	}
	pair, err := k.plane.runPod(pod, gangplan, scheduler)
	if err != nil {
		return err
	}
	k.pairs[pod.UID] = pair
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name},
		Target: corev1.ObjectReference{Kind: "Node", Name: k.node}}
	return k.plane.Client.CoreV1().Pods(k.namespace).Bind(context.Background(), binding,
		metav1.CreateOptions{})
}

// accountFolder is where a client in a container looks for its credentials.
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// credentials is a kubeconfig with the token that the container mounts.
func (k *Kubelet) credentials(pod *corev1.Pod, name string) (string, error) {
	token, err := k.token(pod, name)
	if err != nil {
		return "", err
	}
	return k.plane.kubeconfig(k.namespace+"-"+name, k.plane.url(), token)
}

func (k *Kubelet) token(pod *corev1.Pod, name string) (string, error) {
	core := k.plane.Client.CoreV1()
	for _, mount := range container(pod, name).VolumeMounts {
		if mount.MountPath != accountFolder {
			continue
		}
		source := volume(pod, mount.Name)
		if source.Projected != nil {
			made, err := core.ServiceAccounts(k.namespace).CreateToken(context.Background(),
				pod.Spec.ServiceAccountName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
			if err != nil {
				return "", err
			}
			return made.Status.Token, nil
		}
		var token string
		err := Eventually("a token in the Secret "+source.Secret.SecretName, func() error {
			secret, err := core.Secrets(k.namespace).Get(context.Background(), source.Secret.SecretName,
				metav1.GetOptions{})
			if err == nil && len(secret.Data["token"]) == 0 {
				err = errors.New("it has none")
			}
			if err == nil {
				token = string(secret.Data["token"])
			}
			return err
		})
		return token, err
	}
	return "", fmt.Errorf("the container %s mounts no account", name)
}

func (k *Kubelet) end(uid types.UID) {
	pair := k.pairs[uid]
	if pair == nil {
		return
	}
	delete(k.pairs, uid)
	for _, process := range []*Process{pair.scheduler, pair.gangplan} {
		running := process.Running()
		code := process.Stop()
		if !running || process == pair.gangplan && code != 0 {
			k.faults = append(k.faults, fmt.Sprintf("%s had ended, or did with code %d:\n%s", process.Name,
				code, process.lastLines(10)))
		}
	}
}

func (k *Kubelet) report(pod *corev1.Pod, phase corev1.PodPhase) error {
	ready := corev1.ConditionFalse
	if phase == corev1.PodRunning {
		ready = corev1.ConditionTrue
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"phase": phase,
		"conditions": []any{map[string]any{"type": corev1.PodReady, "status": ready}}}})
	if err != nil {
		return err
	}
	_, err = k.plane.Client.CoreV1().Pods(k.namespace).Patch(context.Background(), pod.Name,
		types.StrategicMergePatchType, status, metav1.PatchOptions{}, "status")
	return err
}

// answers is whether a probe of the path is content.
func answers(scheme string, port int, path string) bool {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}}} // as a kubelet's are
	response, err := client.Get(fmt.Sprintf("%s://127.0.0.1:%d%s", scheme, port, path))
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// ProbeURL is where the Gangplan that runs has its probes.
func (k *Kubelet) ProbeURL() (string, error) {
	ports, err := k.ports()
	return fmt.Sprintf("http://127.0.0.1:%d", ports.probes), err
}

func (k *Kubelet) ports() (podPorts, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, pair := range k.pairs {
		return pair.ports, nil
	}
	return podPorts{}, errors.New("no pair runs")
}

// Ask asks the second listener of the Gangplan that runs.
func (k *Kubelet) Ask(path string) (string, error) {
	url, err := k.ProbeURL()
	if err != nil {
		return "", err
	}
	return get(url + path)
}

// CallAsStranger calls the Gangplan that runs as a scheduler would that has no certificate, and
// returns the status of the answer.
func (k *Kubelet) CallAsStranger(scheme string) (int, error) {
	ports, err := k.ports()
	if err != nil {
		return 0, err
	}
	return callAsStranger(fmt.Sprintf("%s://127.0.0.1:%d", scheme, ports.verbs))
}
