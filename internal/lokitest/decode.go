package lokitest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/golang/snappy"
	"google.golang.org/protobuf/encoding/protowire"
)

// stream is a stream of a request. Its labels are a string in protobuf.
type stream struct {
	labels  string
	entries []entry
}

type entry struct {
	time     time.Time
	line     string
	metadata []Pair
}

func (e *entry) size() int {
	return len(e.line) + metadataSize(e.metadata)
}

// refusal is an answer other than success.
type refusal struct {
	status int
	text   string
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// decode reads the streams of a request, with what is wrong about it though Loki takes it.
func decode(header http.Header, body []byte, l *Limits, v Version) (streams []stream, violations []string, _ *refusal) {
	if l.MaxReceiveSize > 0 && len(body) > l.MaxReceiveSize {
		return nil, nil, tooLarge(len(body), l.MaxReceiveSize, v)
	}
	encoding := header.Get("Content-Encoding")
	body, err := unwrap(encoding, body)
	if err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "%v", err)
	}
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "%v", err)
	}
	if contentType == "application/json" {
		streams, err = decodeJSON(body)
	} else {
		var n int
		if n, err = snappy.DecodedLen(body); err == nil {
			if l.MaxDecompressedSize > 0 && n > l.MaxDecompressedSize {
				return nil, nil, tooLarge(n, l.MaxDecompressedSize, v)
			}
			if body, err = snappy.Decode(nil, body); err == nil {
				streams, violations, err = decodeRequest(body)
			}
		}
	}
	if err != nil {
		return nil, violations, refuse(http.StatusBadRequest, "%v", err)
	}
	return streams, violations, nil
}

func tooLarge(size, limit int, v Version) *refusal {
	if v.tooLargeIs413() {
		return refuse(http.StatusRequestEntityTooLarge, "request body too large: %d bytes, limit: %d bytes", size, limit)
	}
	return refuse(http.StatusBadRequest, "received message larger than max (%d vs %d)", size, limit)
}

func unwrap(encoding string, body []byte) ([]byte, error) {
	switch encoding {
	case "", "snappy":
		return body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "deflate":
		return io.ReadAll(flate.NewReader(bytes.NewReader(body)))
	default:
		return nil, fmt.Errorf("Content-Encoding %q not supported", encoding)
	}
}

