package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// document is what of nvidia-smi -q -x is compared. Drivers differ in where they put things;
// a field that a driver does not write stays empty.
type document struct {
	XMLName xml.Name `xml:"nvidia_smi_log"`
	Driver  text     `xml:"driver_version"`
	CUDA    text     `xml:"cuda_version"`
	GPUs    []gpu    `xml:"gpu"`
}

type gpu struct {
	Name         text        `xml:"product_name"`
	Architecture text        `xml:"product_architecture"`
	Serial       text        `xml:"serial"`
	UUID         text        `xml:"uuid"`
	VBIOS        text        `xml:"vbios_version"`
	MIG          []migDevice `xml:"mig_devices>mig_device"`
	PCI          pci         `xml:"pci"`
	Fan          text        `xml:"fan_speed"`
	PState       text        `xml:"performance_state"`
	// The reasons of throttling became those of clock events in R535.
	Events        list        `xml:"clocks_event_reasons"`
	Throttle      list        `xml:"clocks_throttle_reasons"`
	EventTimes    list        `xml:"clocks_event_reasons_counters"`
	Memory        memory      `xml:"fb_memory_usage"`
	Utilization   utilization `xml:"utilization"`
	ECC           ecc         `xml:"ecc_errors"`
	Remapped      remapped    `xml:"remapped_rows"`
	Temperature   temperature `xml:"temperature"`
	Power         power       `xml:"gpu_power_readings"`
	PowerOld      power       `xml:"power_readings"` // before R535
	ModulePower   power       `xml:"module_power_readings"`
	Clocks        clocks      `xml:"clocks"`
	FabricState   text        `xml:"fabric>state"`
	ProcessesInfo []process   `xml:"processes>process_info"`
}

type migDevice struct {
	Index           text   `xml:"index"`
	GPUInstance     text   `xml:"gpu_instance_id"`
	ComputeInstance text   `xml:"compute_instance_id"`
	Memory          memory `xml:"fb_memory_usage"`
}

type pci struct {
	BusID    text `xml:"pci_bus_id"`
	Gen      text `xml:"pci_gpu_link_info>pcie_gen>current_link_gen"`
	MaxGen   text `xml:"pci_gpu_link_info>pcie_gen>max_link_gen"`
	Width    text `xml:"pci_gpu_link_info>link_widths>current_link_width"`
	MaxWidth text `xml:"pci_gpu_link_info>link_widths>max_link_width"`
	Replays  text `xml:"replay_counter"`
	Transmit text `xml:"tx_util"`
	Receive  text `xml:"rx_util"`
}

type memory struct {
	Total    text `xml:"total"`
	Reserved text `xml:"reserved"` // R510 and newer
	Used     text `xml:"used"`
}

type utilization struct {
	GPU     text `xml:"gpu_util"`
	Memory  text `xml:"memory_util"`
	Encoder text `xml:"encoder_util"`
	Decoder text `xml:"decoder_util"`
}

type ecc struct {
	Volatile  eccCounts `xml:"volatile"`
	Aggregate eccCounts `xml:"aggregate"`
}

// eccCounts are of Turing and newer, except for the totals, which are of those before.
type eccCounts struct {
	SRAMCorrected   text `xml:"sram_correctable"`
	SRAMUncorrected text `xml:"sram_uncorrectable"` // before R550
	SRAMParity      text `xml:"sram_uncorrectable_parity"`
	SRAMSECDED      text `xml:"sram_uncorrectable_secded"`
	DRAMCorrected   text `xml:"dram_correctable"`
	DRAMUncorrected text `xml:"dram_uncorrectable"`
	SingleBitTotal  text `xml:"single_bit>total"`
	DoubleBitTotal  text `xml:"double_bit>total"`
}

type remapped struct {
	Correctable   text `xml:"remapped_row_corr"`
	Uncorrectable text `xml:"remapped_row_unc"`
	Pending       text `xml:"remapped_row_pending"`
	Failed        text `xml:"remapped_row_failure"`
}

type temperature struct {
	GPU      text `xml:"gpu_temp"`
	Memory   text `xml:"memory_temp"`
	Margin   text `xml:"gpu_temp_tlimit"`
	Slowdown text `xml:"gpu_temp_slow_threshold"`
	Shutdown text `xml:"gpu_temp_max_threshold"`
}

type power struct {
	Draw     text `xml:"power_draw"` // before R550 the only one
	Average  text `xml:"average_power_draw"`
	Instant  text `xml:"instant_power_draw"`
	Limit    text `xml:"current_power_limit"`
	Enforced text `xml:"enforced_power_limit"` // before R535
}

type clocks struct {
	Graphics text `xml:"graphics_clock"`
	SM       text `xml:"sm_clock"`
	Memory   text `xml:"mem_clock"`
	Video    text `xml:"video_clock"`
}

type process struct {
	PID         text `xml:"pid"`
	GPUInstance text `xml:"gpu_instance_id"`
	Memory      text `xml:"used_memory"`
}

// list holds elements of any name.
type list struct {
	Items []struct {
		XMLName xml.Name
		Text    text `xml:",chardata"`
	} `xml:",any"`
}

func parseDocument(out string) (*document, error) {
	// Where a GPU has fallen off the bus, a line about it comes first.
	start := strings.Index(out, "<?xml")
	if start < 0 {
		start = strings.Index(out, "<nvidia_smi_log")
	}
	if start < 0 {
		return nil, errors.New("nvidia-smi printed no XML")
	}
	doc := &document{}
	if err := xml.Unmarshal([]byte(out[start:]), doc); err != nil {
		return nil, fmt.Errorf("XML of nvidia-smi: %w", err)
	}
	return doc, nil
}
