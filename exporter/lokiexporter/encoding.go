package lokiexporter

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// encoding is how a persistent queue keeps requests: for each tenant a message of its name (1)
// and its push request (2), so that what is read back is sent as it was meant.
type encoding struct{}

const (
	fieldTenant  protowire.Number = 1
	fieldName    protowire.Number = 1
	fieldRequest protowire.Number = 2
)

// Marshal never fails.
func (encoding) Marshal(_ context.Context, r xexporterhelper.Request) ([]byte, error) {
	var out []byte
	for _, t := range r.(*request).tenants {
		var one []byte
		one = protowire.AppendTag(one, fieldName, protowire.BytesType)
		one = protowire.AppendString(one, t.name)
		one = protowire.AppendTag(one, fieldRequest, protowire.BytesType)
		one = protowire.AppendBytes(one, push.AppendRequest(nil, t.streams))
		out = protowire.AppendTag(out, fieldTenant, protowire.BytesType)
		out = protowire.AppendBytes(out, one)
	}
	return out, nil
}

// Unmarshal reads what Marshal wrote.
func (encoding) Unmarshal(data []byte) (context.Context, xexporterhelper.Request, error) {
	var tenants []tenant
	err := push.Fields(string(data), func(_ protowire.Number, one string) error {
		var t tenant
		err := push.Fields(one, func(number protowire.Number, value string) (err error) {
			if number == fieldName {
				t.name = value
				return nil
			}
			t.streams, err = push.ReadRequest(value)
			return err
		})
		tenants = append(tenants, t)
		return err
	})
	if err != nil {
		err = fmt.Errorf("a request in the queue cannot be read: %w", err)
	}
	return context.Background(), newRequest(tenants), err
}