// decodeJSON reads {"streams": [{"stream": {...}, "values": [["<ns>", "<line>", {...}]]}]}.
func decodeJSON(body []byte) ([]stream, error) {
	var request struct {
		Streams []struct {
			Stream map[string]string   `json:"stream"`
			Values [][]json.RawMessage `json:"values"`
		} `json:"streams"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	var streams []stream
	for _, from := range request.Streams {
		s := stream{labels: formatLabels(fromMap(from.Stream))}
		for _, value := range from.Values {
			e, err := decodeValue(value)
			if err != nil {
				return nil, err
			}
			s.entries = append(s.entries, e)
		}
		streams = append(streams, s)
	}
	return streams, nil
}

func decodeValue(value []json.RawMessage) (entry, error) {
	var e entry
	var at string
	var metadata map[string]*string
	if len(value) < 2 || len(value) > 3 {
		return e, errors.New("Value looks like Number/Boolean/None, but can't find its end: ',' or '}' symbol") //nolint:staticcheck // Loki's text
	}
	if err := json.Unmarshal(value[0], &at); err != nil {
		return e, err
	}
	ns, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return e, err
	}
	e.time = time.Unix(0, ns).UTC()
	if err := json.Unmarshal(value[1], &e.line); err != nil {
		return e, err
	}
	if len(value) == 3 {
		if err := json.Unmarshal(value[2], &metadata); err != nil {
			return e, err
		}
		values := map[string]string{}
		for name, text := range metadata {
			if text == nil {
				return e, errors.New("Unknown value type null") //nolint:staticcheck // Loki's text
			}
			values[name] = *text
		}
		e.metadata = fromMap(values)
	}
	return e, nil
}

// fields calls fn for each field of a message; data is that of bytes fields, number that of
// numbers.
func fields(message []byte, fn func(field protowire.Number, data []byte, number uint64) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return fmt.Errorf("proto: %w", protowire.ParseError(n))
		}
		message = message[n:]
		var data []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(message)
			if data == nil {
				data = []byte{}
			}
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		default:
			return fmt.Errorf("proto: wrong wireType = %d for field %d", kind, field)
		}
		if n < 0 {
			return fmt.Errorf("proto: %w", protowire.ParseError(n))
		}
		message = message[n:]
		if err := fn(field, data, number); err != nil {
			return err
		}
	}
	return nil
}

func wrongType(message, field string) error {
	return fmt.Errorf("proto: wrong wireType for field %s of %s", field, message)
}

func decodeRequest(body []byte) (streams []stream, violations []string, err error) {
	err = fields(body, func(field protowire.Number, data []byte, _ uint64) error {
		if field != 1 {
			violations = append(violations, fmt.Sprintf("PushRequest has field %d", field))
			return nil
		}
		if data == nil {
			return wrongType("PushRequest", "Streams")
		}
		s, wrong, err := decodeStream(data)
		violations = append(violations, wrong...)
		streams = append(streams, s)
		return err
	})
	return streams, violations, err
}

func decodeStream(message []byte) (s stream, violations []string, err error) {
	err = fields(message, func(field protowire.Number, data []byte, _ uint64) error {
		switch field {
		case 1:
			if data == nil {
				return wrongType("Stream", "Labels")
			}
			s.labels = string(data)
		case 2:
			if data == nil {
				return wrongType("Stream", "Entries")
			}
			e, wrong, err := decodeEntry(data)
			violations = append(violations, wrong...)
			s.entries = append(s.entries, e)
			return err
		default:
			// The hash, 3, is the server's own.
			violations = append(violations, fmt.Sprintf("Stream has field %d", field))
		}
		return nil
	})
	return s, violations, err
}

func decodeEntry(message []byte) (e entry, violations []string, err error) {
	timed := false
	err = fields(message, func(field protowire.Number, data []byte, _ uint64) error {
		if field <= 3 && data == nil {
			return wrongType("Entry", strconv.Itoa(int(field)))
		}
		switch field {
		case 1:
			timed = true
			e.time, err = decodeTime(data)
			return err
		case 2:
			e.line = string(data)
		case 3:
			p, err := decodePair(data)
			e.metadata = append(e.metadata, p)
			return err
		default:
			// What is parsed, 4, goes from the server to the client.
			violations = append(violations, fmt.Sprintf("Entry has field %d", field))
		}
		return nil
	})
	if !timed {
		violations = append(violations, "Entry without a timestamp")
	}
	return e, violations, err
}

func decodeTime(message []byte) (time.Time, error) {
	var seconds, nanos int64
	err := fields(message, func(field protowire.Number, data []byte, number uint64) error {
		if data != nil {
			return wrongType("Timestamp", strconv.Itoa(int(field)))
		}
		switch field {
		case 1:
			seconds = int64(number)
		case 2:
			nanos = int64(int32(number))
		}
		return nil
	})
	if err == nil && (nanos < 0 || nanos >= int64(time.Second)) {
		err = fmt.Errorf("timestamp: nanos not in range [0, 1e9): %d", nanos)
	}
	return time.Unix(seconds, nanos).UTC(), err
}

func decodePair(message []byte) (p Pair, err error) {
	err = fields(message, func(field protowire.Number, data []byte, _ uint64) error {
		if data == nil {
			return wrongType("LabelPair", strconv.Itoa(int(field)))
		}
		switch field {
		case 1:
			p.Name = string(data)
		case 2:
			p.Value = string(data)
		}
		return nil
	})
	return p, err
}
