package gpu

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/xid"
)

const (
	// eventWait is how long one wait for events lasts, in ms: what a shutdown waits at most.
	eventWait = 500
	// stopWait is what a shutdown allows for it before it takes the wait for one that hangs.
	stopWait = 2 * eventWait * time.Millisecond

	// maxXids bounds the series of Xids of all GPUs, and maxXidCode what is taken for a code:
	// there are about 200. The rest counts as unidentified.
	maxXids    = 2000
	maxXidCode = 1 << 20

	criticalEvents = driver.EventXid | driver.EventDoubleBitECC | driver.EventFatalPoison |
		driver.EventGPUUnavailable | driver.EventRecoveryAction
)

// Event is a critical event of a GPU.
type Event struct {
	Time time.Time // of arrival; NVML gives none
	// UUID and Name are "" where the driver does not say whose event it is.
	UUID string
	Name string
	// Type and Data are as NVML gives them; Data is the Xid of driver.EventXid.
	Type driver.EventType
	Data uint64
	// GPUInstance and ComputeInstance are -1 where the event is of the whole GPU.
	GPUInstance, ComputeInstance int
}

// EventSink gets events from one goroutine. It should return at once.
type EventSink interface{ Event(Event) }

type xidKey struct {
	uuid string
	code uint64
}

// watcher waits for critical events, which the driver tells once and only to those that
// listen. Waiting blocks in the driver, so it has a goroutine of its own between start and
// stop.
type watcher struct {
	lib      driver.Library
	log      *zap.Logger
	counting bool // the Xid metric is enabled

	mu      sync.Mutex
	sink    EventSink
	pending map[string]driver.Device // GPUs to listen to
	taken   chan struct{}            // closed when the driver has been told of those pending
	telling string                   // UUID of the GPU of which the driver is being told
	names   map[string]string        // product names, by UUID
	heard   map[string]bool          // GPUs that were pending since start
	told    map[string]bool          // what is logged about a GPU
	since   map[string]pcommon.Timestamp
	xids    map[xidKey]uint64
	shown   map[xidKey]bool
	wake    chan struct{}

	quit chan struct{} // nil while stopped
	done chan struct{}
}

func newWatcher(lib driver.Library, counting bool, log *zap.Logger) *watcher {
	return &watcher{
		lib: lib, counting: counting, log: log,
		pending: map[string]driver.Device{}, heard: map[string]bool{}, told: map[string]bool{},
		since: map[string]pcommon.Timestamp{},
		names: map[string]string{},
		xids:  map[xidKey]uint64{}, shown: map[xidKey]bool{},
		wake: make(chan struct{}, 1),
	}
}

func (w *watcher) setSink(sink EventSink) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sink = sink
}

// watch listens to GPUs from now on. It takes them all at once: the others would otherwise
// have to wait until a first wait for events of the first is over. It waits until the driver
// has been told, so that a GPU that is new is not asked for anything else meanwhile.
func (w *watcher) watch(ctx context.Context, gpus iter.Seq2[string, driver.Device]) {
	if taken := w.add(gpus); taken != nil {
		wait(ctx, taken)
	}
}

// add returns nil where there is nothing new.
func (w *watcher) add(gpus iter.Seq2[string, driver.Device]) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.counting && w.sink == nil {
		return nil
	}
	added := false
	for uuid, device := range gpus {
		if !w.heard[uuid] {
			w.heard[uuid], added = true, true
			w.pending[uuid] = device
		}
	}
	if !added {
		return nil
	}
	select {
	case <-w.done:
		return nil // there are no events to be had
	default:
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
	if w.taken == nil {
		w.taken = make(chan struct{})
	}
	return w.taken
}

// busy is the GPU that a call of the watcher is in flight on, if any.
func (w *watcher) busy() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.telling
}

// name tells what to call a GPU.
func (w *watcher) name(uuid, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[uuid] = name
}

// start is called when the driver is connected.
func (w *watcher) start() {
	w.quit, w.done = make(chan struct{}), make(chan struct{})
	go w.loop(w.quit, w.done)
}

