package push

import (
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var errRequest = errors.New("not as it was written")

// ReadRequest reads what AppendRequest wrote. The entries share data.
func ReadRequest(data string) (streams []Stream, err error) {
	err = Fields(data, func(_ protowire.Number, stream string) error {
		var s Stream
		err := Fields(stream, func(number protowire.Number, value string) error {
			if number == 1 {
				s.Labels = value
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

// readEntry reads an entry, which begins with its time.
func readEntry(message string) (e Entry, err error) {
	_, at, n := consume(message)
	if n < 0 || message[0] != tagEntryTime {
		return e, errRequest
	}
	if e.Time, err = readTime(at); err != nil {
		return e, err
	}
	e.Content = message[n:]
	line, metadata, err := e.Read()
	e.Size = len(line) + MetadataSize(metadata)
	return e, err
}

func readTime(message string) (at int64, err error) {
	for message != "" {
		tag := message[0]
		var digits [binary.MaxVarintLen64]byte
		v, n := protowire.ConsumeVarint(digits[:copy(digits[:], message[1:])])
		if n < 0 || tag != tagTimeSeconds && tag != tagTimeNanos {
			return 0, errRequest
		}
		if tag == tagTimeSeconds {
			v *= second
		}
		at += int64(v)
		message = message[1+n:]
	}
	return at, nil
}

// Read returns the line and the metadata.
func (e *Entry) Read() (line string, metadata []Pair, err error) {
	for _, part := range []string{e.Content, e.Shared} {
		err = errors.Join(err, Fields(part, func(number protowire.Number, value string) error {
			if number == 2 {
				line = value
				return nil
			}
			var p Pair
			err := Fields(value, func(number protowire.Number, text string) error {
				if number == 1 {
					p.Name = text
				} else {
					p.Value = text
				}
				return nil
			})
			metadata = append(metadata, p)
			return err
		}))
	}
	return line, metadata, err
}

// Fields calls visit for each field of a message that has nothing but bytes in them.
func Fields(message string, visit func(number protowire.Number, value string) error) error {
	for message != "" {
		number, value, n := consume(message)
		if n < 0 {
			return errRequest
		}
		if err := visit(number, value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

// consume reads the field at the beginning of a message and returns its length, negative where it
// is none of bytes.
func consume(message string) (number protowire.Number, value string, n int) {
	// Not more than a tag and a length, which have at most ten bytes each.
	var head [20]byte
	b := head[:copy(head[:], message)]
	number, kind, tag := protowire.ConsumeTag(b)
	if tag < 0 || kind != protowire.BytesType {
		return 0, "", -1
	}
	size, length := protowire.ConsumeVarint(b[tag:])
	if length < 0 || size > uint64(len(message)-tag-length) {
		return 0, "", -1
	}
	n = tag + length + int(size)
	return number, message[tag+length : n], n
}
