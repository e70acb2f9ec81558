package push

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var errRequest = errors.New("no push request")

// ReadRequest reads what AppendRequest wrote. The strings are copies.
func ReadRequest(data []byte) (streams []Stream, err error) {
	err = each(data, func(_ protowire.Number, stream []byte, _ uint64) error {
		var s Stream
		err := each(stream, func(number protowire.Number, value []byte, _ uint64) error {
			if number == 1 {
				s.Labels = string(value)
				return nil
			}
			e, err := readEntry(value)
			s.Entries = append(s.Entries, e)
			return err
		})
		streams = append(streams, s)
		return err
	})
	return streams, err
}

func readEntry(data []byte) (e Entry, err error) {
	err = each(data, func(number protowire.Number, value []byte, _ uint64) error {
		switch number {
		case 1:
			return each(value, func(number protowire.Number, _ []byte, n uint64) error {
				if number == 1 {
					e.Time += int64(n) * second
				} else {
					e.Time += int64(n)
				}
				return nil
			})
		case 2:
			e.Line = string(value)
			return nil
		default:
			var p Pair
			err := each(value, func(number protowire.Number, text []byte, _ uint64) error {
				if number == 1 {
					p.Name = string(text)
				} else {
					p.Value = string(text)
				}
				return nil
			})
			e.Metadata = append(e.Metadata, p)
			return err
		}
	})
	return e, err
}

// each calls visit for each field, which is bytes or a number.
func each(data []byte, visit func(number protowire.Number, value []byte, n uint64) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return errRequest
		}
		data = data[n:]
		var value []byte
		var varint uint64
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			varint, n = protowire.ConsumeVarint(data)
		default:
			return errRequest
		}
		if n < 0 {
			return errRequest
		}
		if err := visit(number, value, varint); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
