// Package lokitest is a model of Loki's ingestion for tests: a strict server on the loopback that
// takes pushes as Loki does, refuses what Loki refuses in Loki's words, and keeps the rest to be
// looked up.
//
// What it models is the single binary with one ingester: grafana/loki pkg/loghttp/push/push.go
// (the request), pkg/distributor (limits and validation), pkg/ingester/instance.go and stream.go
// (order, rates, duplicates). It shares no code with what it is to check.
//
// What it leaves out: replication, sharding of streams, detected_level, the flushing of chunks
// (after which Loki takes an old duplicate again), the legacy JSON of /api/prom/push, and OTLP.
package lokitest
