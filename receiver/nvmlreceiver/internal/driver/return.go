package driver

import "fmt"

// Return is the answer code of a driver call, numbered as nvmlReturn_t in nvml.h 13.4.
type Return uint32

// The codes that the receiver tells apart.
const (
	Success             Return = 0
	Uninitialized       Return = 1
	InvalidArgument     Return = 2
	NotSupported        Return = 3
	NoPermission        Return = 4
	NotFound            Return = 6
	InsufficientSize    Return = 7
	DriverNotLoaded     Return = 9
	Timeout             Return = 10
	LibraryNotFound     Return = 12
	FunctionNotFound    Return = 13
	GPULost             Return = 15
	ResetRequired       Return = 16
	OperatingSystem     Return = 17
	LibraryMismatch     Return = 18
	InUse               Return = 19
	NoData              Return = 21
	ArgumentMismatch    Return = 25
	Deprecated          Return = 26
	NotReady            Return = 27
	GPUNotFound         Return = 28
	Unknown             Return = 999
	BuiltWithoutSupport Return = 0xFFFF0001 // this binary cannot load NVML: not linux, or built without cgo
	OtherLibraryInUse   Return = 0xFFFF0002 // another library_path is loaded in this process
	LibraryUnusable     Return = 0xFFFF0003 // the file cannot be loaded, or exports no nvmlInit
	CallPanicked        Return = 0xFFFF0004 // the binding panicked; the call was given up
)

var names = map[Return]string{
	Success:             "SUCCESS",
	Uninitialized:       "UNINITIALIZED",
	InvalidArgument:     "INVALID_ARGUMENT",
	NotSupported:        "NOT_SUPPORTED",
	NoPermission:        "NO_PERMISSION",
	NotFound:            "NOT_FOUND",
	InsufficientSize:    "INSUFFICIENT_SIZE",
	DriverNotLoaded:     "DRIVER_NOT_LOADED",
	Timeout:             "TIMEOUT",
	LibraryNotFound:     "LIBRARY_NOT_FOUND",
	FunctionNotFound:    "FUNCTION_NOT_FOUND",
	GPULost:             "GPU_IS_LOST",
	ResetRequired:       "RESET_REQUIRED",
	OperatingSystem:     "OPERATING_SYSTEM",
	LibraryMismatch:     "LIB_RM_VERSION_MISMATCH",
	InUse:               "IN_USE",
	NoData:              "NO_DATA",
	ArgumentMismatch:    "ARGUMENT_VERSION_MISMATCH",
	Deprecated:          "DEPRECATED",
	NotReady:            "NOT_READY",
	GPUNotFound:         "GPU_NOT_FOUND",
	Unknown:             "UNKNOWN",
	BuiltWithoutSupport: "BUILT_WITHOUT_SUPPORT",
	OtherLibraryInUse:   "OTHER_LIBRARY_IN_USE",
	LibraryUnusable:     "LIBRARY_UNUSABLE",
	CallPanicked:        "CALL_PANICKED",
}

// String returns the name of the code in nvml.h without its NVML_ERROR_ prefix. NVML's own
// words are not used: they change with the state of the library.
func (r Return) String() string {
	if name, ok := names[r]; ok {
		return name
	}
	return fmt.Sprintf("RETURN_%d", uint32(r))
}

// Unsupported tells that asking again is of no use until something about the GPU changes.
func (r Return) Unsupported() bool {
	switch r {
	case InvalidArgument, NotSupported, NoPermission, FunctionNotFound, ArgumentMismatch, Deprecated:
		return true
	default:
		return false
	}
}

// Lost tells that the GPU no longer works until it or the host is reset.
func (r Return) Lost() bool {
	return r == GPULost || r == ResetRequired
}

// Broken tells that the library's tie to the driver is gone and that it must be
// initialised anew.
func (r Return) Broken() bool {
	switch r {
	case Uninitialized, DriverNotLoaded, OperatingSystem, LibraryMismatch:
		return true
	default:
		return false
	}
}
