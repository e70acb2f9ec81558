package dashboards

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	promtime "github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/catalog"
)

// Check returns what is wrong with the dashboards, all of it; nil is nothing. Wrong are: a query
// that Prometheus would refuse, that asks for a metric or label that nothing emits, that has a rate
// without $__rate_interval or a quantile of what is no histogram or has nothing in it; and a panel
// without title, description, unit or query.
func Check(list []Dashboard) error {
	var all []error
	for _, d := range list {
		where := d.UID
		if d.UID == "" || d.Title == "" || d.Description == "" {
			all = append(all, fmt.Errorf("dashboard %q: it needs a UID, a title and a description", where+d.Title))
		}
		all = append(all, d.check(where+": annotation", firing, firingTitle+firingText)...)
		for _, v := range d.Variables {
			if v.Metric != "" {
				all = append(all, d.check(where+": variable "+v.Name, `count by (`+v.Attribute+`) (`+v.Metric+`)`, "")...)
			}
		}
		for _, row := range d.Rows {
			for _, p := range row.Panels {
				all = append(all, d.checkPanel(where+": "+row.Title+": "+p.Title, &p)...)
			}
		}
	}
	return errors.Join(all...)
}

func (d *Dashboard) checkPanel(where string, p *Panel) (all []error) {
	wrong := func(what string) { all = append(all, errors.New(where+": "+what)) }
	if p.Title == "" {
		wrong("the panel has no title")
	}
	if p.Description == "" {
		wrong("the panel has no description")
	}
	if p.Unit == "" {
		wrong("the panel has no unit")
	}
	if len(p.Queries) == 0 {
		wrong("the panel has no query")
	}
	if p.logs() {
		return all // LogQL
	}
	for _, q := range p.Queries {
		if q.Legend == "" {
			wrong("a query has no legend")
		}
		all = append(all, d.check(where+": "+q.Legend, q.Expr, q.Legend)...)
	}
	return all
}

// Intervals that Grafana fills in, as no query would have them.
const (
	rateInterval = 61001 * time.Millisecond
	wholeRange   = 3607001 * time.Millisecond
)

// instance fills in the variables as Grafana does.
func (d *Dashboard) instance(expr string) string {
	pairs := []string{
		"$__rate_interval", promtime.Duration(rateInterval).String(), "$__range", promtime.Duration(wholeRange).String(),
	}
	// A name that another one begins with comes after it.
	list := slices.Clone(d.Variables)
	slices.SortFunc(list, func(a, b Variable) int { return len(b.Name) - len(a.Name) })
	for _, v := range list {
		pairs = append(pairs, "$"+v.Name, v.standard())
	}
	return strings.NewReplacer(pairs...).Replace(selectors.Replace(expr))
}

var inLegend = regexp.MustCompile(`{{\s*(\w+)\s*}}`)

// check returns what is wrong with a query and its legend.
func (d *Dashboard) check(where, query, legend string) (all []error) {
	text := d.instance(query)
	// What label_replace has found is no variable.
	if left := strings.ReplaceAll(text, `"$1"`, ""); strings.ContainsAny(left, "$@") {
		return []error{fmt.Errorf("%s: a variable that the dashboard does not have: %s", where, left[strings.IndexAny(left, "$@"):])}
	}
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", where, err)}
	}
	c := checker{where: where, made: map[string]bool{}}
	c.collect(expr)
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		c.visit(node, path)
		return nil
	})
	for _, m := range inLegend.FindAllStringSubmatch(legend, -1) {
		c.needLabel(m[1], expr)
	}
	return c.wrong
}

type checker struct {
	where string
	made  map[string]bool // labels that the query itself makes
	wrong []error
}

func (c *checker) fail(format string, args ...any) {
	c.wrong = append(c.wrong, errors.New(c.where+": "+fmt.Sprintf(format, args...)))
}

// collect finds the labels that label_replace and its like make.
func (c *checker) collect(expr parser.Expr) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if call, ok := node.(*parser.Call); ok && (call.Func.Name == "label_replace" || call.Func.Name == "label_join") {
			if label, ok := call.Args[1].(*parser.StringLiteral); ok {
				c.made[label.Val] = true
			}
		}
		if agg, ok := node.(*parser.AggregateExpr); ok && agg.Op == parser.COUNT_VALUES {
			if label, ok := agg.Param.(*parser.StringLiteral); ok {
				c.made[label.Val] = true
			}
		}
		return nil
	})
}

