package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// The metrics of the nvml receiver that dcgm-exporter has, too. Max: a GPU that is on the page more
// than once is one GPU.
var (
	gpuClock       = inference.ServerMetric{Name: "nvidia.gpu.clock.frequency", Unit: "Hz", Max: true}
	gpuTemperature = inference.ServerMetric{Name: "hw.temperature", Unit: "Cel", Max: true}
	gpuPower       = inference.ServerMetric{Name: "hw.power", Unit: "W", Max: true}
	gpuEnergy      = inference.ServerMetric{Name: "hw.energy", Unit: "J", Kind: inference.KindCounter, Max: true}
	gpuUtilization = inference.ServerMetric{Name: "hw.gpu.utilization", Unit: "1", Max: true}
	gpuController  = inference.ServerMetric{Name: "nvidia.gpu.memory.controller.utilization", Unit: "1", Max: true}
	gpuUsed        = inference.ServerMetric{Name: "hw.gpu.memory.usage", Unit: "By", Kind: inference.KindUpDownCounter, Max: true}
	gpuReserved    = inference.ServerMetric{Name: "nvidia.gpu.memory.reserved", Unit: "By", Kind: inference.KindUpDownCounter, Max: true}
	gpuLimit       = inference.ServerMetric{Name: "hw.gpu.memory.limit", Unit: "By", Kind: inference.KindUpDownCounter, Max: true}
	gpuReplays     = inference.ServerMetric{Name: "nvidia.gpu.pcie.replays", Unit: "{replay}", Kind: inference.KindCounter, Max: true}
	gpuRemapped    = inference.ServerMetric{Name: "nvidia.gpu.memory.row_remap.rows", Unit: "{row}", Kind: inference.KindUpDownCounter, Max: true}
	gpuPipe        = inference.ServerMetric{Name: "nvidia.gpu.pipe.utilization", Unit: "1", Max: true}
	gpuDRAM        = inference.ServerMetric{Name: "nvidia.gpu.dram.bandwidth.utilization", Unit: "1", Max: true}
)

var aGPU = set("hw.type", "gpu")

const (
	percent  = 100
	mega     = 1e6
	mebibyte = 1 << 20
)

// dcgm is dcgm-exporter, with its names and units until 4.8 and from 4.9 on. Its metrics become
// those of the nvml receiver.
var dcgm = Engine{
	Name: "dcgm", Prefixes: []string{"DCGM_FI_"}, Hardware: true,
	// Not those of pods: a GPU that several share is on the page once for each, and would count
	// as often.
	Labels: []Attribute{
		{"UUID", "hw.id"},
		{"modelName", "hw.name"},
		{"GPU_I_ID", "nvidia.mig.gpu_instance.id"},
		{"GPU_I_PROFILE", "nvidia.mig.profile"},
	},
	Rows: []Row{
		{From: "DEV_SM_CLOCK_HERTZ", To: &gpuClock, Set: set("nvidia.gpu.clock.domain", "sm")},
		{From: "DEV_SM_CLOCK", To: &gpuClock, Set: set("nvidia.gpu.clock.domain", "sm"), Times: mega},
		{From: "DEV_MEMORY_CLOCK_HERTZ", To: &gpuClock, Set: set("nvidia.gpu.clock.domain", "memory")},
		{From: "DEV_MEM_CLOCK", To: &gpuClock, Set: set("nvidia.gpu.clock.domain", "memory"), Times: mega},
		{From: "DEV_GPU_TEMP_CELSIUS", To: &gpuTemperature, Set: set("hw.sensor_location", "gpu")},
		{From: "DEV_GPU_TEMP", To: &gpuTemperature, Set: set("hw.sensor_location", "gpu")},
		{From: "DEV_BOARD_POWER_WATTS", To: &gpuPower, Set: aGPU},
		{From: "DEV_POWER_USAGE", To: &gpuPower, Set: aGPU},
		{From: "DEV_GPU_ENERGY_JOULES_TOTAL", To: &gpuEnergy, Set: aGPU},
		{From: "DEV_TOTAL_ENERGY_CONSUMPTION", To: &gpuEnergy, Set: aGPU, Per: milli},
		{From: "DEV_GPU_UTIL_RATIO", To: &gpuUtilization, Set: set("hw.gpu.task", "general")},
		{From: "DEV_GPU_UTIL", To: &gpuUtilization, Set: set("hw.gpu.task", "general"), Per: percent},
		{From: "DEV_ENC_UTIL_RATIO", To: &gpuUtilization, Set: set("hw.gpu.task", "encoder")},
		{From: "DEV_ENC_UTIL", To: &gpuUtilization, Set: set("hw.gpu.task", "encoder"), Per: percent},
		{From: "DEV_DEC_UTIL_RATIO", To: &gpuUtilization, Set: set("hw.gpu.task", "decoder")},
		{From: "DEV_DEC_UTIL", To: &gpuUtilization, Set: set("hw.gpu.task", "decoder"), Per: percent},
		{From: "DEV_MEMORY_UTIL_RATIO", To: &gpuController},
		{From: "DEV_MEM_COPY_UTIL", To: &gpuController, Per: percent},
		{From: "DEV_FB_USED_BYTES", To: &gpuUsed},
		{From: "DEV_FB_USED", To: &gpuUsed, Times: mebibyte},
		{From: "DEV_FB_RESERVED_BYTES", To: &gpuReserved},
		{From: "DEV_FB_RESERVED", To: &gpuReserved, Times: mebibyte},
		{From: "DEV_FB_CAPACITY_BYTES", To: &gpuLimit},
		{From: "DEV_PCIE_REPLAY_TOTAL", To: &gpuReplays},
		{From: "DEV_PCIE_REPLAY_COUNTER", To: &gpuReplays},
		{From: "DEV_ROW_REMAP_UNCORRECTABLE_TOTAL", To: &gpuRemapped, Set: set("nvidia.gpu.memory.row_remap.cause", "uncorrectable")},
		{From: "DEV_UNCORRECTABLE_REMAPPED_ROWS", To: &gpuRemapped, Set: set("nvidia.gpu.memory.row_remap.cause", "uncorrectable")},
		{From: "DEV_ROW_REMAP_CORRECTABLE_TOTAL", To: &gpuRemapped, Set: set("nvidia.gpu.memory.row_remap.cause", "correctable")},
		{From: "DEV_CORRECTABLE_REMAPPED_ROWS", To: &gpuRemapped, Set: set("nvidia.gpu.memory.row_remap.cause", "correctable")},
		{From: "PROF_TENSOR_UTIL_RATIO", To: &gpuPipe, Set: set("nvidia.gpu.pipe", "tensor")},
		{From: "PROF_PIPE_TENSOR_ACTIVE", To: &gpuPipe, Set: set("nvidia.gpu.pipe", "tensor")},
		{From: "PROF_DRAM_UTIL_RATIO", To: &gpuDRAM},
		{From: "PROF_DRAM_ACTIVE", To: &gpuDRAM},
	},
}
