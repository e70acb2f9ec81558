package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Series is a series of an answer.
type Series struct {
	Labels map[string]string `json:"metric"`
	// Value is set by instant queries, Values by those with a range selector.
	Value  Sample   `json:"value"`
	Values []Sample `json:"values"`
}

// Sample is a value at a time, in seconds since 1970 to the millisecond.
type Sample struct {
	At    string
	Value float64
}

// UnmarshalJSON reads [time, "value"].
func (s *Sample) UnmarshalJSON(data []byte) error {
	var at json.Number
	var value string
	if err := json.Unmarshal(data, &[]any{&at, &value}); err != nil {
		return err
	}
	f, err := strconv.ParseFloat(value, 64)
	*s = Sample{At: at.String(), Value: f}
	return err
}

// Query evaluates a query at a time, as [Sample.At] writes it; "" is now.
func (p *Prometheus) Query(t testing.TB, query, at string) []Series {
	t.Helper()
	list, err := p.TryQuery(t.Context(), query, at)
	require.NoError(t, err)
	return list
}

// TryQuery is Query for a query that may fail.
func (p *Prometheus) TryQuery(ctx context.Context, query, at string) ([]Series, error) {
	params := url.Values{"query": {query}}
	if at != "" {
		params.Set("time", at)
	}
	var data struct {
		Result []Series `json:"result"`
	}
	err := p.get(ctx, "query", params, &data)
	return data.Result, err
}

// Exemplar is the link from a value to a span.
type Exemplar struct {
	Labels map[string]string `json:"labels"`
}

// Exemplars returns the exemplars of the last minutes of the query's series.
func (p *Prometheus) Exemplars(t testing.TB, query string) (list []Exemplar) {
	t.Helper()
	unix := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	var data []struct {
		Exemplars []Exemplar `json:"exemplars"`
	}
	require.NoError(t, p.get(t.Context(), "query_exemplars", url.Values{
		"query": {query}, "start": {unix(time.Now().Add(-10 * time.Minute))}, "end": {unix(time.Now().Add(time.Minute))},
	}, &data))
	for _, series := range data {
		list = append(list, series.Exemplars...)
	}
	return list
}

// RuleErrors returns what went wrong when rules were last evaluated, and the number of rules that were.
func (p *Prometheus) RuleErrors(t testing.TB) (errs []string, evaluated int) {
	t.Helper()
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	require.NoError(t, p.get(t.Context(), "rules", nil, &data))
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			if r.Health == "ok" {
				evaluated++
			}
			if r.LastError != "" {
				errs = append(errs, r.Name+": "+r.LastError)
			}
		}
	}
	return errs, evaluated
}

func (p *Prometheus) get(ctx context.Context, what string, params url.Values, data any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/v1/"+what+"?"+params.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer := struct {
		Status, Error string
		Data          json.RawMessage
	}{}
	if err = json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s %v: %s", what, params, answer.Error)
	}
	return json.Unmarshal(answer.Data, data)
}

// Range evaluates a query at every step of the last time, up to now.
func (p *Prometheus) Range(t testing.TB, query string, last, step time.Duration) []Series {
	t.Helper()
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
	now := time.Now()
	var data struct {
		Result []Series `json:"result"`
	}
	require.NoError(t, p.get(t.Context(), "query_range", url.Values{
		"query": {query}, "step": {seconds(step)},
		"start": {seconds(time.Duration(now.Add(-last).UnixNano()))}, "end": {seconds(time.Duration(now.UnixNano()))},
	}, &data))
	return data.Result
}