func (c *checker) visit(node parser.Node, path []parser.Node) {
	switch n := node.(type) {
	case *parser.VectorSelector:
		c.selector(n)
	case *parser.AggregateExpr:
		for _, label := range n.Grouping {
			c.needLabel(label, n.Expr)
		}
	case *parser.BinaryExpr:
		if n.VectorMatching != nil {
			for _, label := range slices.Concat(n.VectorMatching.MatchingLabels, n.VectorMatching.Include) {
				c.needLabel(label, n)
			}
		}
	case *parser.Call:
		c.call(n, path)
	}
}

// selector checks that the metric is emitted and has the labels.
func (c *checker) selector(s *parser.VectorSelector) {
	if s.Name == "" {
		c.fail("%s names no metric", s)
		return
	}
	m, ok := catalog.Find(s.Name)
	switch {
	case !ok:
		c.fail("nothing emits %s; inferctl metrics lists what is emitted", s.Name)
		return
	case m.Optional:
		c.fail("%s is off in the shipped configurations", s.Name)
	}
	for _, matcher := range s.LabelMatchers {
		if matcher.Name != promtime.MetricNameLabel && !m.HasLabel(s.Name, matcher.Name) {
			c.fail("%s has no label %s; it has %s", s.Name, matcher.Name, strings.Join(m.Labels, ", "))
		}
		if matcher.Name == "le" && matcher.Type == labels.MatchEqual {
			c.fail(`%s: le is 1 in one Prometheus and 1.0 in another: match both, as le=~"1([.]0)?"`, s)
		}
	}
}

// needLabel checks that some series of the expression can have the label.
func (c *checker) needLabel(label string, expr parser.Node) {
	if c.made[label] {
		return
	}
	found, asked := false, false
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			asked = true
			if m, known := catalog.Find(s.Name); !known || m.HasLabel(s.Name, label) {
				found = true // an unknown metric has been reported
			}
		}
		return nil
	})
	if asked && !found {
		c.fail("no metric of %s has the label %s", expr, label)
	}
}

// Functions of a time back; the first three are for counters.
var perTime = []string{"rate", "irate", "increase", "delta", "idelta", "deriv"}

func (c *checker) call(call *parser.Call, path []parser.Node) {
	if slices.Contains(perTime, call.Func.Name) {
		c.rate(call)
	}
	if call.Func.Name == "histogram_quantile" {
		c.quantile(call, path)
	}
}

func (c *checker) rate(call *parser.Call) {
	window, ok := call.Args[0].(*parser.MatrixSelector)
	if !ok {
		c.fail("%s is not of a metric", call)
		return
	}
	total := call.Func.Name == "increase" && window.Range == wholeRange
	if window.Range != rateInterval && !total {
		c.fail("%s over a fixed time: use $__rate_interval, or increase over $__range", call.Func.Name)
	}
	s, ok := window.VectorSelector.(*parser.VectorSelector)
	if !ok {
		return
	}
	if m, known := catalog.Find(s.Name); known && m.Type == catalog.Gauge && slices.Contains(perTime[:3], call.Func.Name) {
		c.fail("%s of %s, which is a gauge", call.Func.Name, s.Name)
	}
}

// quantile checks that it is of a histogram, by le, and has no value where nothing was observed.
func (c *checker) quantile(call *parser.Call, path []parser.Node) {
	of, byLe := false, false
	parser.Inspect(call.Args[1], func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			if m, ok := catalog.Find(n.Name); ok && m.Type == catalog.Histogram && strings.HasSuffix(n.Name, "_bucket") {
				of = true
			}
		case *parser.AggregateExpr:
			byLe = byLe || (!n.Without && slices.Contains(n.Grouping, "le"))
		}
		return nil
	})
	if !of {
		c.fail("a quantile over nothing: %s is no histogram", call.Args[1])
	} else if !byLe {
		c.fail("a quantile over nothing: %s loses the label le", call.Args[1])
	}
	for _, parent := range slices.Backward(path) {
		if b, ok := parent.(*parser.BinaryExpr); ok && (b.Op == parser.GTE || b.Op == parser.GTR) && !b.ReturnBool {
			return
		}
	}
	c.fail("a quantile over nothing: without observations it is NaN; compare it, as >= 0")
}
