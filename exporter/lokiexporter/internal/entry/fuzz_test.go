package entry

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// labelName is what Loki takes as the name of a label, and leaves alone as that of metadata.
var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// checkBatches looks for what Loki would refuse with its default limits.
func checkBatches(t *testing.T, list []Batch, records int) {
	t.Helper()
	entries := 0
	tenants := map[string]bool{}
	for _, b := range list {
		if tenants[b.Tenant] || b.Tenant != "" && wrongTenant(b.Tenant) != "" {
			t.Errorf("tenant %q", b.Tenant)
		}
		tenants[b.Tenant] = true
		labels := map[string]bool{}
		n := 0
		for _, s := range b.Streams {
			if labels[s.Labels] {
				t.Errorf("stream %s is there twice", s.Labels)
			}
			labels[s.Labels] = true
			checkLabels(t, s.Labels)
			if len(s.Entries) == 0 {
				t.Error("a stream without entries")
			}
			for i := range s.Entries {
				if i > 0 && s.Entries[i].Time <= s.Entries[i-1].Time {
					t.Error("entries are not in order")
				}
				checkEntry(t, &s.Entries[i])
			}
			n += len(s.Entries)
		}
		if n == 0 {
			t.Error("a batch without entries")
		}
		entries += n
	}
	if entries != records {
		t.Errorf("%d entries of %d records", entries, records)
	}
}

func checkLabels(t *testing.T, text string) {
	t.Helper()
	rest, ok := strings.CutPrefix(text, "{")
	names := map[string]bool{}
	for ok && rest != "}" {
		name, after, found := strings.Cut(rest, "=")
		quoted, err := strconv.QuotedPrefix(after)
		if !found || err != nil || names[name] || !labelName.MatchString(name) {
			ok = false
			break
		}
		value, err := strconv.Unquote(quoted)
		if err != nil || value == "" || len(value) > 2048 || !utf8.ValidString(value) {
			t.Errorf("value %s", quoted)
		}
		names[name] = true
		rest = after[len(quoted):]
		if next, more := strings.CutPrefix(rest, ", "); more {
			rest = next
		}
	}
	if !ok || rest != "}" || len(names) == 0 || len(names) > 15 {
		t.Errorf("labels %s", text)
	}
}

func checkEntry(t *testing.T, e *push.Entry) {
	t.Helper()
	if d := time.Duration(e.Time - now.UnixNano()); d < -7*24*time.Hour || d > 10*time.Minute {
		t.Errorf("time %v", d)
	}
	line, metadata := read(e)
	if len(line) > 256<<10 || !utf8.ValidString(line) {
		t.Errorf("line of %d bytes: %.100q", len(line), line)
	}
	if n := push.MetadataSize(metadata) + len("detected_level"+"unknown"); n > 64<<10 {
		t.Errorf("metadata of %d bytes", n)
	}
	if len(metadata) > 127 {
		t.Errorf("%d pairs", len(metadata))
	}
	names := map[string]bool{}
	for _, p := range metadata {
		if !labelName.MatchString(p.Name) || strings.Trim(p.Name, "_") == "" || strings.Contains(p.Name, "__") || names[p.Name] {
			t.Errorf("name %q", p.Name)
		}
		names[p.Name] = true
		if p.Value == "" || !utf8.ValidString(p.Value) {
			t.Errorf("value of %s: %.100q", p.Name, p.Value)
		}
	}
}

// converters are those whose entries Loki must take.
func converters(tb testing.TB) (list []*Converter) {
	tb.Helper()
	for _, format := range formats {
		list = append(list, newConverter(tb, func(cfg *Config) {
			if cfg.Format = format; format == FormatTemplate {
				cfg.Template = "{{.level}} {{.body}} {{.a}} {{.resource.a}}"
			}
			if format == FormatJSON {
				cfg.Labels = append(cfg.Labels, Label{Attribute: "a", Resource: "b", Name: "c"}, Label{Name: "ev", Field: fieldEventName})
				cfg.MaxStreams, cfg.MaxLabelValues = 5, 3
				cfg.Tenant = Tenant{Attribute: "a", Resource: "b", MaxTenants: 3, Value: "t"}
			}
		}))
	}
	return list
}

// FuzzProto reads anything as a batch of records.
func FuzzProto(f *testing.F) {
	m := &plog.ProtoMarshaler{}
	for _, ld := range []plog.Logs{
		readLogs(f, "no_labels.json"), plog.NewLogs(), one(f, map[string]any{"a": "1", "b": 2}, map[string]any{"a": []any{"x", 1.5}, "a.b": "\xff", "a_b": map[string]any{"c": ""}}, body("x\xffy"), ids),
		one(f, nil, map[string]any{"trace_id": "x", "truncated": "y", "___": "z", "1": 1}, ago(1e17)),
		one(f, nil, nil, body(strings.Repeat("x", 300<<10)), timeless),
	} {
		data, err := m.MarshalLogs(ld)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "tenant")
	}
	list := converters(f)
	f.Fuzz(func(t *testing.T, data []byte, client string) {
		ld, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(data)
		if err != nil {
			return
		}
		before, err := m.MarshalLogs(ld)
		if err != nil {
			return
		}
		for _, c := range list {
			checkBatches(t, c.Convert(ld, client), ld.LogRecordCount())
		}
		if after, _ := m.MarshalLogs(ld); !bytes.Equal(before, after) {
			t.Error("the records have changed")
		}
	})
}

// FuzzAttributes gives records many attributes of any names and values.
func FuzzAttributes(f *testing.F) {
	f.Add("a.b\na-b\na_b\n__x__\n", "v", uint16(3), uint16(10))
	f.Add("模型\n\n___\n1\ntrace_id\ntruncated\nservice_name\nmodel_name", "é\xff", uint16(200), uint16(3000))
	list := converters(f)
	f.Fuzz(func(t *testing.T, names, value string, count, times uint16) {
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rec := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		value = strings.Repeat(value, min(int(times), 1+(100<<10)/(len(value)+1)))
		keys := strings.Split(names, "\n")
		for i := range min(int(count), 300) {
			key := keys[i%len(keys)]
			if i >= len(keys) {
				key += strconv.Itoa(i)
			}
			switch i % 5 {
			case 0:
				rl.Resource().Attributes().PutStr(key, value)
			case 1:
				rec.Attributes().PutEmptyMap(key).PutEmptyMap(names).PutStr(key, value)
			case 2:
				rec.Attributes().PutEmptySlice(key).AppendEmpty().SetStr(value)
			default:
				rec.Attributes().PutStr(key, value)
			}
		}
		rec.Body().SetStr(value)
		for _, c := range list {
			checkBatches(t, c.Convert(ld, value), 1)
		}
	})
}

// FuzzName looks for names that Loki's own rules would change.
func FuzzName(f *testing.F) {
	for _, s := range []string{"a.b", "__x__", "1a", "模型", "", "_", "a__b", strings.Repeat("x.", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := sanitise(s)
		if !labelName.MatchString(name) || strings.Contains(name, "__") || len(name) > maxName || sanitise(name) != name {
			t.Errorf("%q becomes %q", s, name)
		}
	})
}
