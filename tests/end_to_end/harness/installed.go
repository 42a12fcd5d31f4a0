package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// The containers of an installed pair.
const (
	gangplanContainer  = "gangplan"
	schedulerContainer = "kube-scheduler"
)

// installedPair is the two processes of one pod.
type installedPair struct {
	gangplan, scheduler *Process
	ports               podPorts
	probes              []func() bool
}

func (p *installedPair) ready() bool {
	for _, probe := range p.probes {
		if !probe() {
			return false
		}
	}
	return true
}

// podPorts is where the two listen, on this machine's loopback.
type podPorts struct{ verbs, probes, api, scheduler int }

// podFiles is the pod's volumes on this machine.
type podFiles struct {
	folder string
	pod    *corev1.Pod
}

// path is where a file of the container is here.
func (f podFiles) path(c *corev1.Container, text string) string {
	for _, mount := range c.VolumeMounts {
		text = strings.ReplaceAll(text, mount.MountPath+"/", filepath.Join(f.folder, mount.Name)+"/")
	}
	return text
}

// rename has every text of the map that names a file of the container name it here.
func (f podFiles) rename(c *corev1.Container, from any) {
	names, _ := from.(map[string]any)
	for key, value := range names {
		if text, ok := value.(string); ok {
			names[key] = f.path(c, text)
		}
	}
}

// runPod starts both processes as the spec says. What a pod has of its own is replaced: its ports,
// since many share this machine, its credentials, and the certificate that kube-scheduler makes
// itself.
func (c *ControlPlane) runPod(pod *corev1.Pod, gangplan, scheduler string) (*installedPair, error) {
	files, err := c.volumes(pod)
	if err != nil {
		return nil, err
	}
	var ports podPorts
	for _, port := range []*int{&ports.verbs, &ports.probes, &ports.api, &ports.scheduler} {
		if *port, err = freePort(); err != nil {
			return nil, err
		}
	}
	pair := &installedPair{ports: ports}
	if pair.gangplan, err = c.runGangplan(files, ports, gangplan); err != nil {
		return nil, err
	}
	if pair.scheduler, err = c.runScheduler(files, ports, scheduler); err != nil {
		return nil, err
	}
	ready := container(pod, gangplanContainer).ReadinessProbe.HTTPGet
	alive := container(pod, schedulerContainer).LivenessProbe.HTTPGet
	pair.probes = []func() bool{
		func() bool { return answers("http", ports.probes, ready.Path) },
		func() bool { return answers(strings.ToLower(string(alive.Scheme)), ports.scheduler, alive.Path) },
	}
	return pair, nil
}

func (c *ControlPlane) runGangplan(files podFiles, ports podPorts, kubeconfig string) (*Process, error) {
	spec := container(files.pod, gangplanContainer)
	err := editYAML(files.path(spec, spec.Args[len(spec.Args)-1]), func(config map[string]any) error {
		server, ok := config["server"].(map[string]any)
		if !ok || server["probeAddress"] != "::" {
			return fmt.Errorf("nobody outside of the pod could probe it: %v", config["server"])
		}
		server["probeAddress"], server["port"], server["probePort"] = "127.0.0.1", ports.verbs, ports.probes
		files.rename(spec, server["tls"])
		if api, ok := server["api"].(map[string]any); ok {
			files.rename(spec, api)
			api["address"], api["port"] = "127.0.0.1", ports.api
		}
		config["cluster"] = map[string]any{"kubeconfig": kubeconfig}
		return nil
	})
	if err != nil {
		return nil, err
	}
	argv := []string{"/usr/bin/env"}
	for _, variable := range spec.Env {
		argv = append(argv, variable.Name+"="+fieldOf(files.pod, variable.ValueFrom.FieldRef.FieldPath))
	}
	argv = append(argv, c.Env.Gangplan) // the image's entry point
	for _, argument := range spec.Args {
		argv = append(argv, files.path(spec, argument))
	}
	return startProcess(gangplanContainer, files.folder+"-gangplan.log", argv...)
}

func fieldOf(pod *corev1.Pod, path string) string {
	return map[string]string{"metadata.namespace": pod.Namespace, "metadata.name": pod.Name,
		"metadata.uid": string(pod.UID)}[path]
}

