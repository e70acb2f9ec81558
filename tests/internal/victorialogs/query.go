package victorialogs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// Row is a log entry: its fields, with _time, _msg and _stream.
type Row map[string]string

// Tenant is AccountID and ProjectID.
type Tenant [2]string

// Default is the tenant of a push that names none.
var Default = Tenant{"0", "0"}

// Query evaluates LogsQL for a tenant.
func (s *Server) Query(t testing.TB, tenant Tenant, query string) []Row {
	t.Helper()
	rows, err := s.TryQuery(t.Context(), tenant, query)
	require.NoError(t, err)
	return rows
}

// TryQuery is Query for a server that may be away.
func (s *Server) TryQuery(ctx context.Context, tenant Tenant, query string) (rows []Row, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.Addr+"/select/logsql/query?"+url.Values{"query": {query}}.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("AccountID", tenant[0])
	req.Header.Set("ProjectID", tenant[1])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(resp.Body)
		return nil, fmt.Errorf("%s: %s: %s", query, resp.Status, answer)
	}
	for lines := json.NewDecoder(resp.Body); ; {
		var row Row
		if err = lines.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}
