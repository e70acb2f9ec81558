package push

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Kind is what to do about an answer.
type Kind uint8

// The kinds.
const (
	// Delivered: Loki has all of it.
	Delivered Kind = iota
	// Partial: Loki has refused some entries for good and has the others (400). Sending it again
	// would double those.
	Partial
	// TooLarge: nothing was taken; smaller pushes will be (413).
	TooLarge
	// RateLimited: later it will be taken (429). With CauseRateLimited nothing was; with
	// CauseStreamRateLimited and CauseStreamLimit other streams were, and Loki drops them again
	// when they come a second time only if not a byte of them has changed.
	RateLimited
	// Blocked: an operator has blocked the tenant, nothing was taken, and it looks like success
	// (260).
	Blocked
	// Unauthorized: credentials are missing or wrong (401, 403, 407).
	Unauthorized
	// Permanent: nothing was taken, and it never will be.
	Permanent
	// Retryable: whether something was taken is not known; the same again may be.
	Retryable
	// Poison: an entry has metadata whose name has no letter or digit, which makes Loki 3.6 and
	// later answer 500 as often as it is sent. Nothing was taken.
	Poison
	kinds
)

var kindNames = [kinds]string{
	"delivered", "partial", "too_large", "rate_limited", "blocked", "unauthorized", "permanent", "retryable", "poison",
}

