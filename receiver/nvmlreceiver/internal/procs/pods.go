package procs

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// maxFailures is how many refreshes in a row may fail before holders are
// forgotten. A kubelet that restarts keeps its pods running meanwhile.
const maxFailures = 3

// podState is how the last refresh ended.
type podState uint8

const (
	podsNotAsked podState = iota
	podsAbsent
	podsKnown
	podsFailed
)

// run refreshes at once and then at every interval until ctx ends.
func (r *Resolver) run(ctx context.Context) {
	defer close(r.stopped)
	ticker := time.NewTicker(r.settings.Interval)
	defer ticker.Stop()
	for {
		r.refresh(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// refresh replaces what is known of pods.
func (r *Resolver) refresh(ctx context.Context) {
	next := &snapshot{containers: readContainers(r.settings.ContainerLogs, r.settings.MaxOwners)}
	if r.list != nil {
		r.refreshHolders(ctx, next)
	}
	r.pods.Store(next)
}

func (r *Resolver) refreshHolders(ctx context.Context, next *snapshot) {
	listing, cancel := context.WithTimeout(ctx, r.settings.Timeout)
	defer cancel()
	pods, err := r.list(listing)
	if err == nil {
		r.failures = 0
		dropped := next.hold(pods, r.settings.MaxOwners)
		r.dropped.Add(dropped)
		r.log(podsKnown, nil)
		return
	}
	r.failures++
	if r.failures < maxFailures {
		last := r.pods.Load()
		next.holders, next.partial = last.holders, last.partial
	}
	switch {
	case ctx.Err() != nil: // shut down meanwhile
	case errors.Is(err, errNoSocket):
		r.log(podsAbsent, nil)
	default:
		r.log(podsFailed, err)
	}
}

// log writes one line when the state changes, and none while it lasts.
func (r *Resolver) log(state podState, err error) {
	if r.state == state {
		return
	}
	r.state = state
	socket := zap.String("socket", r.settings.KubeletSocket)
	switch state {
	case podsKnown:
		r.settings.Logger.Info("the kubelet tells which pods hold GPUs", socket)
	case podsAbsent:
		r.settings.Logger.Info("there is no kubelet at this socket; GPUs are reported without pods", socket)
	default:
		r.settings.Logger.Warn("the kubelet does not tell which pods hold GPUs; they will be reported without pods until it does",
			socket, zap.Error(err))
	}
}

// hold notes who holds which device, limit pairs at most, and returns how many
// it left out.
func (s *snapshot) hold(pods []*podresources.PodResources, limit int) (dropped uint64) {
	s.holders = make(map[string][]Owner)
	held := 0
	for _, pod := range pods {
		for _, container := range pod.GetContainers() {
			owner := Owner{Namespace: pod.GetNamespace(), Pod: pod.GetName(), Container: container.GetName()}
			for key := range deviceKeys(container) {
				if held == limit {
					dropped++
					continue
				}
				held++
				s.holders[key] = append(s.holders[key], owner)
			}
		}
	}
	for _, owners := range s.holders {
		slices.SortFunc(owners, compareOwners)
	}
	s.partial = dropped > 0
	return dropped
}

// deviceKeys returns the devices of a container; it may have several replicas
// of one.
func deviceKeys(container *podresources.ContainerResources) map[string]struct{} {
	keys := make(map[string]struct{})
	for _, device := range container.GetDevices() {
		for _, id := range device.GetDeviceIds() {
			if key, ok := deviceKey(id); ok {
				keys[key] = struct{}{}
			}
		}
	}
	return keys
}
