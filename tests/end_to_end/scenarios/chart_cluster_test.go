package scenarios

import (
	"fmt"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

// everything is each part of the chart that renders objects of its own.
const everything = someTopology + " --set sakkara=true,gates=gangplan,suspendedJobs=true,admissionChecks=true," +
	"admissionPolicies.gate=true,admissionPolicies.suspend=true,resourceQuota=true," +
	"networkPolicy.enabled=true,networkPolicy.from[0].podSelector.matchLabels.app=prometheus," +
	"serviceMonitor.enabled=true,serviceMonitor.labels.release=prometheus," +
	"prometheusRule.enabled=true,prometheusRule.labels.release=prometheus,dashboard.enabled=true," +
	"imagePullSecrets[0].name=pull,nodeSelector.pool=system,tolerations[0].operator=Exists," +
	"test.nodeSelector.pool=gpu,replicas=2,repair.after=30s,api.enabled=true,tls.enabled=true"

// The API server takes every object and knows every field. It does not know the Prometheus
// operator's, which that one's own types read.
func TestChartObjectsAreValid(t *testing.T) {
	t.Parallel()
	needsPolicies(t)
	shell := newShell(t)
	text := render(t, shell, everything)
	var known []string
	operators := map[string]any{"ServiceMonitor": &monitoringv1.ServiceMonitor{},
		"PrometheusRule": &monitoringv1.PrometheusRule{}}
	for _, document := range strings.Split(text, "\n---\n") {
		kind := objectsIn(t, document)[0].text("kind")
		if operators[kind] == nil {
			known = append(known, document)
		} else if err := yaml.UnmarshalStrict([]byte(document), operators[kind]); err != nil {
			t.Error(err)
		} else {
			delete(operators, kind)
		}
	}
	for kind := range operators {
		t.Errorf("no %s, or not one alone", kind)
	}
	try := func(text string) error {
		_, err := shell.Run(fmt.Sprintf("kubectl apply --dry-run=server --validate=strict -f - <<'END'\n%s\nEND",
			text))
		return err
	}
	all := strings.Join(known, "\n---\n")
	if err := try(all); err != nil {
		t.Error(err)
	}
	err := try(strings.Replace(all, "replicas: 2", "replica: 2", 1))
	if err == nil || !strings.Contains(err.Error(), `unknown field "spec.replica"`) {
		t.Errorf("a wrong field was not seen: %v", err)
	}
}

// The scheduler's image is that of the cluster's version, as it is published: what vendors add to it
// is not.
func TestChartTakesTheClustersVersion(t *testing.T) {
	t.Parallel()
	for version, tag := range map[string]string{
		"v1.36.3":                "v1.36.3",
		"v1.35.3-gke.1051003":    "v1.35.3",
		"v1.34.1-eks-3025e55":    "v1.34.1",
		"v1.36.1+k3s1":           "v1.36.1",
		"v1.33.5+rke2r1":         "v1.33.5",
		"v1.32.9-aliyun.1":       "v1.32.9",
		"v1.31.1-r0-31.0.10":     "v1.31.1",
		"v1.34.2+vmware.1-fips":  "v1.34.2",
		"v1.37.0-rc.1":           "v1.37.0-rc.1",
		"v1.37.0-alpha.3-gke.12": "v1.37.0-alpha.3",
	} {
		shell, stop, err := plane.ShellOfVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		text, err := shell.Run("helm template versions config/chart --validate " + someTopology +
			" --show-only templates/deployment.yaml")
		stop()
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(text, "/kube-scheduler:"+tag+"\n") {
			t.Errorf("%s: expected the image's tag %s in\n%s", version, tag, text)
		}
	}
	text := render(t, newShell(t), someTopology+" --set scheduler.image.tag=v1.35.0")
	if !strings.Contains(text, "/kube-scheduler:v1.35.0\n") {
		t.Errorf("the tag that was said is not in\n%s", text)
	}
}
