// Package gonvml is the driver.Library on NVIDIA's binding of NVML, go-nvml.
//
// # Why so careful
//
// The binding calls C functions that the dynamic linker looks up at their first use. What
// the installed library does not export ends the process (exit 127), and no Go code can
// stop that. So every call here first asks a table, made by dlsym when the library is
// initialised, whether the function is there, and answers driver.FunctionNotFound if not.
// The binding itself may panic; that is caught and answered as driver.CallPanicked.
// Numbers by which NVML says "no value", such as (unsigned)-1, become driver.NoData.
//
// # Ownership
//
// The binding and the linker keep global state: what was bound once stays bound to the
// first file. So a process has one NVML library, with one path, and every receiver is a
// user of it: Acquire makes a user, which is the driver.Library it works with, and Release
// gives it up. The first user's Init initialises NVML; that of a second one only counts.
// The last user's Shutdown shuts NVML down, so that the driver can be unloaded.
//
// # Starting anew
//
// A user that calls Init while it is initialised has found the tie to the driver broken:
// NVML is shut down and initialised again, for all users. The devices, event sets and GPM
// samples of the others are then stale. They answer driver.Uninitialized without touching
// NVML, as does the user they came from, until that user calls Init too, which only joins
// it to what is there.
//
// # Concurrency
//
// All may be called at any time, from any goroutine. NVML must not be shut down under a
// call that runs, and a call may hang for ever. So no call holds a lock: each is counted,
// and whoever must shut down turns new calls away (driver.NotReady) and waits up to two
// seconds for the running ones. If one hangs longer, NVML is left open: Shutdown answers
// driver.InUse, and starting anew is reduced to another nvmlInit, which makes nothing
// stale. Init and Shutdown wait for each other, and for the driver. Calls about GPM run
// one at a time, as the binding is known to crash otherwise; who waits 200 ms for another
// gets driver.InUse.
package gonvml
