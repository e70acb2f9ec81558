package xid

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/plog"
)

// table holds the codes that say something to an operator; codes that the
// driver reserves but does not use are left out.
//
// Which codes exist and what each calls for is from NVIDIA's Xid catalog for
// Ampere and newer (docs.nvidia.com/deploy/xid-errors, as of 2025-10), from
// its list for older GPUs, and from nverror.h of the open kernel modules; the
// memory codes also from the GPU memory error management guide. The sentences
// are our own.
var table = withEngines(map[uint64]Meaning{
	// Work that an application submitted.
	8:   application("A channel made no progress for too long and was stopped; restart the application."),
	11:  application("The GPU was handed a command stream with methods it does not have; check the application and its CUDA version."),
	13:  application("A kernel raised an exception such as an out-of-range address; debug the application, and suspect hardware if it follows the GPU."),
	25:  application("The GPU was handed an illegal command stream; check the application and its CUDA version."),
	31:  application("A kernel accessed memory that is not mapped for it; debug the application, and suspect hardware or driver if many applications are hit."),
	32:  application("The command stream to the GPU arrived corrupted; check the application, then the driver and the PCIe link."),
	37:  application("The context-switch firmware got a request that it does not implement; check the application and its CUDA version."),
	43:  application("The channel of a faulting application was reset; the GPU goes on, restart the application."),
	45:  application("The driver ended an application's channels because of an earlier error or a kill; look for the Xid that came before."),
	60:  application("A security or video processor rejected its work; restart the application and report it to the driver's vendor if it repeats."),
	69:  application("An application used an invalid class or method on the compute engine; check the application and its CUDA version."),
	80:  application("Commands reached the GPU with a wrong checksum; restart the application and check the host's memory if it repeats."),
	137: application("A GPU accessed a peer's memory over NVLink without permission; debug the application that uses peer access."),
	141: application("The CUDA fast path failed for one application; restart the application and report it if it repeats."),

	// Faults of driver and firmware that end by themselves.
	38:  contained("The context-switch firmware did not answer in time; update the driver and report it if it repeats."),
	44:  contained("The compute engine faulted during a context switch; restart the application, then suspect driver or hardware."),
	56:  contained("The display engine raised an exception; update the driver, then suspect hardware."),
	59:  contained("The power-management controller reported an internal error; update the driver."),
	61:  contained("The power-management controller stopped at a breakpoint and went on; reset the GPU when convenient and update the driver."),
	66:  contained("The driver accessed a register that the context-switch firmware forbids; update the driver."),
	67:  contained("The context-switch firmware refused an access of the driver; update the driver and report it."),
	78:  contained("A virtual GPU could not be started; bring the host's and the guest's driver to matching versions."),
	152: contained("A deep-learning accelerator accessed memory that is not mapped for it; check the application and report it."),
	153: contained("A deep-learning accelerator did not finish in time; check the application and report it."),
	159: contained("The coherent link to the CPU returned an error without data; look for the Xid that came with it."),

	// The board and its supply.
	54:  fatal("The auxiliary power of the board is not connected; check the cables."),
	57:  fatal("The link to the GPU's memory could not be trained; update the firmware, then replace the GPU."),
	58:  fatal("The memory interface of the GPU reported an error; reset the GPU and replace it if this repeats."),
	79:  fatal("The GPU no longer answers on the bus; reboot the host, check seating, power and cooling, and replace the GPU if this repeats."),
	110: fatal("A security engine faulted; reset the GPU and report it if it repeats."),
	121: warning("The chip-to-chip link to the CPU had errors and corrected them; reset the GPU when convenient to train the link again."),
	167: fatal("A PCIe transaction never completed; reboot the host and check the PCIe link."),

	// Memory and its repair.
	48:  contained("Memory of the GPU had an error that ECC could not correct; look for Xid 94 or 95, and replace the GPU if this repeats."),
	63:  info("A bad memory page or row was marked for replacement; the repair takes effect at the next reset of the GPU."),
	64:  fatal("A bad memory page or row could not be marked for replacement; reset the GPU, and replace it if this repeats."),
	92:  warning("Memory of the GPU has many corrected single-bit errors; watch it, and replace the GPU if uncorrected ones follow."),
	94:  contained("An uncorrected memory error was confined to the application that met it; restart this application, others are not affected."),
	95:  fatal("An uncorrected memory error could not be confined to one application; drain the GPU and reset it."),
	140: fatal("An uncorrected memory error went past the driver's recovery; reset the GPU, and replace it if this repeats."),
	156: contained("A faulty part of the GPU was taken out of use; reset the GPU so that it takes effect."),
	157: contained("A faulty part of the GPU could not be taken out of use; have the GPU checked for replacement."),
	160: info("A memory channel was marked for repair; the repair takes effect at the next reset of the GPU."),
	161: contained("A memory channel could not be marked for repair; have the GPU checked for replacement."),
	168: contained("Protected memory had errors and the GPU offers less memory than before; have it checked for replacement."),
	171: contained("The uncorrected ECC error reported with Xid 48 was in the GPU's DRAM; act on Xid 94 or 95."),
	172: contained("The uncorrected ECC error reported with Xid 48 was in the GPU's SRAM; act on Xid 94 or 95."),

	// InfoROM and board flash.
	93:  warning("The InfoROM is written more often than its flash is made for; find what keeps changing persistent settings of the GPU."),
	122: contained("The driver could not read the board's flash; update the driver, then have the GPU checked."),
	123: contained("The driver could not write the board's flash; update the driver, then have the GPU checked."),
	124: contained("The driver could not erase the board's flash; update the driver, then have the GPU checked."),
	125: contained("The file system of the InfoROM is damaged; have the GPU checked for replacement."),

	// A GPU, or its firmware, that hangs.
	46:  fatal("The GPU stopped responding; reset it, and replace it if this repeats."),
	62:  fatal("An internal controller of the GPU halted; reset the GPU and report it if it repeats."),
	109: fatal("A context switch never finished; reset the GPU, and suspect the driver if it repeats."),
	119: fatal("The GPU's system processor did not answer the driver; reset the GPU, then update driver and firmware."),
	120: fatal("The GPU's system processor crashed; reset the GPU, then update driver and firmware."),
	143: fatal("The GPU could not be initialised; reset it, and replace it if this repeats."),
	151: fatal("Keys of a confidential-computing session could not be renewed; restart the virtual machine."),
	154: warning("The action that recovers this GPU changed; read from the kernel log or NVML whether a reset, a drain or a reboot is due."),
	158: fatal("The GPU exceeded a fatal time limit; reset it, and report it if this repeats."),
	169: fatal("The GPU's security controller halted; reset the GPU and report it if it repeats."),

	// NVLink.
	74:  fatal("An NVLink connection failed; reset the GPUs it joins, and check link, bridge or switch if this repeats."),
	136: fatal("An NVLink connection could not be trained; reset the GPU, then check the link."),
	144: contained("NVLink logic at the crossbar reported an error; the kernel log says whether it is fatal and needs a reset."),
	145: contained("NVLink request routing reported an error; the kernel log says whether it is fatal and needs a reset."),
	146: contained("The NVLink transaction layer reported an error; the kernel log says whether it is fatal and needs a reset."),
	147: contained("NVLink packet transport reported an error; the kernel log says whether it is fatal and needs a reset."),
	148: contained("NVLink port control reported an error; the kernel log says whether it is fatal and needs a reset."),
	149: contained("An NVLink port went down or lost its link quality; check cable and switch, the kernel log says whether a reset is due."),
	150: contained("The management engine of NVLink reported an error; the kernel log says whether it is fatal and needs a reset."),
	155: fatal("Software declared an NVLink connection failed; reset the GPU and check fabric manager and switch."),
	166: contained("Traffic crossed an NVLink connection before its encryption was set up; check the set-up of confidential computing."),
	170: contained("An NVLink connection raised an interrupt in confidential-computing mode; check the link and the set-up."),

	// What is only told.
	106: info("A test message of the board's management interface; nothing needs to be done."),
	107: info("A silent test message of the board's management interface; nothing needs to be done."),
	162: info("The power-smoothing circuit is active again; nothing needs to be done."),
	163: info("The power-smoothing circuit was switched off; power draw may change faster than before."),
	164: warning("The power-smoothing circuit nears the end of its life; plan to replace the GPU."),
	165: contained("The power-smoothing circuit has reached the end of its life; replace the GPU if its power draw must be smooth."),
})