// stop ends the goroutine and returns whether it ended within the context.
func (w *watcher) stop(ctx context.Context) bool {
	if w.done == nil {
		return true
	}
	if w.quit != nil {
		close(w.quit)
		w.quit = nil
	}
	select {
	case <-w.done:
		w.done = nil
		w.mu.Lock()
		defer w.mu.Unlock()
		clear(w.pending)
		clear(w.heard)
		w.taken = nil
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *watcher) loop(quit <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	var taken chan struct{}
	defer func() {
		if taken != nil {
			close(taken)
		}
	}()
	var set driver.EventSet
	defer func() {
		if set != nil {
			set.Free()
		}
	}()
	names := map[driver.Device]string{}
	for {
		var pending map[string]driver.Device
		pending, taken = w.takePending()
		for uuid, device := range pending {
			if set == nil {
				var ret driver.Return
				if set, ret = w.lib.NewEventSet(); ret != driver.Success {
					w.tell("", "GPU events cannot be listened to ("+ret.String()+"); Xid errors are not reported.")
					return
				}
			}
			if w.register(set, uuid, device) {
				names[device] = uuid
			}
		}
		if taken != nil {
			close(taken)
			taken = nil
		}
		if len(names) == 0 {
			select {
			case <-quit:
				return
			case <-w.wake:
				continue
			}
		}
		began := time.Now()
		event, ret := set.Wait(eventWait)
		switch {
		case ret == driver.Success:
			w.note(event, names)
		case ret == driver.Timeout && time.Since(began) >= eventWait*time.Millisecond/2:
		default:
			// One of the GPUs is lost, or the driver is; the scrape finds out. Events of the
			// others may still come. Or the library does not wait.
			select {
			case <-quit:
			case <-time.After(eventWait * time.Millisecond):
			}
		}
		select {
		case <-quit:
			return
		default:
		}
	}
}

func (w *watcher) takePending() (map[string]driver.Device, chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pending, taken := maps.Clone(w.pending), w.taken
	clear(w.pending)
	w.taken = nil
	return pending, taken
}

func (w *watcher) tells(uuid string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.telling = uuid
}

func (w *watcher) register(set driver.EventSet, uuid string, device driver.Device) bool {
	w.tells(uuid)
	defer w.tells("")
	types, ret := device.SupportedEvents()
	if ret == driver.Success {
		if types &= criticalEvents; types == 0 {
			ret = driver.NotSupported
		} else {
			ret = set.Register(device, types)
		}
	}
	if ret != driver.Success {
		w.tell(uuid, "GPU does not tell its events ("+ret.String()+"); Xid errors of it are not reported.")
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.since[uuid]; !known {
		w.since[uuid] = pcommon.NewTimestampFromTime(time.Now())
	}
	return true
}

// tell logs once, however often the driver is initialised.
func (w *watcher) tell(uuid, message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.told[uuid] {
		w.told[uuid] = true
		w.log.Info(message, zap.String("hw.id", uuid))
	}
}

func (w *watcher) note(event driver.Event, names map[driver.Device]string) {
	uuid := names[event.Device]
	if uuid == "" && event.Device != nil {
		uuid, _ = event.Device.UUID()
	}
	w.mu.Lock()
	sink, name := w.sink, w.names[uuid]
	if event.Type&driver.EventXid != 0 && uuid != "" {
		key := xidKey{uuid, event.Data}
		if _, known := w.xids[key]; !known && (len(w.xids) >= maxXids || key.code > maxXidCode) {
			key.code = xid.Unidentified
		}
		w.xids[key]++
		if _, known := w.since[uuid]; !known {
			w.since[uuid] = pcommon.NewTimestampFromTime(time.Now())
		}
	}
	w.mu.Unlock()
	if sink != nil {
		sink.Event(Event{
			Time: time.Now(), UUID: uuid, Name: name, Type: event.Type, Data: event.Data,
			GPUInstance: event.GPUInstance, ComputeInstance: event.ComputeInstance,
		})
	}
}

// counts returns the Xids so far in a fixed order. A new one is first returned as 0, so that
// a rate sees its first value.
func (w *watcher) counts(yield func(key xidKey, n uint64, since pcommon.Timestamp)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(w.xids), func(a, b xidKey) int {
		return cmp.Or(cmp.Compare(a.uuid, b.uuid), cmp.Compare(a.code, b.code))
	})
	for _, key := range keys {
		n := w.xids[key]
		if !w.shown[key] {
			w.shown[key], n = true, 0
		}
		yield(key, n, w.since[key.uuid])
	}
}
