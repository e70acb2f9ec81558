package spanphaseconnector

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/requestlog"
)

// RequestLogConfig says which requests leave a log record, and bounds how they do.
type RequestLogConfig struct {
	// Only says which requests leave one: all, slow or error.
	Only requestlog.Only `mapstructure:"only"`
	// Slow is above which duration a request is slow; zero is the request
	// objective of its model.
	Slow time.Duration `mapstructure:"slow"`
	// FlushInterval is how long a record waits for others.
	FlushInterval time.Duration `mapstructure:"flush_interval"`
	// Timeout is how long the logs pipeline may take for a batch.
	Timeout time.Duration `mapstructure:"timeout"`
	// MaxBatch is how many records are handed on together.
	MaxBatch int `mapstructure:"max_batch"`
	// MaxPending is how many records may wait for the logs pipeline.
	MaxPending int `mapstructure:"max_pending"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func defaultRequestLog() RequestLogConfig {
	return RequestLogConfig{
		Only:          requestlog.OnlyAll,
		FlushInterval: time.Second,
		Timeout:       10 * time.Second,
		MaxBatch:      512,
		MaxPending:    10_000,
	}
}

// Validate reports every mistake, each with its key and the fix.
func (l *RequestLogConfig) Validate() error {
	errs := []error{
		positive("flush_interval", l.FlushInterval, time.Second),
		positive("timeout", l.Timeout, 10*time.Second),
		atLeastOne("max_batch", l.MaxBatch, 512),
		atLeastOne("max_pending", l.MaxPending, 10_000),
	}
	switch l.Only {
	case requestlog.OnlyAll, requestlog.OnlySlow, requestlog.OnlyError:
	default:
		errs = append(errs, fmt.Errorf("only: must be all, slow or error (got %q)", l.Only))
	}
	if l.Slow < 0 {
		errs = append(errs, fmt.Errorf("slow: must be above zero (got %s); leave it out for the slo of the model", l.Slow))
	}
	if l.MaxBatch > 0 && l.MaxPending > 0 && l.MaxBatch > l.MaxPending {
		errs = append(errs, fmt.Errorf("max_batch: must not be above max_pending (got %d and %d)", l.MaxBatch, l.MaxPending))
	}
	return errors.Join(errs...)
}

// validateRequestLog reports what only the whole configuration shows.
func (cfg *Config) validateRequestLog() error {
	if l := &cfg.RequestLog; l.Only == requestlog.OnlySlow && l.Slow == 0 && len(cfg.SLO) == 0 {
		return errors.New("request_log::only: slow needs to know what slow is; set slo, or request_log::slow")
	}
	return nil
}

// requestLog returns the request log's part of the configuration.
func (cfg *Config) requestLog(version string) requestlog.Config {
	l := &cfg.RequestLog
	c := requestlog.Config{
		Scope: metadata.ScopeName, ScopeVersion: version, Only: l.Only, Slow: l.Slow,
		FlushInterval: l.FlushInterval, Timeout: l.Timeout, MaxBatch: l.MaxBatch, MaxPending: l.MaxPending,
	}
	for i := range cfg.SLO {
		s := &cfg.SLO[i]
		c.Objectives = append(c.Objectives, requestlog.Objective{
			Model: regexp.MustCompile("^(?:" + s.Model + ")$"), Request: s.Request, TTFT: s.TTFT, TPOT: s.TPOT,
		})
	}
	return c
}
