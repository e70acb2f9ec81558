// Package push is the wire of Loki's push API, POST /loki/api/v1/push: the request that is sent
// (logproto.PushRequest of grafana/loki pkg/push/push.proto, as a raw snappy block) and what the
// answers to it mean, from Loki 2.9 on and from what speaks its protocol.
//
// Nothing here keeps state; all functions may be called at once, on memory of their own.
package push

// What a request needs besides its body. Loki takes anything that is not application/json for
// protobuf, but answers 400 where there is no media type at all.
const (
	Path            = "/loki/api/v1/push"
	ContentType     = "application/x-protobuf"
	ContentEncoding = "snappy"
)
