package page

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exemplar is the link from a bucket to a span.
type Exemplar struct {
	// Metric is the name of the sample, with _bucket.
	Metric string
	// Series are the labels of the sample, Labels those of the exemplar.
	Series, Labels Labels
}

var (
	sample = regexp.MustCompile(`^(\w+)\{(.*)\} \S+(?: \S+)? # \{(.*)\} \S+(?: \S+)?$`)
	label  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// Exemplars reads the page in the OpenMetrics format, the only one that has them.
func Exemplars(t testing.TB, addr string) (list []Exemplar) {
	t.Helper()
	body, contentType, err := get(t.Context(), addr, openMetrics)
	require.NoError(t, err)
	defer body.Close()
	require.Contains(t, contentType, "application/openmetrics-text")
	data, err := io.ReadAll(body)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(data), "# EOF\n"), "an OpenMetrics page ends with # EOF")
	for line := range strings.Lines(string(data)) {
		m := sample.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		list = append(list, Exemplar{Metric: m[1], Series: labelsIn(m[2]), Labels: labelsIn(m[3])})
	}
	return list
}

func labelsIn(text string) Labels {
	labels := Labels{}
	for _, l := range label.FindAllStringSubmatch(text, -1) {
		labels[l[1]] = l[2]
	}
	return labels
}
