package ids

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	w3c       = "4bf92f3577b34da6a3ce929d0e0e4736"
	w3cUpper  = "4BF92F3577B34DA6A3CE929D0E0E4736"
	w3cUUID   = "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"
	w3cTwice  = "3462663932663335373762333464613661336365393239643065306534373336"
	w3cBase64 = "S/kvNXezTaajzpKdDg5HNg=="
	span      = "00f067aa0ba902b7"
	spanDec   = "67667974448284343" // span in decimal
	short     = "4d1697be764d8b82"
	zero16    = "0000000000000000"
	zero32    = zero16 + zero16
)

// want is a Trace as text: an empty span, or flags below zero, are none.
type want struct {
	id    string
	span  string
	flags int
	low64 bool
}

func (w want) trace(t *testing.T) (tr Trace) {
	t.Helper()
	tr.TraceID = mustTraceID(t, w.id)
	tr.Low64Only = w.low64
	if w.span != "" {
		id, err := hex.DecodeString(w.span)
		require.NoError(t, err)
		tr.SpanID, tr.HasSpan = pcommon.SpanID(id), true
	}
	if w.flags >= 0 {
		tr.Flags, tr.HasFlags = byte(w.flags), true
	}
	return tr
}

func mustTraceID(t *testing.T, s string) pcommon.TraceID {
	t.Helper()
	id, err := hex.DecodeString(s)
	require.NoError(t, err)
	return pcommon.TraceID(id)
}

