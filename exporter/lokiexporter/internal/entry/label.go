package entry

import (
	"fmt"
	"slices"
	"strings"
)

// Label is one label and where its value comes from. Of several sources the first that has a
// value counts: the attribute of the record, the resource, the field, the default.
type Label struct {
	// Name is the label's name; empty is that of the attribute, sanitised.
	Name string `mapstructure:"name"`
	// Attribute is the key of an attribute of the record.
	Attribute string `mapstructure:"attribute"`
	// Resource is the key of an attribute of the resource.
	Resource string `mapstructure:"resource"`
	// Field is a field of the record: severity, event_name or scope_name.
	Field string `mapstructure:"field"`
	// Default is the value of records that have none.
	Default string `mapstructure:"default"`
	// Force takes a label that has too many values by its name.
	Force bool `mapstructure:"force"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// The fields that may be labels.
const (
	fieldSeverity  = "severity"
	fieldEventName = "event_name"
	fieldScopeName = "scope_name"
)

// What a stream is called that nothing else is known about. Loki refuses one without labels.
const (
	serviceLabel   = "service_name"
	unknownService = "unknown_service"
)

// DefaultLabels returns the labels that narrow a search and have few values.
func DefaultLabels() []Label {
	return []Label{
		{Name: serviceLabel, Resource: "service.name", Default: unknownService},
		{Name: "service_namespace", Resource: "service.namespace"},
		{Name: "deployment_environment_name", Resource: "deployment.environment.name"},
		{Name: "deployment_environment_name", Resource: "deployment.environment"},
		{Name: "k8s_cluster_name", Resource: "k8s.cluster.name"},
		{Name: "k8s_namespace_name", Resource: "k8s.namespace.name"},
		{Name: "k8s_container_name", Resource: "k8s.container.name"},
		{Name: "model_name", Attribute: "model_name"},
		{Name: "level", Field: fieldSeverity},
	}
}

// label returns the name under which Loki knows the label; empty where there is no name.
func (l *Label) label() string {
	for _, name := range []string{l.Name, l.Attribute, l.Resource} {
		if name != "" {
			return sanitise(name)
		}
	}
	switch l.Field {
	case fieldSeverity:
		return "level"
	default:
		return l.Field
	}
}

// validateLabels reports every mistake of a list of labels.
func validateLabels(labels []Label) (errs []error) {
	fail := func(i int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("labels::%d: "+format, append([]any{i}, args...)...))
	}
	var names []string
	for i := range labels {
		l := &labels[i]
		name := l.label()
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		switch {
		case l.Attribute == "" && l.Resource == "" && l.Field == "" && (l.Default == "" || l.Name == ""):
			fail(i, "has no source; set attribute, resource or field, or name and default for a fixed label")
			continue
		case len(name) > maxLabelNameLength:
			fail(i, "name: must be at most %d bytes (got %d)", maxLabelNameLength, len(name))
		}
		if !slices.Contains([]string{"", fieldSeverity, fieldEventName, fieldScopeName}, l.Field) {
			fail(i, "field: must be %s, %s or %s, but is %q", fieldSeverity, fieldEventName, fieldScopeName, l.Field)
		}
		if len(l.Default) > maxLabelValueLength {
			fail(i, "default: must be at most %d bytes (got %d)", maxLabelValueLength, len(l.Default))
		}
		if l.Force {
			continue
		}
		for _, s := range []string{l.Name, l.Attribute, l.Resource} {
			if why := refused(s); why != "" {
				fail(i, "%q %s; leave it in structured metadata, where | %s=\"…\" finds it, or set force: true", s, why, sanitise(s))
				break
			}
		}
	}
	if len(names) > maxLabels {
		errs = append(errs, fmt.Errorf("labels: must be at most %d names (got %d: %s); leave those in structured metadata that no query starts from",
			maxLabels, len(names), strings.Join(names, ", ")))
	}
	if len(labels) > maxLabelEntries {
		errs = append(errs, fmt.Errorf("labels: must be at most %d entries (got %d)", maxLabelEntries, len(labels)))
	}
	return errs
}
