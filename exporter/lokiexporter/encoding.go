package lokiexporter

import (
	"context"
	"errors"

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

var errCorrupt = errors.New("a request in the queue cannot be read")

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
	r := &request{}
	err := fields(data, func(_ protowire.Number, one []byte) error {
		var t tenant
		err := fields(one, func(number protowire.Number, value []byte) (err error) {
			if number == fieldName {
				t.name = string(value)
				return nil
			}
			t.streams, err = push.ReadRequest(value)
			return err
		})
		r.tenants = append(r.tenants, t)
		return err
	})
	return context.Background(), r, err
}

// fields calls visit for each field of a message that has only bytes.
func fields(data []byte, visit func(number protowire.Number, value []byte) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 || kind != protowire.BytesType {
			return errCorrupt
		}
		value, m := protowire.ConsumeBytes(data[n:])
		if m < 0 {
			return errCorrupt
		}
		if err := visit(number, value); err != nil {
			return err
		}
		data = data[n+m:]
	}
	return nil
}
