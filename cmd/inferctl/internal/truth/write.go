package truth

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// phaseOrder is the order of a request's way.
var phaseOrder = []string{"receive", "preprocess", "queue", "inference", "prefill", "decode", "postprocess"}

// WriteJSON writes the truth as indented JSON.
func (t *Truth) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(t)
}

// WriteTable writes the truth for people.
func (t *Truth) WriteTable(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "MODEL\tMEASURE\tCOUNT\tP50\tP95\tP99")
	for i := range t.Models {
		t.Models[i].writeRows(tw)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i := range t.Models {
		m := &t.Models[i]
		fmt.Fprintf(w, "%s: %d requests (%s), %d without a call, %d tokens in, %d out\n",
			m.label(), m.Requests, counts(m.Outcomes), m.RequestsWithoutCall, m.InputTokens, m.OutputTokens)
	}
	_, err := fmt.Fprintf(w, "sent: %d requests, %d spans (%d failed), %d log lines (%d failed)\n",
		t.Requests, t.Sent.Spans, t.Sent.SpansFailed, t.Sent.LogRecords, t.Sent.LogRecordsFailed)
	return err
}

func (m *Model) writeRows(w io.Writer) {
	row := func(measure string, s Summary) {
		if s.Count > 0 {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", m.label(), measure, s.Count, human(s.P50), human(s.P95), human(s.P99))
		}
	}
	for _, name := range phaseOrder {
		row(name, m.Phases[name])
		row("  "+name, m.Subphases[name])
	}
	row("request", m.RequestDuration)
	row("call", m.CallDuration)
	row("request ttft", m.RequestTTFT)
	row("call ttft", m.CallTTFT)
	row("tpot", m.TPOT)
}

func (m *Model) label() string {
	if m.Version == "" {
		return m.Name
	}
	return m.Name + "@" + m.Version
}

// human writes seconds with the unit that suits them.
func human(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.2fms", seconds*1000)
	}
	return fmt.Sprintf("%.2fs", seconds)
}

func counts(byName map[string]int) string {
	parts := make([]string, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		parts = append(parts, fmt.Sprintf("%d %s", byName[name], name))
	}
	return strings.Join(parts, ", ")
}