func (c *ControlPlane) runScheduler(files podFiles, ports podPorts, kubeconfig string) (*Process, error) {
	spec := container(files.pod, schedulerContainer)
	_, file, _ := strings.Cut(spec.Command[1], "--config=")
	err := editYAML(files.path(spec, file), func(config map[string]any) error {
		config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig}
		for _, entry := range config["extenders"].([]any) {
			extender := entry.(map[string]any)
			extender["urlPrefix"] = strings.Replace(extender["urlPrefix"].(string), ":10290",
				fmt.Sprintf(":%d", ports.verbs), 1)
			files.rename(spec, extender["tlsConfig"])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	argv := []string{c.Env.ControlPlane}
	for _, argument := range spec.Command {
		argv = append(argv, files.path(spec, argument))
	}
	argv = append(argv, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports.scheduler),
		"--tls-cert-file="+c.authority.certificateFile, "--tls-private-key-file="+c.authority.keyFile,
		"--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)
	return startProcess(schedulerContainer, files.folder+"-scheduler.log", argv...)
}

// volumes writes what the pod mounts, a folder a volume.
func (c *ControlPlane) volumes(pod *corev1.Pod) (podFiles, error) {
	files := podFiles{c.Env.path(pod.Name), pod}
	for _, volume := range pod.Spec.Volumes {
		content, err := c.content(pod, volume.VolumeSource)
		if err != nil {
			return files, err
		}
		folder := filepath.Join(files.folder, volume.Name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return files, err
		}
		for name, text := range content {
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
				return files, err
			}
		}
	}
	return files, nil
}

// content is the files of a volume, but for those of accounts, which are no files here.
func (c *ControlPlane) content(pod *corev1.Pod, of corev1.VolumeSource) (map[string][]byte, error) {
	content := map[string][]byte{}
	switch {
	case of.ConfigMap != nil:
		from, err := c.Client.CoreV1().ConfigMaps(pod.Namespace).Get(context.Background(),
			of.ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for name, text := range from.Data {
			content[name] = []byte(text)
		}
	case of.Secret != nil:
		secret, err := c.secret(pod.Namespace, of.Secret.SecretName)
		return secret.Data, err
	case of.Projected != nil:
		for _, source := range of.Projected.Sources {
			if source.Secret == nil {
				continue
			}
			secret, err := c.secret(pod.Namespace, source.Secret.Name)
			if err != nil {
				return nil, err
			}
			for _, item := range source.Secret.Items {
				if content[item.Path] = secret.Data[item.Key]; content[item.Path] == nil {
					return nil, fmt.Errorf("the Secret %s has no %s", secret.Name, item.Key)
				}
			}
		}
	}
	return content, nil
}

func (c *ControlPlane) secret(namespace, name string) (*corev1.Secret, error) {
	return c.Client.CoreV1().Secrets(namespace).Get(context.Background(), name, metav1.GetOptions{})
}

func volume(pod *corev1.Pod, name string) *corev1.VolumeSource {
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Name == name {
			return &pod.Spec.Volumes[i].VolumeSource
		}
	}
	return nil
}

func container(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	return nil
}

// editYAML changes a file of one document.
func editYAML(file string, edit func(map[string]any) error) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var document map[string]any
	if err := yaml.UnmarshalStrict(text, &document); err != nil {
		return err
	}
	if err := edit(document); err != nil {
		return err
	}
	if text, err = yaml.Marshal(document); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// CheckScheduler has kube-scheduler read the configuration in a file, for which it fills in the
// credentials, and is an error with its words when it refuses it.
func (c *ControlPlane) CheckScheduler(file string) error {
	kubeconfig, err := c.kubeconfig("admin", c.url(), adminToken)
	if err != nil {
		return err
	}
	err = editYAML(file, func(config map[string]any) error {
		config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig}
		return nil
	})
	if err != nil {
		return err
	}
	said, err := exec.Command(c.Env.ControlPlane, "kube-scheduler", "--config="+file,
		"--write-config-to="+file+".read", "--secure-port=0").CombinedOutput()
	if err != nil {
		return fmt.Errorf("kube-scheduler: %w: %s", err, said)
	}
	return nil
}
