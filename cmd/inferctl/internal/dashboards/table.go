// Package dashboards holds the Grafana dashboards that the project ships: each a table of rows,
// panels and queries, from which their JSON is made, and the check of what they ask for.
package dashboards

//go:generate go run ../.. dashboards --output ../../../../distribution/grafana/dashboards
//go:generate go run ./gendocs ../../../../docs/dashboards.md

// Dashboard is one dashboard.
type Dashboard struct {
	UID, Title, Description string
	// Logs is the LogQL to which its curves lead, for the time shown; none: to no logs.
	Logs      string
	Variables []Variable
	Rows      []Row
}

// Row is a part of a dashboard with a heading.
type Row struct {
	Title  string
	Panels []Panel
}

// Kind is how a panel shows its queries.
type Kind int

// The kinds.
const (
	Lines    Kind = iota // over time
	Shares               // over time, stacked up to 100 %
	Number               // now, with a small curve
	Table                // a row for each set of labels, a column for each query
	LogBars              // counted log lines over time, stacked
	LogLines             // log lines
)

// Panel answers one question.
type Panel struct {
	Title string
	// Description is for who reads it at night: what it shows, and what to think of it.
	Description string
	// Unit is one of Grafana's, for all values but those of columns with their own.
	Unit    string
	Kind    Kind
	Width   uint32 // of 24; 0 is a third
	Height  uint32 // 0 is as usual for the kind
	Queries []Query
	// Max fixes the axis or the scale, as 1 for shares.
	Max float64
	// Steps colour a number, or the cells of a table, from a value on.
	Steps []Step
	// Decimals of values; 0 leaves it to Grafana.
	Decimals float64
	// Empty is what a panel without any line says, where that is no lack of data.
	Empty string
}

// Query is one query. In expressions @i is the interval of a rate, and @request, @server, @gpu
// and their like are the matchers of the dashboard's variables; see selectors.
type Query struct {
	Legend string // of a column its heading
	Expr   string
	Unit   string // of a column, where it is not the panel's
	Dashed bool
}

// Step is a colour from a value on.
type Step struct {
	From  float64
	Color string
}

// Variable is a choice above the dashboard.
type Variable struct {
	Name, Label, Description string
	// Metric and Attribute are for a choice among the values of a label: Metric may have matchers.
	Metric, Attribute string
	Single            bool
	// Options are for a choice among fixed values, one of them the default.
	Options []Option
	// Source is for a choice of a data source, by type.
	Source string
}

// Option is a fixed value.
type Option struct {
	Text, Value string
	Default     bool
}

// standard is the value of a variable as long as nobody has chosen another.
func (v *Variable) standard() string {
	for _, o := range v.Options {
		if o.Default {
			return o.Value
		}
	}
	return ".*"
}

// All are the dashboards, in the order in which they are read.
func All() []Dashboard {
	return []Dashboard{overview(), slow(), gpus(), versions(), self()}
}