func TestParseTrace(t *testing.T) {
	bare := want{id: w3c, flags: -1}
	for name, tt := range map[string]struct {
		kind  Kind
		value string
		want  want
	}{
		"w3c":                    {KindPlain, w3c, bare},
		"upper case":             {KindPlain, w3cUpper, bare},
		"0x":                     {KindPlain, "0x" + w3c, bare},
		"0X":                     {KindPlain, "0X" + w3cUpper, bare},
		"uuid":                   {KindPlain, w3cUUID, bare},
		"upper-case uuid":        {KindPlain, "4BF92F35-77B3-4DA6-A3CE-929D0E0E4736", bare},
		"quoted":                 {KindPlain, "\t\"" + w3c + "\" \n", bare},
		"hex of hex":             {KindPlain, w3cTwice, bare},
		"python":                 {KindOTel, w3c, bare},
		"64 bits":                {KindPlain, short, want{id: zero16 + short, flags: -1}},
		"64 bits after 0x":       {KindPlain, "0x" + short, want{id: zero16 + short, flags: -1}},
		"16 digits are not dec":  {KindPlain, "1234567890123456", want{id: zero16 + "1234567890123456", flags: -1}},
		"traceparent":            {KindTraceparent, "00-" + w3c + "-" + span + "-01", want{id: w3c, span: span, flags: 1}},
		"upper traceparent":      {KindTraceparent, "00-" + w3cUpper + "-00F067AA0BA902B7-00", want{id: w3c, span: span}},
		"random flag":            {KindTraceparent, "00-" + w3c + "-" + span + "-03", want{id: w3c, span: span, flags: 3}},
		"version 01":             {KindTraceparent, "01-" + w3c + "-" + span + "-01", want{id: w3c, span: span, flags: 1}},
		"version cc with more":   {KindTraceparent, "cc-" + w3c + "-" + span + "-01-what-the-future", want{id: w3c, span: span, flags: 1}},
		"b3 header":              {KindB3, w3c, bare},
		"b3 header of 64 bits":   {KindB3, short, want{id: zero16 + short, flags: -1}},
		"b3 header of 31 digits": {KindB3, w3c[1:], want{id: "0bf92f3577b34da6a3ce929d0e0e4736", flags: -1}},
		"b3 header of a digit":   {KindB3, "a", want{id: zero32[:31] + "a", flags: -1}},
		"b3":                     {KindB3Single, w3c + "-" + span + "-1-" + short, want{id: w3c, span: span, flags: 1}},
		"b3 debug":               {KindB3Single, short + "-" + span + "-d", want{id: zero16 + short, span: span, flags: 1}},
		"b3 not sampled":         {KindB3Single, w3c + "-" + span + "-0", want{id: w3c, span: span}},
		"b3 undecided":           {KindB3Single, w3c + "-" + span, want{id: w3c, span: span, flags: -1}},
		"uber":                   {KindUber, w3c + ":" + span + ":0:1", want{id: w3c, span: span, flags: 1}},
		"short uber":             {KindUber, "d1697be764d8b82:f067aa0ba902b7:0:3", want{id: zero16 + "0d1697be764d8b82", span: span, flags: 1}},
		"uber debug only":        {KindUber, w3c + ":" + span + ":" + short + ":02", want{id: w3c, span: span}},
		"encoded uber":           {KindUber, short + "%3A" + span + "%3a0%3A0", want{id: zero16 + short, span: span}},
		"uber without a span":    {KindUber, w3c + ":0:0:1", want{id: w3c, flags: 1}},
		"datadog":                {KindDatadog, "1234567890123456789", want{id: zero16 + "112210f47de98115", flags: -1, low64: true}},
		"datadog's largest":      {KindDatadog, "18446744073709551615", want{id: zero16 + "ffffffffffffffff", flags: -1, low64: true}},
		"16 digits are dec":      {KindDatadog, "1234567890123456", want{id: zero16 + "000462d53c8abac0", flags: -1, low64: true}},
		"datadog's 128 bits":     {KindDatadog, w3c, bare},
		"32 digits are hex":      {KindDatadog, "12345678901234567890123456789012", want{id: "12345678901234567890123456789012", flags: -1}},
		"x-ray":                  {KindXRay, "1-5759e988-bd862e3fe1be46a994272793", want{id: "5759e988bd862e3fe1be46a994272793", flags: -1}},
		"x-ray header":           {KindXRay, "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=" + span + ";Sampled=1", want{id: w3c, span: span, flags: 1}},
		"x-ray by a balancer":    {KindXRay, "Self=1-67891234-12456789abcdef012345678; Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;CalledFrom=app", bare},
		"x-ray undecided":        {KindXRay, "Sampled=?;Root=1-4bf92f35-77b34da6a3ce929d0e0e4736", bare},
		"x-ray lineage":          {KindXRay, "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Lineage=a87bd80c:1|68fd508a:5;Sampled=0", want{id: w3c}},
		"x-ray of java's log":    {KindXRay, "AWS-XRAY-TRACE-ID: 1-4bf92f35-77b34da6a3ce929d0e0e4736@" + span, want{id: w3c, span: span, flags: -1}},
		"w3c in x-ray":           {KindXRay, w3c, bare},
		"gcp":                    {KindGCP, "projects/my-project/traces/" + w3c, bare},
		"gcp bare":               {KindGCP, w3c, bare},
		"cloud trace":            {KindCloudTrace, w3c + "/" + spanDec + ";o=1", want{id: w3c, span: span, flags: 1}},
		"cloud trace unsampled":  {KindCloudTrace, w3c + "/" + spanDec + ";o=0", want{id: w3c, span: span}},
		"cloud trace, no option": {KindCloudTrace, w3c + "/" + spanDec, want{id: w3c, span: span, flags: -1}},
		"cloud trace, span 0":    {KindCloudTrace, w3c + "/0;o=1", want{id: w3c, flags: 1}},
		"cloud trace bare":       {KindCloudTrace, w3cUpper, bare},
		"azure":                  {KindAzure, w3c, bare},
		"legacy azure":           {KindAzure, "|" + w3c + "." + span + ".", want{id: w3c, span: span, flags: -1}},
		"azure's guid":           {KindAzure, "|" + w3cUUID + ".1.2.", bare},
		"span logs":              {KindSpanLogs, w3c, bare},
		"span logs of hex":       {KindSpanLogs, hex.EncodeToString([]byte(w3c)), bare},
	} {
		t.Run(name, func(t *testing.T) {
			got, reason := ParseTrace(tt.kind, tt.value, 0)
			assert.Equal(t, OK, reason)
			assert.Equal(t, tt.want.trace(t), got)
		})
	}
}

func TestParseTraceRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   Kind
		value  string
		reason Reason
	}{
		"31 digits":                   {KindPlain, w3c[:31], Invalid},
		"33 digits":                   {KindPlain, w3c + "a", Invalid},
		"15 digits":                   {KindPlain, short[:15], Invalid},
		"17 digits":                   {KindPlain, short + "0", Invalid},
		"a letter after f":            {KindPlain, "g" + w3c[1:], Invalid},
		"x without 0":                 {KindPlain, "1x" + w3c, Invalid},
		"decimal in a plain field":    {KindPlain, "1234567890123456789", Invalid},
		"traceparent in plain":        {KindPlain, "00-" + w3c + "-" + span + "-01", Invalid},
		"a dash is missing":           {KindPlain, "4bf92f3577b3-4da6-a3ce-929d0e0e4736", Invalid},
		"dashes elsewhere":            {KindPlain, "4bf92f3-577b3-4da6-a3ce-929d0e0e4736", Invalid},
		"uuid of others":              {KindPlain, "4bf92f35-77b3-4da6-a3ce-929d0e0e473z", Invalid},
		"64 digits":                   {KindPlain, w3c + w3c, Invalid},
		"twice, zero":                 {KindPlain, hex.EncodeToString([]byte(zero32)), Absent},
		"base64":                      {KindPlain, w3cBase64, Invalid},
		"hex of base64":               {KindPlain, hex.EncodeToString([]byte(w3cBase64)), Invalid},
		"two ids":                     {KindPlain, w3c + "," + w3c, Invalid},
		"a sentence":                  {KindPlain, "no active span", Invalid},
		"zero 16":                     {KindPlain, zero16, Absent},
		"zero 32":                     {KindPlain, zero32, Absent},
		"zero in an odd width":        {KindPlain, "00000", Absent},
		"zero after 0x":               {KindPlain, "0x0", Absent},
		"nil uuid":                    {KindPlain, "00000000-0000-0000-0000-000000000000", Absent},
		"python's 0":                  {KindOTel, "0", Absent},
		"version ff":                  {KindTraceparent, "ff-" + w3c + "-" + span + "-01", Invalid},
		"version 00 with more":        {KindTraceparent, "00-" + w3c + "-" + span + "-01-x", Invalid},
		"version 01 with more digits": {KindTraceparent, "01-" + w3c + "-" + span + "-011", Invalid},
		"flags zz":                    {KindTraceparent, "00-" + w3c + "-" + span + "-zz", Invalid},
		"flags of one digit":          {KindTraceparent, "00-" + w3c + "-" + span + "-1", Invalid},
		"no flags":                    {KindTraceparent, "00-" + w3c + "-" + span, Invalid},
		"version zz":                  {KindTraceparent, "zz-" + w3c + "-" + span + "-01", Invalid},
		"short trace":                 {KindTraceparent, "00-" + w3c[:31] + "-" + span + "0-01", Invalid},
		"bare in traceparent":         {KindTraceparent, w3c, Invalid},
		"zero span":                   {KindTraceparent, "00-" + w3c + "-" + zero16 + "-01", Invalid},
		"zero traceparent":            {KindTraceparent, "00-" + zero32 + "-" + zero16 + "-00", Absent},
		"envoy's dash":                {KindTraceparent, "-", Absent},
		"b3 header of 33 digits":      {KindB3, w3c + "0", Invalid},
		"b3 header 0":                 {KindB3, "0", Absent},
		"b3 0":                        {KindB3Single, "0", Absent},
		"b3 d":                        {KindB3Single, "d", Absent},
		"b3 without a span":           {KindB3Single, w3c, Invalid},
		"b3 with a bad span":          {KindB3Single, w3c + "-xyz-1", Invalid},
		"b3 with a bad state":         {KindB3Single, w3c + "-" + span + "-2", Invalid},
		"b3 with a bad parent":        {KindB3Single, w3c + "-" + span + "-1-", Invalid},
		"b3 zero":                     {KindB3Single, zero32 + "-" + zero16 + "-0", Absent},
		"uber of three":               {KindUber, w3c + ":" + span + ":1", Invalid},
		"uber of five":                {KindUber, w3c + ":" + span + ":0:1:1", Invalid},
		"uber zero":                   {KindUber, "0:0:0:0", Absent},
		"uber with a bad trace":       {KindUber, "xyz:1:0:1", Invalid},
		"uber with an empty trace":    {KindUber, ":1:0:1", Invalid},
		"uber with bad flags":         {KindUber, w3c + ":" + span + ":0:101", Invalid},
		"uber, cut encoding":          {KindUber, w3c + "%3", Invalid},
		"datadog beyond 64 bits":      {KindDatadog, "18446744073709551616", Invalid},
		"datadog in hex":              {KindDatadog, short, Invalid},
		"datadog negative":            {KindDatadog, "-1", Invalid},
		"datadog with a sign":         {KindDatadog, "+1", Invalid},
		"datadog 0":                   {KindDatadog, "0", Absent},
		"datadog empty":               {KindDatadog, "", Absent},
		"x-ray version 2":             {KindXRay, "2-5759e988-bd862e3fe1be46a994272793", Invalid},
		"x-ray short":                 {KindXRay, "1-5759e988-bd862e3fe1be46a99427279", Invalid},
		"x-ray with a bad parent":     {KindXRay, "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=1", Invalid},
		"x-ray with a bad state":      {KindXRay, "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Sampled=d", Invalid},
		"x-ray without a root":        {KindXRay, "Self=1-4bf92f35-77b34da6a3ce929d0e0e4736", Invalid},
		"x-ray with a bad segment":    {KindXRay, "1-4bf92f35-77b34da6a3ce929d0e0e4736@1", Invalid},
		"x-ray zero":                  {KindXRay, "Root=1-00000000-" + zero16 + "00000000;Parent=" + zero16 + ";Sampled=0", Absent},
		"gcp of another resource":     {KindGCP, "projects/my-project/traces/", Invalid},
		"gcp short":                   {KindGCP, "projects/my-project/traces/" + short, Invalid},
		"gcp zero":                    {KindGCP, "projects/my-project/traces/" + zero32, Absent},
		"cloud trace, hex span":       {KindCloudTrace, w3c + "/00f067aa0ba902b7;o=1", Invalid},
		"cloud trace, bad option":     {KindCloudTrace, w3c + "/1;o=x", Invalid},
		"cloud trace, other option":   {KindCloudTrace, w3c + "/1;p=1", Invalid},
		"cloud trace, short":          {KindCloudTrace, short + "/1;o=1", Invalid},
		"legacy azure, short root":    {KindAzure, "|Ai0ArY7nT2o.4bf92f35.", Invalid},
		"azure's other id":            {KindAzure, w3cUUID, Invalid},
		"a thread":                    {KindSpanLogs, "140735284521728", Absent},
		"a thread of 16 digits":       {KindSpanLogs, "1407352845217281", Absent},
		"no kind of trace":            {KindSampled, w3c, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			got, reason := ParseTrace(tt.kind, tt.value, 0)
			assert.Equal(t, tt.reason.String(), reason.String())
			assert.Zero(t, got)
		})
	}
}