// String returns the name of a kind.
func (k Kind) String() string {
	if k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// Answer is what a response says.
type Answer struct {
	Kind Kind
	// Cause is the first that is told; Reasons has all.
	Cause Cause
	// Ignored is how many entries are told to be ignored, one by one, and Total out of how many,
	// 0 if that is not told. Use Lost to count.
	Ignored, Total int
	// Reasons are those of Partial and RateLimited, where they are told.
	Reasons []Reason
	// Message is the first cause in Loki's words: one line, at most 512 bytes. It can name labels,
	// and never has a log line in it.
	Message string
	// RetryAfter is how long the server wants to be left alone, 0 if it does not say. Loki itself
	// never does.
	RetryAfter time.Duration
}

// statusBlocked is the default of limits_config.block_ingestion_status_code.
const statusBlocked = 260

// Classify tells what a response means. Of the body only the first MiB is looked at; a body that was
// read in part still gives its kind.
//
// Loki's own answers are in pkg/distributor/http.go and distributor.go, and pkg/ingester/stream.go.
func Classify(status int, header http.Header, body []byte) Answer {
	if len(body) == 0 && delivered(status) {
		return Answer{}
	}
	if len(body) > 1<<20 {
		body = body[:1<<20]
	}
	text := textOf(body)
	reasons, first, total := reasonsOf(text)
	a := Answer{Kind: kindOf(status, first.cause, len(reasons) > 0), Cause: first.cause}
	switch a.Kind {
	case Delivered:
		if isPage(header, body) {
			return Answer{Kind: Permanent, Cause: CauseNotFound, Message: strconv.Itoa(status) + " with a page of HTML, as one for logins: nothing that takes pushes"}
		}
		return Answer{}
	case Partial, RateLimited:
		a.Reasons, a.Total = reasons, total
		for _, reason := range reasons {
			a.Ignored = add(a.Ignored, reason.Entries)
		}
	}
	if a.Cause == CauseUnknown {
		a.Cause = causeOfStatus(status)
	}
	a.Message = messageOf(text)
	if a.Message == "" {
		a.Message = strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
	}
	if to := target(header); to != "" && a.Cause == CauseRedirected {
		a.Message += " to " + to
	}
	a.RetryAfter = retryAfter(header)
	return a
}

// Lost is how many entries of a request will not be in Loki after its answer, if nothing is sent
// again. After Partial it is the least that can be: Loki tells of one stream of an ingester only.
func (a *Answer) Lost(streams []Stream) int {
	all := 0
	for i := range streams {
		all += len(streams[i].Entries)
	}
	switch a.Kind {
	case Delivered:
		return 0
	case Partial:
		lost := a.Ignored
		for _, reason := range a.Reasons {
			for _, labels := range reason.Streams {
				lost += entriesOf(streams, labels)
			}
		}
		return min(lost, all)
	default:
		return all
	}
}

// entriesOf counts the entries of a stream by the labels that Loki tells.
func entriesOf(streams []Stream, labels string) int {
	n := 0
	without := ""
	for i := range streams {
		if streams[i].Labels == labels {
			n += len(streams[i].Entries)
		}
	}
	if n > 0 {
		return n
	}
	if without = withoutServiceName(labels); without == labels {
		return 0
	}
	for i := range streams {
		if streams[i].Labels == without {
			n += len(streams[i].Entries)
		}
	}
	return n
}

// withoutServiceName takes out the label that Loki adds where there is none.
func withoutServiceName(labels string) string {
	const name = `service_name="`
	start := strings.Index(labels, name)
	if start < 1 {
		return labels
	}
	end := start + len(name)
	for end < len(labels) && labels[end] != '"' {
		if labels[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(labels) {
		return labels
	}
	before, after := labels[:start], labels[end+1:]
	if rest, ok := strings.CutPrefix(after, ", "); ok {
		return before + rest
	}
	return strings.TrimSuffix(before, ", ") + after
}

// isPage tells what people read, and what no back-end answers to a push.
func isPage(header http.Header, body []byte) bool {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "text/html", "application/xhtml+xml":
		return true
	case "":
		return strings.HasPrefix(http.DetectContentType(body), "text/html")
	default:
		return false
	}
}

func delivered(status int) bool {
	return status == http.StatusNoContent || status == http.StatusOK || status == http.StatusCreated || status == http.StatusAccepted
}

// kindOf decides by status, and by cause where one status stands for several things.
func kindOf(status int, cause Cause, told bool) Kind {
	switch {
	case delivered(status):
		return Delivered
	case status == statusBlocked:
		return Blocked
	case 200 <= status && status < 300:
		// The code for blocked tenants is a matter of configuration; no other answer is like that.
		if cause == CauseBlocked || status > http.StatusIMUsed {
			return Blocked
		}
		return Delivered
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status == http.StatusRequestEntityTooLarge:
		return TooLarge
	case status >= 500 || status < 100:
		return kindOfFailure(status, cause)
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		return Unauthorized
	case cause == CauseBlocked:
		return Blocked
	case status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == statusClosedRequest:
		return Retryable
	case status == http.StatusBadRequest && cause == CauseRequestTooLarge:
		// Loki before 413 was introduced, and VictoriaLogs.
		return TooLarge
	case status == http.StatusBadRequest && told:
		return Partial
	default:
		return Permanent
	}
}

// statusClosedRequest is nginx's for a client that has gone, which Loki uses as well.
const statusClosedRequest = 499

// kindOfFailure tells failures that come again from those that may not.
func kindOfFailure(status int, cause Cause) Kind {
	switch {
	case cause == CausePoisonName:
		return Poison
	case cause == CauseRequestTooLarge:
		// A push that is taken by the distributor can be too large for the gRPC behind it.
		return TooLarge
	case status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported:
		return Permanent
	default:
		return Retryable
	}
}

// causeOfStatus is the cause where the body does not tell it.
func causeOfStatus(status int) Cause {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return CauseUnauthorized
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return CauseNotFound
	case http.StatusRequestEntityTooLarge:
		return CauseRequestTooLarge
	case http.StatusTooManyRequests:
		return CauseRateLimited
	case statusBlocked:
		return CauseBlocked
	}
	switch {
	case status >= 500 || status < 100:
		return CauseUnavailable
	case status >= 300 && status < 400:
		return CauseRedirected
	}
	return CauseUnknown
}

// target is where a redirect leads to, without what can be secret in it.
func target(header http.Header) string {
	to, err := url.Parse(header.Get("Location"))
	if err != nil {
		return ""
	}
	return oneLine((&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String())
}

// messageOf is the first cause of a text: a line, and of a line what is before the next group.
func messageOf(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.Index(text, groupMark); i >= 0 {
		start := i + len(groupMark)
		if j := strings.Index(text[start:], groupMark); j >= 0 {
			_, digits := numberBefore(text[:start+j])
			text = strings.TrimSuffix(text[:start+j-digits], "; ")
		}
	}
	return oneLine(text)
}

// retryAfter reads Retry-After, which is a number of seconds or a date.
func retryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), maxRetryAfter)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	// The server's clock, if it tells it, is the one that it has counted with.
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxRetryAfter*time.Second)
}

// maxRetryAfter is a day, in seconds; what is beyond is no wish to be called again.
const maxRetryAfter = 24 * 60 * 60
