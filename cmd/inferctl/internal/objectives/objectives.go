// Package objectives reads the small file in which a team says what it promises the users of its
// models: thresholds of latency, shares of requests, and the window of the error budget. Rules and
// dashboards follow from it.
package objectives

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// Signal is what an objective is about.
type Signal string

// The signals.
const (
	Request      Signal = "request"      // duration of a request
	TTFT         Signal = "ttft"         // time of a request to its first token
	TPOT         Signal = "tpot"         // time per output token of a call
	Availability Signal = "availability" // requests that do not fail
)

// File is what a file says, checked. Its zero value is of no use; [Load] or [Parse] makes one.
type File struct {
	// Window is that of the error budget, a whole number of hours, 1 to 90 days.
	Window time.Duration
	// MinRequests is how many requests an alert on a share or a quantile needs to believe it.
	MinRequests int
	// Objectives are in the order of the file: for a model and signal the first one counts.
	Objectives []Objective
	// Alerts changes alerts, by name.
	Alerts map[string]Override
}

// Objective is a promise about one signal of the models that Matcher selects.
type Objective struct {
	Signal Signal
	// Key is where it stands in the file, such as models[0].ttft.
	Key string
	// Model is the regular expression of the file; Matcher selects what it matches and no earlier
	// objective of the same signal does, in PromQL.
	Model, Matcher string
	// Threshold is the promise, and Critical what nobody should ever wait. Both are 0 for availability.
	Threshold, Critical time.Duration
	// Share is the share of requests that keep the promise, between 0 and 1; 0 is none promised.
	Share float64
}

// Override changes one alert. What is nil stays.
type Override struct {
	Threshold *float64 `yaml:"threshold"`
	For       string   `yaml:"for"`
	Severity  string   `yaml:"severity"`
	Off       bool     `yaml:"off"`
}

// The limits of the file, and what holds where it says nothing.
const (
	minWindow          = 24 * time.Hour
	maxWindow          = 90 * 24 * time.Hour
	defaultWindow      = 30 * 24 * time.Hour
	defaultMinRequests = 20
	maxThreshold       = 24 * time.Hour
)

// document is the file as it is written.
type document struct {
	Window      string              `yaml:"window"`
	MinRequests *int                `yaml:"min_requests"`
	Models      []entry             `yaml:"models"`
	Alerts      map[string]Override `yaml:"alerts"`
}

type entry struct {
	Model        string   `yaml:"model"`
	Request      *promise `yaml:"request"`
	TTFT         *promise `yaml:"ttft"`
	TPOT         *promise `yaml:"tpot"`
	Availability *promise `yaml:"availability"`
}

type promise struct {
	Threshold string `yaml:"threshold"`
	Critical  string `yaml:"critical"`
	Objective string `yaml:"objective"`
}

// Load reads a file. Its error names every mistake.
func Load(name string) (*File, error) {
	data, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", name, err)
	}
	return f, nil
}

// Parse reads what a file holds. Its error names every mistake with its key and the fix.
func Parse(data []byte) (*File, error) {
	var d document
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var unknown *yaml.TypeError
	err := decoder.Decode(&d)
	if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &unknown) {
		return nil, err
	}
	r := reader{file: &File{Window: defaultWindow, MinRequests: defaultMinRequests, Alerts: d.Alerts}, earlier: map[Signal][]string{}}
	if unknown != nil {
		for _, line := range unknown.Errors {
			r.errs = append(r.errs, errors.New(inWords(line)))
		}
	}
	r.head(&d)
	for i := range d.Models {
		r.entry(fmt.Sprintf("models[%d]", i), &d.Models[i])
	}
	if len(d.Models) == 0 {
		r.fail("models", "is empty, give at least one entry with model: \".*\"")
	}
	return r.file, errors.Join(r.errs...)
}

var (
	unknownKey = regexp.MustCompile(`^line (\d+): field (\S+) not found in type \S+\.(\w+)$`)
	wrongType  = regexp.MustCompile(`^line (\d+): cannot unmarshal \S+ (.*) into (\S+)$`)
)

// keysOf are those of each part of the file.
var keysOf = map[string]string{
	"document": "window, min_requests, models, alerts",
	"entry":    "model, request, ttft, tpot, availability",
	"promise":  "threshold, critical, objective",
	"Override": "threshold, for, severity, off",
}