func TestPlaceholdersAreAbsent(t *testing.T) {
	for _, value := range []string{
		"", " ", `""`, "-", "0", "null", "NULL", "nil", "<nil>", "none", "None", "N.A.", "N/A", "n/a", "NA", "undefined",
		"<id_unknown>", "unknown", "Unknown", "(null)", " none ", `"None"`, "NaN", zero32, zero16,
	} {
		for kind := KindPlain; kind <= KindSampled; kind++ {
			_, reason := ParseTrace(kind, value, Base64)
			assert.Equal(t, Absent, reason, "kind %d, %q", kind, value)
		}
		for _, kind := range []Kind{KindPlain, KindB3, KindDatadog} {
			_, reason := ParseSpan(kind, value, Base64)
			assert.Equal(t, Absent, reason, "kind %d, %q", kind, value)
		}
		var f Forms
		rules := DefaultRules()
		assert.Equal(t, Absent, rules.Parse(value, &f), "%q", value)
		assert.Zero(t, f.Len())
	}
}

func TestOptions(t *testing.T) {
	t.Run("a foreign trace_id is absent", func(t *testing.T) {
		for _, value := range []string{w3c, w3cUUID, "user-7/session-12"} {
			_, reason := ParseTrace(KindPlain, value, ForeignTraceID)
			assert.Equal(t, Absent, reason, value)
		}
	})
	t.Run("others of a source with a foreign trace_id are read", func(t *testing.T) {
		_, reason := ParseTrace(KindTraceparent, "00-"+w3c+"-"+span+"-01", ForeignTraceID)
		assert.Equal(t, OK, reason)
		_, reason = ParseTrace(KindOTel, w3c, ForeignTraceID)
		assert.Equal(t, OK, reason)
	})
	t.Run("base64", func(t *testing.T) {
		for value, id := range map[string]string{
			w3cBase64:                  w3c,
			"-_-_-_-_-_-_-_-_-_-_-Q==": "fbffbffbffbffbffbffbffbffbffbff9",
		} {
			got, reason := ParseTrace(KindPlain, value, Base64)
			assert.Equal(t, OK, reason, value)
			assert.Equal(t, mustTraceID(t, id), got.TraceID)
		}
		for _, value := range []string{"S/kvNXezTaajzpKdDg5HNg", "S/kvNXezTaajzpKdDg5HNjY=", "S/kvNXezTaajzpKdDg5H*g=="} {
			_, reason := ParseTrace(KindPlain, value, Base64)
			assert.Equal(t, Invalid, reason, value)
		}
		_, reason := ParseTrace(KindPlain, "AAAAAAAAAAAAAAAAAAAAAA==", Base64)
		assert.Equal(t, Absent, reason)
	})
}

func TestLow64(t *testing.T) {
	got, reason := ParseTrace(KindDatadog, "11803532876627986230", 0)
	require.Equal(t, OK, reason)
	assert.Equal(t, Low64(mustTraceID(t, w3c)), Low64(got.TraceID))
}
