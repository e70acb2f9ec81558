package correlate

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// tape reads decisions from bytes; at its end all are zero.
type tape struct{ data []byte }

func (t *tape) next(n byte) byte {
	if len(t.data) == 0 {
		return 0
	}
	b := t.data[0]
	t.data = t.data[1:]
	return b % n
}

// model plays a tape on a Core and remembers what went in.
type model struct {
	*rig
	tape
	pool     []dialect.Span // one of each kind
	in       map[*Parcel]bool
	left     int
	records  int64
	names    map[string]map[[16]byte]bool // who ever named a key
	sampling bool
}

var modelIDs = []string{
	"b8ecb8d239dfd40503b8c873443ee32b", "cmpl-b8ecb8d239dfd40503b8c873443ee32b", "cmpl-b8ecb8d239dfd40503b8c873443ee32b-0",
	"cmpl-b8ecb8d239dfd40503b8c873443ee32b-0-9f3e1a2b", "cmpl-job-1", "cmpl-job-2", "job", "other",
}

func newModel(t *testing.T, data []byte) *model {
	t.Helper()
	m := &model{tape: tape{data}, in: map[*Parcel]bool{}, names: map[string]map[[16]byte]bool{}}
	limits := m.next(8)
	m.sampling = limits&1 != 0
	m.rig = newRig(t, func(c *Config) {
		c.MaxTraces, c.MaxSpansPerTrace, c.MaxHeldPerTrace, c.MaxHeldBytes = 1+int(m.next(4)), 2+int(m.next(6)), 3+int(m.next(4)), 12_000
		c.TTL = 20 * time.Second
		c.WaitForSampled = limits&2 != 0
		c.Sampling = func() bool { return m.sampling }
	})
	m.long = 2 + int(limits&4)
	m.pool, _ = dialect.Read(nil, traceOf(1, engine(1, 0, "", 3), gateway(2, 0, ""), client(3, 0), agent(4, 0),
		casetest.Span{ID: 5, Name: "inference", End: time.Second}, casetest.Span{ID: 6, Name: "queue", End: time.Second}), nil)
	return m
}

// id has a lower half that others have, too.
func (m *model) id() [16]byte { return [16]byte{0: m.next(3), 15: 1 + m.next(3)} }

func (m *model) keys() []Key {
	raw := []string{modelIDs[m.next(byte(len(modelIDs)))]}
	if m.next(4) == 0 {
		raw = append(raw, modelIDs[m.next(byte(len(modelIDs)))])
	}
	return requestKeys(raw...)
}

func (m *model) addSpans() []*Parcel {
	spans := make([]dialect.Span, 1+m.next(4))
	var names []SpanName
	var failed [][16]byte
	for i := range spans {
		s := m.pool[m.next(byte(len(m.pool)))]
		s.TraceID, s.SpanID, s.ParentID = m.id(), spanID(1+m.next(7)), [8]byte{}
		if parent := m.next(8); parent != 0 {
			s.ParentID = spanID(parent)
		}
		s.Key = dialect.Key(uint64(dialect.SpanIDKey(s.SpanID))<<32 | uint64(s.Key.Content()))
		if m.next(2) == 0 {
			n := SpanName{s.TraceID, s.SpanID, "raw", m.keys()}
			names = append(names, n)
			for _, k := range n.Keys {
				if m.names[k.Text] == nil {
					m.names[k.Text] = map[[16]byte]bool{}
				}
				m.names[k.Text][s.TraceID] = true
			}
		}
		if m.next(8) == 0 {
			failed = append(failed, s.TraceID)
		}
		spans[i] = s
	}
	return m.Add(m.now, spans, names, failed)
}

func (m *model) holdRecords() []*Parcel {
	p := &Parcel{
		Records: 1 + int(m.next(4)), Data: make([]byte, 40*int(m.next(100))), Owner: m.next(2), Arrived: m.now,
		Deadline: m.now.Add(time.Duration(m.next(16)) * time.Second),
	}
	switch m.next(4) {
	case 0:
		p.Query.Trace = m.id()
	case 1:
		p.Query.Trace, p.Query.Span = m.id(), spanID(1+m.next(9))
	case 2:
		p.Query.Trace, p.Query.Low64 = [16]byte{15: 1 + m.next(3)}, true
	default:
		p.Query.Keys = m.keys()
	}
	m.in[p] = true
	m.records += int64(p.Records)
	return m.Hold(m.now, p)
}

