package lokitest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// parsed is a stream whose labels have been read.
type parsed struct {
	stream
	set []Pair
}

// parse reads the labels of all streams. One that cannot be read fails the request.
func parse(streams []stream, l *Limits) ([]parsed, *refusal) {
	var out []parsed
	for _, s := range streams {
		if l.MaxStreamLabelsSize > 0 && len(s.labels) > l.MaxStreamLabelsSize {
			return nil, refuse(http.StatusRequestEntityTooLarge, "couldn't parse labels: labels size %d MiB exceeds limit of %d",
				len(s.labels)/megabyte, l.MaxStreamLabelsSize/megabyte)
		}
		set, err := parseLabels(s.labels)
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "couldn't parse labels: %v", err)
		}
		p := parsed{s, set}
		if full := withServiceName(set, l.DiscoverServiceName); len(full) > len(set) {
			p.set, p.labels = full, formatLabels(full)
		}
		out = append(out, p)
	}
	return out, nil
}

// distribute is the distributor's part of a push: it validates, and returns what is left for the
// ingester. later is the answer if the ingester has nothing to complain about; now fails the
// request.
func (s *Server) distribute(id string, l *Limits, streams []parsed) (valid []parsed, later, now *refusal) {
	if len(streams) == 0 {
		if s.version.emptyFails() {
			return nil, nil, refuse(http.StatusUnprocessableEntity, "error at least one valid stream is required for ingestion")
		}
		return nil, nil, nil
	}
	var wrong grouped
	var block *refusal
	clock := s.now()
	for _, p := range streams {
		if len(p.entries) == 0 {
			continue
		}
		if err := l.checkLabels(id, &p); err != nil {
			wrong.add(err)
			continue
		}
		// What is written from here on has Loki's own form.
		p.labels = formatLabels(p.set)
		if status, ok := l.blocked(clock); ok {
			if status != http.StatusOK {
				block = refuse(status, "ingestion blocked for user %s until '%s' with status code '%d'",
					id, l.BlockIngestionUntil.Format(time.RFC3339), status)
			}
			continue
		}
		var kept []entry
		for _, e := range p.entries {
			if l.MaxLineSizeTruncate && l.MaxLineSize > 0 && len(e.line) > l.MaxLineSize {
				e.line = e.line[:l.MaxLineSize]
			}
			if err := l.checkEntry(&e, p.labels, clock); err != nil {
				wrong.add(err)
				continue
			}
			metadata, collisions, err := sanitise(e.metadata, s.version)
			if err != nil {
				return nil, nil, refuse(http.StatusInternalServerError, "%v", err)
			}
			s.stats.Collisions += collisions
			e.metadata = metadata
			kept = append(kept, e)
		}
		if len(kept) > 0 {
			p.entries = kept
			valid = append(valid, p)
		}
	}
	// An invalid entry takes precedence over a block.
	if err := wrong.err(); err != nil {
		later = refuse(http.StatusBadRequest, "%v", err)
	} else {
		later = block
	}
	return valid, later, nil
}

// checkLabels validates the labels of a stream, which is refused as a whole.
func (l *Limits) checkLabels(id string, p *parsed) error {
	if len(p.set) == 0 {
		return errors.New("error at least one label pair is required per stream")
	}
	count := len(p.set)
	if slices.ContainsFunc(p.set, func(label Pair) bool { return label.Name == serviceName }) {
		count--
	}
	if l.MaxLabelNamesPerSeries > 0 && count > l.MaxLabelNamesPerSeries {
		return fmt.Errorf("entry for stream '%s' has %d label names; limit %d", p.labels, count, l.MaxLabelNamesPerSeries)
	}
	last := ""
	for _, label := range p.set {
		switch {
		case l.MaxLabelNameLength > 0 && len(label.Name) > l.MaxLabelNameLength:
			return fmt.Errorf("stream '%s' has label name too long: '%s'", p.labels, label.Name)
		case l.MaxLabelValueLength > 0 && len(label.Value) > l.MaxLabelValueLength:
			return fmt.Errorf("stream '%s' has label value too long: '%s'", p.labels, label.Value)
		case label.Name == last:
			return fmt.Errorf("stream '%s' has duplicate label name: '%s'", p.labels, label.Name)
		}
		last = label.Name
	}
	var missing []string
	for _, name := range l.EnforcedLabels {
		if !slices.ContainsFunc(p.set, func(label Pair) bool { return label.Name == name }) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing required labels %s for user %s for stream %s", strings.Join(missing, ","), id, p.labels)
	}
	return nil
}

