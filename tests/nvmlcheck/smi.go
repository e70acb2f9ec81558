package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// nothingToCheck is why there is nothing to compare with, which is no failure.
type nothingToCheck string

func (n nothingToCheck) Error() string { return string(n) }

// smi is an nvidia-smi that shows GPUs.
type smi struct {
	path string
	mig  migList
}

// told is what nvidia-smi said over time.
type told struct {
	devices  []*device
	readings int
}

func findSMI(ctx context.Context, name string) (*smi, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, nothingToCheck("no " + name + " on this machine")
	}
	s := &smi{path: path}
	doc, err := s.ask(ctx)
	switch {
	case err != nil:
		return nil, nothingToCheck(err.Error())
	case len(doc.GPUs) == 0:
		return nil, nothingToCheck(name + " shows no GPU")
	}
	// The document has no UUIDs of MIG devices.
	list, err := s.output(ctx, "-L")
	if err != nil {
		return nil, err
	}
	s.mig = parseMIGList(list)
	return s, nil
}

func (s *smi) ask(ctx context.Context) (*document, error) {
	out, err := s.output(ctx, "-q", "-x")
	if err != nil {
		return nil, err
	}
	return parseDocument(out)
}

// output is what nvidia-smi prints; it explains its failures on standard output.
func (s *smi) output(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, s.path, args...).Output() //nolint:gosec // It runs what the person at the keyboard names.
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("%s %s: %w: %s", s.path, strings.Join(args, " "), err, first)
	}
	return string(out), nil
}

// watch reads as often as is sensible: nvidia-smi takes up to seconds where there are many
// GPUs, and each reading keeps an idle GPU from sleeping.
func (s *smi) watch(ctx context.Context, duration time.Duration) (told, error) {
	end := time.After(duration)
	pause := time.NewTicker(min(duration/8, time.Second))
	defer pause.Stop()
	t := telling{mig: s.mig, devices: map[string]*device{}}
	for {
		select {
		case <-ctx.Done():
			return told{}, errors.New("interrupted")
		case <-end:
			return told{devices: t.order, readings: t.readings}, nil
		case <-pause.C:
			doc, err := s.ask(ctx)
			if err != nil {
				return told{}, err
			}
			t.add(doc)
		}
	}
}