// step does one thing and checks what it led to.
func (m *model) step() {
	var out []*Parcel
	switch m.next(8) {
	case 0, 1, 2:
		out = m.addSpans()
	case 3, 4:
		out = m.holdRecords()
	case 5:
		out = m.Sample(m.now, [][16]byte{m.id(), m.id()})
	case 6:
		m.now = m.now.Add(time.Duration(m.next(20)) * time.Second / 2)
		out = m.Advance(m.now)
		for p := range m.in {
			if p.age.in != nil {
				require.True(m.t, p.Deadline.After(m.now), "it waits too long")
			}
		}
	default:
		if m.next(8) == 0 {
			out = m.Drain(m.now, m.next(2))
		}
	}
	m.took(out)
	m.consistent()
	require.Equal(m.t, len(m.in), m.Core.held.n, "what is in and has not left is held")
}

// took checks what was released.
func (m *model) took(out []*Parcel) {
	for i, p := range out {
		require.True(m.t, m.in[p], "it left twice, or never came")
		delete(m.in, p)
		m.left++
		require.Equal(m.t, m.now, p.Left)
		require.True(m.t, i == 0 || out[i-1].seq < p.seq, "in the order of arrival")
		a := &p.Answer
		require.Equal(m.t, p.Cause == CauseMaxHeldBytes || p.Cause == CauseMaxHeldPerTrace, a.State == StateEvicted, p.Cause)
		require.Equal(m.t, p.Cause == CauseComplete, a.Final)
		switch a.State {
		case StateJoined:
			require.NotNil(m.t, a.Facts)
			require.NotZero(m.t, a.Trace)
		case StatePartial:
			require.NotZero(m.t, a.Trace)
		case StateUnmatched, StateAmbiguous:
			require.Zero(m.t, a.Trace)
		}
		m.matches(p)
	}
}

// matches checks that a record got no trace but one that it names.
func (m *model) matches(p *Parcel) {
	q, got := &p.Query, p.Answer.Trace
	switch {
	case got == [16]byte{}:
	case q.Low64:
		require.Equal(m.t, lowHalf(q.Trace), lowHalf(got))
	case q.Trace != [16]byte{}:
		require.Equal(m.t, q.Trace, got)
	default:
		for _, k := range q.Keys {
			if m.names[k.Text][got] {
				return
			}
		}
		require.Fail(m.t, "it has the trace of another request")
	}
}

func play(t *testing.T, data []byte) {
	t.Helper()
	m := newModel(t, data)
	for len(m.data) > 0 {
		m.step()
	}
	for owner := range byte(2) {
		m.took(m.Drain(m.now, owner))
	}
	require.Empty(t, m.in)
	m.took(m.advance(time.Hour))
	m.empty()
	var released int64
	for i := range m.Stats.Released {
		released += m.Stats.Released[i].Load()
	}
	require.Equal(t, m.records, released)
}

// Scenario: spans, records, decisions of a sampler and time in any order, within small limits.
// Guarantees: each record leaves once, in time, with the trace that it names or none; limits
// hold and gauges are right at each step; nothing waits that need not; nothing is left.
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			data := make([]byte, 3000)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			play(t, data)
		})
	}
}

// FuzzCore plays any order of all that can happen.
func FuzzCore(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x00\x00\x00\x00\x01\x01\x01\x00\x03\x01\x01\x00\x05\x03\x01\x06\x13"))
	f.Add([]byte("\x03\x01\x02\x03\x03\x01\x00\x00\x05\x03\x01\x02\x00\x00\x00\x00\x01\x01\x05\x00\x01\x06\x13\x07\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			data = data[:2000]
		}
		play(t, data)
	})
}
