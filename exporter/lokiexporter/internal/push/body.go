package push

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// textOf returns what an error body says, whatever it is: Loki answers text, or a google.rpc.Status
// without a Content-Type to trust; gateways and others answer JSON or HTML.
func textOf(body []byte) string {
	body = bytes.TrimSpace(body)
	if message, ok := statusMessage(body); ok {
		return message
	}
	if len(body) > 0 && body[0] == '{' {
		if message := jsonMessage(body); message != "" {
			return message
		}
	}
	if title, ok := htmlTitle(body); ok {
		return title
	}
	return string(body)
}

// statusMessage reads a google.rpc.Status{1 code, 2 message, 3 details}. No text is taken for one:
// it would have to begin with a control character.
func statusMessage(body []byte) (string, bool) {
	var message []byte
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return "", false
		}
		body = body[n:]
		switch {
		case number == 1 && kind == protowire.VarintType:
			_, n = protowire.ConsumeVarint(body)
		case number == 2 && kind == protowire.BytesType:
			message, n = protowire.ConsumeBytes(body)
		case number == 3 && kind == protowire.BytesType:
			_, n = protowire.ConsumeBytes(body)
		default:
			return "", false
		}
		if n < 0 {
			return "", false
		}
		body = body[n:]
	}
	return string(message), len(message) > 0 && utf8.Valid(message)
}

// jsonMessage finds the text in {"message": ...}, {"error": ...} and {"error": {"message": ...}}.
func jsonMessage(body []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return ""
	}
	for _, key := range []string{"message", "error", "msg", "detail", "errorMessage"} {
		raw, ok := fields[key]
		if !ok {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		var inner struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
			return inner.Message
		}
	}
	return ""
}

// htmlTitle is all that a proxy's page of an error has to say.
func htmlTitle(body []byte) (string, bool) {
	if len(body) == 0 || body[0] != '<' {
		return "", false
	}
	_, rest, ok := bytes.Cut(body, []byte("<title>"))
	if !ok {
		return "", false
	}
	title, _, ok := bytes.Cut(rest, []byte("</title>"))
	return string(bytes.TrimSpace(title)), ok
}

// maxMessage is the length of Answer.Message in bytes.
const maxMessage = 512

// oneLine returns the first line of a text, without control characters, valid UTF-8 and no longer
// than maxMessage.
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	// Cut before it is copied: the text can be long.
	if len(text) > maxMessage {
		end := maxMessage
		for end > maxMessage-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	text = strings.ToValidUTF8(text, "?")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return strings.TrimRight(text, " ,")
}
