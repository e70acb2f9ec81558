package ids

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseSpan(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   Kind
		value  string
		opts   Options
		want   string
		reason Reason
	}{
		"plain":                  {KindPlain, span, 0, span, OK},
		"upper case":             {KindPlain, "00F067AA0BA902B7", 0, span, OK},
		"0x":                     {KindPlain, "0x" + span, 0, span, OK},
		"quoted":                 {KindPlain, `"` + span + `"`, 0, span, OK},
		"15 digits":              {KindPlain, span[1:], 0, "", Invalid},
		"17 digits":              {KindPlain, "0" + span, 0, "", Invalid},
		"a trace id":             {KindPlain, w3c, 0, "", Invalid},
		"decimal":                {KindPlain, spanDec, 0, "", Invalid},
		"zero":                   {KindPlain, zero16, 0, "", Absent},
		"b3":                     {KindB3, span, 0, span, OK},
		"b3 without its zeros":   {KindB3, span[2:], 0, span, OK},
		"b3, too long":           {KindB3, "0" + span, 0, "", Invalid},
		"datadog":                {KindDatadog, spanDec, 0, span, OK},
		"datadog of 16 digits":   {KindDatadog, "1234567890123456", 0, "000462d53c8abac0", OK},
		"datadog in hex":         {KindDatadog, "00f067aa0ba902b7", 0, "", Invalid},
		"datadog beyond 64 bits": {KindDatadog, "18446744073709551616", 0, "", Invalid},
		"base64":                 {KindPlain, "APBnqgupArc=", Base64, span, OK},
		"base64 unasked":         {KindPlain, "APBnqgupArc=", 0, "", Invalid},
		"no kind of span":        {KindXRay, span, 0, "", Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			id, reason := ParseSpan(tt.kind, tt.value, tt.opts)
			assert.Equal(t, tt.reason.String(), reason.String())
			assert.Equal(t, tt.want, id.String())
		})
	}
}

func TestParseFlags(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   Kind
		value  string
		want   byte
		reason Reason
	}{
		"sampled":       {KindPlain, "01", 1, OK},
		"not sampled":   {KindPlain, "00", 0, OK},
		"a number":      {KindPlain, "1", 1, OK},
		"two bits":      {KindPlain, "03", 3, OK},
		"too long":      {KindPlain, "001", 0, Invalid},
		"no hex":        {KindPlain, "zz", 0, Invalid},
		"none":          {KindPlain, "None", 0, Absent},
		"python":        {KindSampled, "True", 1, OK},
		"python, not":   {KindSampled, "False", 0, OK},
		"b3":            {KindSampled, "1", 1, OK},
		"b3 debug":      {KindSampled, "d", 1, OK},
		"b3, not":       {KindSampled, "0", 0, OK},
		"empty":         {KindSampled, "", 0, Absent},
		"perhaps":       {KindSampled, "perhaps", 0, Invalid},
		"no flags kind": {KindXRay, "01", 0, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			flags, reason := ParseFlags(tt.kind, tt.value)
			assert.Equal(t, tt.reason.String(), reason.String())
			assert.Equal(t, tt.want, flags)
		})
	}
}
