package entry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestTenants(t *testing.T) {
	all := Tenant{Value: "v", Attribute: "a", Resource: "r", ClientMetadata: "X-Scope-OrgID", MaxTenants: 10}
	attrs, res := map[string]any{"a": "fromA"}, map[string]any{"r": "fromR"}
	for _, row := range []struct {
		tenant          Tenant
		resource, attrs map[string]any
		client, want    string
		invalid         int64
	}{
		{Tenant{MaxTenants: 1}, res, attrs, "c", "", 0},
		{Tenant{MaxTenants: 1, Value: "v"}, res, attrs, "c", "v", 0},
		{all, res, attrs, "c", "fromA", 0},
		{all, res, nil, "c", "fromR", 0},
		{all, nil, nil, "c", "c", 0},
		{all, nil, nil, "", "v", 0},
		{all, nil, nil, "..", "v", 1},
		{all, nil, nil, "a|b", "v", 1},
		{all, nil, nil, "a/b", "v", 1},
		{all, nil, nil, "a\r\nX-Evil: 1", "v", 1},
		{all, nil, nil, strings.Repeat("x", 151), "v", 1},
		{all, nil, nil, strings.Repeat("x", 150), strings.Repeat("x", 150), 0},
		{all, nil, map[string]any{"a": 12}, "", "12", 0},
		{all, nil, map[string]any{"a": map[string]any{}}, "", "v", 0},
		{Tenant{MaxTenants: 1, Attribute: "a"}, nil, map[string]any{"a": "模"}, "", "", 1},
	} {
		c := newConverter(t, func(cfg *Config) { cfg.Tenant = row.tenant })
		list := c.Convert(one(t, row.resource, row.attrs), row.client)
		assert.Equal(t, row.want, list[0].Tenant)
		assert.Equal(t, row.invalid, c.Stats().TenantInvalid.Load())
	}
}

func TestTenantsArePartitioned(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.Tenant = Tenant{Attribute: "team", MaxTenants: 2, Value: "rest"} })
	ld := plog.NewLogs()
	for i, team := range []string{"b", "a", "b", "", "c", "a"} {
		one(t, nil, map[string]any{"team": team}, body(team), at(i)).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	}
	list := c.Convert(ld, "")
	assert.Equal(t, `<b> {service_name="unknown_service"} -5s "b" team="b"
<b> {service_name="unknown_service"} -3s "b" team="b"
<a> {service_name="unknown_service"} -4s "a" team="a"
<a> {service_name="unknown_service"} 0s "a" team="a"
<rest> {service_name="unknown_service"} -2s "{\"team\":\"\"}"
<rest> {service_name="unknown_service"} -1s "c" team="c"
`, told(list))
	assert.Len(t, list[0].Streams[0].Entries, 2)
	assert.EqualValues(t, 1, c.Stats().TenantOverflow.Load())
}
