package harness

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics is what a program tells at /metrics at one moment.
type Metrics map[string]*dto.MetricFamily

func parseMetrics(text []byte) (Metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(text))
}

// Sum is over all series of a metric that have these labels, given as name and value in turns; of a
// histogram it is the sum of what was observed. A metric without such a series is 0.
func (m Metrics) Sum(name string, labels ...string) float64 {
	sum := 0.0
	for _, series := range m.series(name, labels) {
		sum += value(series)
	}
	return sum
}

// By is the same sum for each key, which is made from the labels of a series; an empty key leaves
// the series out.
func (m Metrics) By(name string, key func(labels map[string]string) string) map[string]float64 {
	sums := map[string]float64{}
	for _, series := range m.series(name, nil) {
		if into := key(labelsOf(series)); into != "" {
			sums[into] += value(series)
		}
	}
	return sums
}

func (m Metrics) series(name string, wanted []string) []*dto.Metric {
	var found []*dto.Metric
	for _, series := range m[name].GetMetric() {
		labels, matches := labelsOf(series), true
		for i := 0; i+1 < len(wanted); i += 2 {
			matches = matches && labels[wanted[i]] == wanted[i+1]
		}
		if matches {
			found = append(found, series)
		}
	}
	return found
}

func labelsOf(series *dto.Metric) map[string]string {
	labels := map[string]string{}
	for _, pair := range series.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}

func value(series *dto.Metric) float64 {
	return series.GetCounter().GetValue() + series.GetGauge().GetValue() +
		series.GetHistogram().GetSampleSum()
}

// Metrics of the API server.
func (c *ControlPlane) Metrics() (Metrics, error) {
	text, err := c.Client.Discovery().RESTClient().Get().AbsPath("/metrics").
		SetHeader("Accept", "text/plain").DoRaw(context.Background())
	if err != nil {
		return nil, err
	}
	return parseMetrics(text)
}

// Metrics of Gangplan.
func (p *Pair) Metrics() (Metrics, error) {
	text, err := p.Probe("/metrics")
	if err != nil {
		return nil, err
	}
	return parseMetrics([]byte(text))
}

// Metric is a sum over all series of a metric of Gangplan that carry the label, such as
// verb="filter"; there must be one.
func (p *Pair) Metric(name, label string) (float64, error) {
	metrics, err := p.Metrics()
	if err != nil {
		return 0, err
	}
	var labels []string
	if key, text, found := strings.Cut(label, "="); found {
		labels = []string{key, strings.Trim(text, `"`)}
	}
	if len(metrics.series(name, labels)) == 0 {
		return 0, fmt.Errorf("there is no metric %s{%s}", name, label)
	}
	return metrics.Sum(name, labels...), nil
}

// SchedulerMetrics are those of kube-scheduler.
func (p *Pair) SchedulerMetrics() (Metrics, error) {
	client, err := p.plane.plainClient()
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequest(http.MethodGet,
		fmt.Sprintf("https://127.0.0.1:%d/metrics", p.metrics), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+adminToken)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("kube-scheduler's metrics: status %d: %s", response.StatusCode, text)
	}
	if err != nil {
		return nil, err
	}
	return parseMetrics(text)
}