// inWords says what the decoder has to say about a line without the names of Go types.
func inWords(line string) string {
	if m := unknownKey.FindStringSubmatch(line); m != nil {
		return fmt.Sprintf("line %s: %s is no key here, give one of %s", m[1], m[2], keysOf[m[3]])
	}
	if m := wrongType.FindStringSubmatch(line); m != nil {
		wanted := "a " + strings.TrimPrefix(m[3], "*")
		if _, name, ok := strings.Cut(m[3], "."); ok && keysOf[name] != "" {
			wanted = "keys: " + keysOf[name]
		}
		return fmt.Sprintf("line %s: %s does not belong here, give %s", m[1], m[2], wanted)
	}
	return line
}

type reader struct {
	file    *File
	earlier map[Signal][]string // the models that have an objective for the signal already
	errs    []error
}

func (r *reader) fail(key, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
}

func (r *reader) head(d *document) {
	if d.Window != "" {
		w, err := model.ParseDuration(d.Window)
		r.file.Window = time.Duration(w)
		if err != nil || r.file.Window < minWindow || r.file.Window > maxWindow || r.file.Window%time.Hour != 0 {
			r.fail("window", "%q, give 1d to 90d in whole hours, such as 30d", d.Window)
		}
	}
	if d.MinRequests != nil {
		r.file.MinRequests = *d.MinRequests
		if r.file.MinRequests < 1 {
			r.fail("min_requests", "%d, give 1 or more: of no requests nothing is known", r.file.MinRequests)
		}
	}
}

func (r *reader) entry(key string, e *entry) {
	if e.Model == "" {
		r.fail(key+".model", "is missing, give a regular expression for the whole name, or \".*\" for all models")
	} else if _, err := regexp.Compile("^(?:" + e.Model + ")$"); err != nil {
		r.fail(key+".model", "%q is no regular expression: %v", e.Model, err)
	}
	none := true
	for _, p := range []struct {
		signal  Signal
		promise *promise
	}{{Request, e.Request}, {TTFT, e.TTFT}, {TPOT, e.TPOT}, {Availability, e.Availability}} {
		if p.promise != nil {
			none = false
			r.promise(key+"."+string(p.signal), e.Model, p.signal, p.promise)
		}
	}
	if none {
		r.fail(key, "promises nothing, give it request, ttft, tpot or availability")
	}
}

func (r *reader) promise(key, name string, signal Signal, p *promise) {
	for _, other := range r.earlier[signal] {
		if other == name || other == ".*" {
			r.fail(key, "is never looked at: the entry with model %q comes first and matches all of it", other)
		}
	}
	o := Objective{Signal: signal, Key: key, Model: name, Matcher: r.matcher(signal, name)}
	r.earlier[signal] = append(r.earlier[signal], name)
	if signal == Availability {
		if p.Threshold != "" || p.Critical != "" {
			r.fail(key, "has no threshold and no critical, only an objective: the share of requests that do not fail")
		}
		if p.Objective == "" {
			r.fail(key+".objective", "is missing, give a share such as 99.5%%")
		}
	} else {
		o.Threshold = r.duration(key+".threshold", p.Threshold)
		o.Critical = 2 * o.Threshold
		if p.Critical != "" {
			o.Critical = r.duration(key+".critical", p.Critical)
			if o.Critical < o.Threshold {
				r.fail(key+".critical", "%s is below the threshold %s, give more", p.Critical, p.Threshold)
			}
		}
	}
	if p.Objective != "" {
		o.Share = r.share(key+".objective", p.Objective)
	}
	r.file.Objectives = append(r.file.Objectives, o)
}

func (r *reader) matcher(signal Signal, name string) string {
	m := "inference_model_name=~" + strconv.Quote(name)
	if before := r.earlier[signal]; len(before) > 0 {
		m += ", inference_model_name!~" + strconv.Quote(strings.Join(before, "|"))
	}
	return m
}

func (r *reader) duration(key, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxThreshold {
		r.fail(key, "%q, give a time above 0 and up to 24h, such as 500ms or 10s", text)
	}
	return d
}

func (r *reader) share(key, text string) float64 {
	number, isPercentage := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if err != nil || !isPercentage || !(percent > 0 && percent < 100) {
		r.fail(key, "%q, give a share between 0%% and 100%%, such as 99.5%%; 100%% leaves no error budget", text)
		return 0
	}
	return percent / 100
}
