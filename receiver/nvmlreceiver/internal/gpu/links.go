package gpu

import (
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

const (
	// maxLinks is the number of NVLinks that nvml.h has room for.
	maxLinks = 36
	// maxLinkValue is more than any counter of a link can say, and little enough for a sum in KiB.
	maxLinkValue = 1 << 52
)

// linkCounter is one counter that each NVLink has.
type linkCounter int

const (
	linkTransmit linkCounter = iota // bytes
	linkReceive
	linkReplays
	linkRecoveries
	linkCRC
	linkReceiveErrors
	linkCounters
)

var linkFields = map[uint32]linkCounter{
	driver.FieldNVLinkDataTransmit:   linkTransmit,
	driver.FieldNVLinkDataReceive:    linkReceive,
	driver.FieldNVLink5Transmit:      linkTransmit,
	driver.FieldNVLink5Receive:       linkReceive,
	driver.FieldNVLinkReplayErrors:   linkReplays,
	driver.FieldNVLinkRecoveryErrors: linkRecoveries,
	driver.FieldNVLink5Recoveries:    linkRecoveries,
	driver.FieldNVLinkCRCErrors:      linkCRC,
	driver.FieldNVLink5ReceiveErrors: linkReceiveErrors,
}

// links sums the counters of all NVLinks. A link keeps its last value when it does not
// answer, so that the sum does not fall as if it had been reset.
type links struct {
	found   int  // links of the GPU
	planned bool // the fields of single links are asked for
	total   bool // the driver sums the bytes itself
	last    [linkCounters][maxLinks]uint64
	seen    [linkCounters]bool
}

func (l *links) reset() { *l = links{last: l.last} }

func ofLink(field uint32) bool {
	_, ok := linkFields[field]
	return ok || field == driver.FieldNVLinkCount
}

func (l *links) take(f *driver.FieldValue) {
	if f.ID == driver.FieldNVLinkCount {
		l.found = int(min(f.Uint, maxLinks))
		return
	}
	c, ok := linkFields[f.ID]
	if !ok {
		return
	}
	l.seen[c] = true
	switch {
	case f.Scope == driver.AllLinks: // KiB
		l.total = true
		l.last[c] = [maxLinks]uint64{f.Uint * 1024}
	case f.Scope < maxLinks:
		l.last[c][f.Scope] = f.Uint
	}
}

func (l *links) sum(c linkCounter) uint64 {
	var sum uint64
	for _, v := range l.last[c] {
		sum += v
	}
	return sum
}

// planLinks adds the fields that exist per link only. Blackwell and newer count bytes and
// errors in other fields than those before; a GPU drops what it does not know.
func (r *reader) planLinks(links int) {
	r.links.planned = true
	on := &r.on.Metrics
	var ids []uint32
	if on.NvidiaGpuNvlinkErrors.Enabled {
		ids = append(ids, driver.FieldNVLinkReplayErrors, driver.FieldNVLinkRecoveryErrors, driver.FieldNVLinkCRCErrors,
			driver.FieldNVLink5ReceiveErrors, driver.FieldNVLink5Recoveries)
	}
	if on.NvidiaGpuNvlinkIo.Enabled && !r.links.total {
		ids = append(ids, driver.FieldNVLink5Transmit, driver.FieldNVLink5Receive)
	}
	for _, id := range ids {
		for link := range links {
			r.fields = append(r.fields, driver.FieldValue{ID: id, Scope: uint32(link)})
		}
	}
}

func (r *reader) recordLinks() {
	name := r.identity.Name
	for c := range linkCounters {
		if !r.links.seen[c] {
			continue
		}
		sum := r.links.sum(c)
		switch c {
		case linkTransmit, linkReceive:
			direction := metadata.AttributeNetworkIoDirectionTransmit
			if c == linkReceive {
				direction = metadata.AttributeNetworkIoDirectionReceive
			}
			v := r.count("nvidia.gpu.nvlink.io", int(direction), sum, false)
			r.build.RecordNvidiaGpuNvlinkIoDataPoint(r.now, int64(v), r.uuid, name, direction)
		default:
			kind := map[linkCounter]metadata.AttributeNvidiaGpuNvlinkErrorType{
				linkReplays:       metadata.AttributeNvidiaGpuNvlinkErrorTypeReplay,
				linkRecoveries:    metadata.AttributeNvidiaGpuNvlinkErrorTypeRecovery,
				linkCRC:           metadata.AttributeNvidiaGpuNvlinkErrorTypeCrc,
				linkReceiveErrors: metadata.AttributeNvidiaGpuNvlinkErrorTypeReceive,
			}[c]
			v := r.count("nvidia.gpu.nvlink.errors", int(kind), sum, false)
			r.build.RecordNvidiaGpuNvlinkErrorsDataPoint(r.now, int64(v), r.uuid, name, kind)
		}
		r.links.seen[c] = false
	}
}
