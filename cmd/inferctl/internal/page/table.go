package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	dto "github.com/prometheus/client_model/go"
)

// Row says how long one measure of one model took. Times are seconds; a
// quantile is nil when nothing was observed.
type Row struct {
	Model string `json:"model"`
	// Measure is a phase, or request, request ttft, call ttft or tpot.
	Measure string `json:"measure"`
	// Role is the side that saw it: server or client; empty for requests.
	Role  string   `json:"role,omitempty"`
	Count int64    `json:"count"`
	P50   *float64 `json:"p50"`
	P95   *float64 `json:"p95"`
	P99   *float64 `json:"p99"`
	Sum   float64  `json:"sum"`
}

// source is a histogram of the page and the measure that it tells; phases name
// theirs by label.
type source struct{ family, measure string }

const phaseFamily = "inference_phase_duration_seconds"

var sources = []source{
	{phaseFamily, ""},
	{"inference_request_duration_seconds", "request"},
	{"inference_request_time_to_first_token_seconds", "request ttft"},
	{"inference_call_time_to_first_token_seconds", "call ttft"},
	{"inference_call_time_per_output_token_seconds", "tpot"},
}

// order of the measures within a model: the way of a request, then its totals.
var order = []string{
	"receive", "preprocess", "queue", "inference", "postprocess", "other", "request", "request ttft", "call ttft", "tpot",
}

// key is what a row is about.
type key struct{ model, measure, role string }

// Rows sums the histograms of the page over all other labels.
func (f Families) Rows() []Row { return rows(f.sums()) }

// RowsSince is Rows of what was observed after an earlier reading of the page.
// A series that is new, or began again, counts from zero.
func (f Families) RowsSince(before Families) []Row {
	earlier := map[string]*dto.Histogram{}
	before.each(func(series string, _ key, h *dto.Histogram) { earlier[series] = h })
	sums := map[key]*histogram{}
	f.each(func(series string, k key, h *dto.Histogram) {
		gained := &histogram{}
		gained.add(h)
		if old := earlier[series]; old != nil && old.GetSampleCount() <= h.GetSampleCount() {
			gained.subtract(old)
		}
		if gained.count > 0 {
			sum(sums, k).merge(gained)
		}
	})
	return rows(sums)
}

func (f Families) sums() map[key]*histogram {
	sums := map[key]*histogram{}
	f.each(func(_ string, k key, h *dto.Histogram) { sum(sums, k).add(h) })
	return sums
}

func sum(sums map[key]*histogram, k key) *histogram {
	if sums[k] == nil {
		sums[k] = &histogram{}
	}
	return sums[k]
}

// each calls f for every histogram that a row is made of, with a text that
// stands for its name and labels.
func (f Families) each(visit func(series string, k key, h *dto.Histogram)) {
	for _, s := range sources {
		for _, m := range f[s.family].GetMetric() {
			k := key{label(m, "inference_model_name"), cmp.Or(s.measure, label(m, "inference_phase")), label(m, "inference_role")}
			visit(s.family+fmt.Sprint(labels(m)), k, m.GetHistogram())
		}
	}
}

// labels returns all labels of a series, in order.
func labels(m *dto.Metric) []string {
	list := make([]string, 0, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		list = append(list, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	slices.Sort(list)
	return list
}

func rows(sums map[key]*histogram) []Row {
	rows := make([]Row, 0, len(sums))
	for k, h := range sums {
		rows = append(rows, Row{
			Model: k.model, Measure: k.measure, Role: k.role, Count: int64(h.count), Sum: h.sum,
			P50: known(h.quantile(0.50)), P95: known(h.quantile(0.95)), P99: known(h.quantile(0.99)),
		})
	}
	slices.SortFunc(rows, compare)
	return rows
}

func compare(x, y Row) int {
	return cmp.Or(cmp.Compare(x.Model, y.Model), cmp.Compare(place(x.Measure), place(y.Measure)),
		cmp.Compare(x.Measure, y.Measure), cmp.Compare(x.Role, y.Role))
}

func place(measure string) int {
	if i := slices.Index(order, measure); i >= 0 {
		return i
	}
	return len(order)
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// WriteJSON writes rows as a JSON array.
func WriteJSON(w io.Writer, rows []Row) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// WriteTable writes rows aligned for people.
func WriteTable(w io.Writer, rows []Row) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "MODEL\tPHASE\tROLE\tCOUNT\tP50\tP95\tP99")
	for _, r := range rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", r.Model, r.Measure, cmp.Or(r.Role, "-"), r.Count, human(r.P50), human(r.P95), human(r.P99))
	}
	return tw.Flush()
}

// human writes seconds with the unit that suits them.
func human(seconds *float64) string {
	switch {
	case seconds == nil:
		return "-"
	case *seconds < 1:
		return fmt.Sprintf("%.2fms", *seconds*1000)
	}
	return fmt.Sprintf("%.2fs", *seconds)
}
