package entry

import (
	"errors"
	"fmt"
	"strings"
)

// Tenant says whose records are. The first source that has a value counts: the attribute of
// the record, the resource, the client's metadata, the fixed value.
type Tenant struct {
	// Value is the tenant of records that no other source names one for; empty sends none.
	Value string `mapstructure:"value"`
	// Attribute is the key of an attribute of the record.
	Attribute string `mapstructure:"attribute"`
	// Resource is the key of an attribute of the resource.
	Resource string `mapstructure:"resource"`
	// ClientMetadata is the key of the client's metadata, such as a header of its request.
	ClientMetadata string `mapstructure:"client_metadata"`
	// MaxTenants is how many tenants may be active; records of further ones get Value.
	MaxTenants int `mapstructure:"max_tenants"`

	// prevent unkeyed literal initialization
	_ struct{}
}

const (
	maxTenantLength = 150
	defaultTenants  = 1000
	mostTenants     = 100_000
)

func (t *Tenant) validate() (errs []error) {
	if t.Value != "" {
		if why := wrongTenant(t.Value); why != "" {
			errs = append(errs, fmt.Errorf("tenant::value: %q %s", t.Value, why))
		}
	}
	if t.MaxTenants < 1 || t.MaxTenants > mostTenants {
		errs = append(errs, fmt.Errorf("tenant::max_tenants: must be at least 1 and at most %d (got %d); the default is %d",
			mostTenants, t.MaxTenants, defaultTenants))
	}
	if strings.ContainsAny(t.ClientMetadata, " \t\r\n:") {
		errs = append(errs, errors.New("tenant::client_metadata: must be one key, such as X-Scope-OrgID"))
	}
	return errs
}

// wrongTenant says why Loki refuses a tenant; empty where it takes it.
func wrongTenant(s string) string {
	switch {
	case s == "":
		return "is empty"
	case len(s) > maxTenantLength:
		return fmt.Sprintf("is longer than %d bytes", maxTenantLength)
	case s == "." || s == "..":
		return "is a path, which Loki refuses; use another name"
	}
	for i := range len(s) {
		if c := s[i]; !alphanumeric(c) && strings.IndexByte("!-_.*'()", c) < 0 {
			return "has a character that Loki refuses; use letters, digits and !-_.*'()"
		}
	}
	return ""
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