// checkEntry validates one entry, which is refused alone.
func (l *Limits) checkEntry(e *entry, labels string, now time.Time) error {
	if oldest := now.Add(-l.RejectOldSamplesMaxAge); l.RejectOldSamples && e.time.Before(oldest) {
		return fmt.Errorf("entry for stream '%s' has timestamp too old: %v, oldest acceptable timestamp is: %v",
			labels, e.time.Format(time.RFC3339), oldest.UTC().Format(time.RFC3339))
	}
	if e.time.After(now.Add(l.CreationGracePeriod)) {
		return fmt.Errorf("entry for stream '%s' has timestamp too new: %v", labels, e.time.Format(time.RFC3339))
	}
	if l.MaxLineSize > 0 && len(e.line) > l.MaxLineSize {
		return fmt.Errorf("Max entry size '%d' bytes exceeded for stream '%s' while adding an entry with length '%d' bytes", //nolint:staticcheck // Loki's text
			l.MaxLineSize, labels, len(e.line))
	}
	if len(e.metadata) == 0 {
		return nil
	}
	if !l.AllowStructuredMetadata {
		return fmt.Errorf("stream '%s' includes structured metadata, but this feature is disallowed. "+ //nolint:staticcheck // Loki's text
			"Please see `limits_config.allow_structured_metadata` or contact your Loki administrator to enable it.", labels)
	}
	if size := metadataSize(e.metadata); l.MaxStructuredMetadataSize > 0 && size > l.MaxStructuredMetadataSize {
		return fmt.Errorf("stream '%s' has structured metadata too large: '%d' bytes, limit: '%d' bytes. "+ //nolint:staticcheck // Loki's text
			"Please see `limits_config.max_structured_metadata_size` or contact your Loki administrator to increase it.",
			labels, size, l.MaxStructuredMetadataSize)
	}
	if l.MaxStructuredMetadataCount > 0 && len(e.metadata) > l.MaxStructuredMetadataCount {
		return fmt.Errorf("stream '%s' has too many structured metadata labels: '%d', limit: '%d'. "+ //nolint:staticcheck // Loki's text
			"Please see `limits_config.max_structured_metadata_entries_count` or contact your Loki administrator to increase it.",
			labels, len(e.metadata), l.MaxStructuredMetadataCount)
	}
	return nil
}

// grouped collects errors as grafana/loki pkg/util GroupedErrors: equal ones are told once. Loki
// tells groups in any order; here it is that of their first.
type grouped struct {
	texts  []string
	counts map[string]int
}

func (g *grouped) add(err error) {
	if g.counts == nil {
		g.counts = map[string]int{}
	}
	text := err.Error()
	if g.counts[text] == 0 {
		g.texts = append(g.texts, text)
	}
	g.counts[text]++
}

func (g *grouped) err() error {
	if len(g.texts) == 0 {
		return nil
	}
	if len(g.texts) == 1 && g.counts[g.texts[0]] == 1 {
		return errors.New(g.texts[0])
	}
	parts := make([]string, 0, len(g.texts))
	for _, text := range g.texts {
		parts = append(parts, fmt.Sprintf("%d errors like: %s", g.counts[text], text))
	}
	return errors.New(strings.Join(parts, "; "))
}