// The engines that exist several times, each with a code for every instance.
var engines = []struct {
	name  string
	codes []uint64 // by instance
}{
	{"copy engine", []uint64{39, 40, 41, 70, 71, 72, 75, 76, 77, 85, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135}},
	{"video decoder", []uint64{68, 83, 84, 88, 89, 96, 97, 98}},
	{"video encoder", []uint64{47, 65, 73, 142}},
	{"JPEG engine", []uint64{82, 99, 100, 101, 102, 103, 104, 105}},
	{"optical-flow engine", []uint64{86, 139}},
}

func withEngines(t map[uint64]Meaning) map[uint64]Meaning {
	for _, e := range engines {
		for i, code := range e.codes {
			t[code] = application("The " + e.name + " " + strconv.Itoa(i) +
				" failed on an application's work; restart the application, and suspect driver or hardware if it repeats.")
		}
	}
	return t
}

func info(text string) Meaning {
	return Meaning{Text: text, Severity: plog.SeverityNumberInfo, Known: true}
}

func warning(text string) Meaning {
	return Meaning{Text: text, Severity: plog.SeverityNumberWarn, Known: true}
}

// application is a fault that an application caused, or that costs no more
// than its restart.
func application(text string) Meaning { return warning(text) }

// contained is a fault that the GPU as a whole survives.
func contained(text string) Meaning {
	return Meaning{Text: text, Severity: plog.SeverityNumberError, Known: true}
}

// fatal is a fault after which the GPU does no work until somebody acts.
func fatal(text string) Meaning {
	return Meaning{Text: text, Severity: plog.SeverityNumberFatal, Known: true}
}
