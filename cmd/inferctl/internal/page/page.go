// Package page reads the collector's own Prometheus page and tells, without a
// Prometheus, what its histograms say about every phase.
package page

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// timeout bounds one fetch.
const timeout = 10 * time.Second

// Families are the metrics of a page by name.
type Families map[string]*dto.MetricFamily

// Fetch reads a page over HTTP.
func Fetch(ctx context.Context, url string) (Families, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no metrics page, is the collector running? %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("no metrics page at %s: status %s", url, response.Status)
	}
	return Parse(response.Body)
}

// Parse reads a page in the Prometheus text format or in OpenMetrics.
func Parse(r io.Reader) (Families, error) {
	text, err := withoutExemplars(r)
	if err != nil {
		return nil, fmt.Errorf("metrics page: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return nil, fmt.Errorf("metrics page: %w", err)
	}
	return families, nil
}

// withoutExemplars drops the one thing of an OpenMetrics page that the parser
// of the older text format takes for an error.
func withoutExemplars(r io.Reader) (io.Reader, error) {
	var out bytes.Buffer
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "#") {
			line, _, _ = strings.Cut(line, " # {")
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return &out, lines.Err()
}
