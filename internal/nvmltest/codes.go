package nvmltest

import "fmt"

// The return codes of nvml.h 13.4 without their prefix NVML_ or NVML_ERROR_.
var codes = map[string]uint32{
	"SUCCESS":                   0,
	"UNINITIALIZED":             1,
	"INVALID_ARGUMENT":          2,
	"NOT_SUPPORTED":             3,
	"NO_PERMISSION":             4,
	"ALREADY_INITIALIZED":       5,
	"NOT_FOUND":                 6,
	"INSUFFICIENT_SIZE":         7,
	"INSUFFICIENT_POWER":        8,
	"DRIVER_NOT_LOADED":         9,
	"TIMEOUT":                   10,
	"IRQ_ISSUE":                 11,
	"LIBRARY_NOT_FOUND":         12,
	"FUNCTION_NOT_FOUND":        13,
	"CORRUPTED_INFOROM":         14,
	"GPU_IS_LOST":               15,
	"RESET_REQUIRED":            16,
	"OPERATING_SYSTEM":          17,
	"LIB_RM_VERSION_MISMATCH":   18,
	"IN_USE":                    19,
	"MEMORY":                    20,
	"NO_DATA":                   21,
	"VGPU_ECC_NOT_SUPPORTED":    22,
	"INSUFFICIENT_RESOURCES":    23,
	"FREQ_NOT_SUPPORTED":        24,
	"ARGUMENT_VERSION_MISMATCH": 25,
	"DEPRECATED":                26,
	"NOT_READY":                 27,
	"GPU_NOT_FOUND":             28,
	"INVALID_STATE":             29,
	"RESET_TYPE_NOT_SUPPORTED":  30,
	"UNKNOWN":                   999,
}

// nvmlValueType_t.
var valueTypes = map[string]uint32{
	"double":    0,
	"uint":      1,
	"ulong":     2,
	"ulonglong": 3,
	"longlong":  4,
	"int":       5,
	"ushort":    6,
}

// code is the number of a return code; "" is SUCCESS.
func code(name string) uint32 {
	if name == "" {
		return 0
	}
	return lookUp(codes, name, "return code")
}

func valueType(name string) uint32 {
	return lookUp(valueTypes, name, "value type")
}

// lookUp panics for a name that does not exist, which is a slip in a test.
func lookUp(names map[string]uint32, name, kind string) uint32 {
	n, ok := names[name]
	if !ok {
		panic(fmt.Sprintf("nvmltest: no %s is called %q", kind, name))
	}
	return n
}
