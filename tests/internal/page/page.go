// Package page reads a Prometheus page.
package page

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// Labels of series. A label with an empty value is one that is not there.
type Labels map[string]string

// Page is a page that was read, by name of metric.
type Page map[string]*dto.MetricFamily

const (
	text        = "text/plain; version=0.0.4"
	openMetrics = "application/openmetrics-text; version=1.0.0"
	timeout     = 5 * time.Second
)

// Fetch reads the page at host:port in the text format.
func Fetch(ctx context.Context, addr string) (Page, error) {
	body, _, err := get(ctx, addr, text)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(body)
}

// Text returns the page at host:port as it is, in the text format.
func Text(ctx context.Context, addr string) (string, error) {
	body, _, err := get(ctx, addr, text)
	if err != nil {
		return "", err
	}
	defer body.Close()
	all, err := io.ReadAll(body)
	return string(all), err
}

// Get is Fetch for a page that must be there.
func Get(t testing.TB, addr string) Page {
	t.Helper()
	p, err := Fetch(t.Context(), addr)
	require.NoError(t, err)
	return p
}

func get(ctx context.Context, addr, accept string) (body io.ReadCloser, contentType string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/metrics", http.NoBody)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Accept", accept)
	resp, err := (&http.Client{Timeout: timeout}).Do(req)
	if err != nil {
		return nil, "", err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, "", fmt.Errorf("%s: %s", addr, resp.Status)
	}
	return resp.Body, resp.Header.Get("Content-Type"), nil
}

// Series returns the series of a metric that have the labels.
func (p Page) Series(name string, where Labels) (list []*dto.Metric) {
	for _, m := range p[name].GetMetric() {
		if matches(LabelsOf(m), where) {
			list = append(list, m)
		}
	}
	return list
}

// Value sums the numbers of a metric's series, which are no histograms.
func (p Page) Value(name string, where Labels) (sum float64) {
	for _, m := range p.Series(name, where) {
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
	}
	return sum
}

// LabelsOf returns the labels of a series.
func LabelsOf(m *dto.Metric) Labels {
	labels := make(Labels, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return labels
}

func matches(labels, where Labels) bool {
	for name, value := range where {
		if labels[name] != value {
			return false
		}
	}
	return true
}
