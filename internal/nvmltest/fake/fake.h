// A stand-in for libnvidia-ml.so.1 that answers from a text file; see the package's doc.go
// for the keys of that file.
#ifndef NVMLTEST_FAKE_H
#define NVMLTEST_FAKE_H

#define _GNU_SOURCE
// Without this nvml.h renames the old functions to the new ones, and both are exported here.
#define NVML_NO_UNVERSIONED_FUNC_DEFS 1
#include <nvml.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;

enum {
	MAX_DEVICES = 64,
	MAX_SLOTS = 16,   // MIG devices of one GPU
	MAX_PREFIX = 48,  // as device.63.mig.15
	MAX_TEXT = 256,   // one value that is not a list
	NO_INSTANCE = -1, // where a GPU or compute instance is not told
};

// state.c: the file.

// Reads the file again if it is another one than last time.
void state_refresh(void);
// Looks up the key a.b.c; empty parts are left out. False: not listed.
bool state_text(const char *a, const char *b, const char *c, char *out, size_t size);
bool state_number(const char *a, const char *b, const char *c, u64 *out);
// The same for values of any length; the caller frees them. NULL: not listed.
char *state_list(const char *a, const char *b, const char *c);
// As state_text, for those that state.c calls while it changes the table.
const char *state_locked(const char *a, const char *b, const char *c);

// handles.c: nvmlDevice_t.

struct nvmlDevice_st {
	atomic_int device; // index; -1: the GPU or MIG device is gone
	atomic_int slot;   // index of the MIG device; -1: the GPU itself
	char uuid[96];
};

bool handle_valid(nvmlDevice_t device);
// The handle of a GPU (slot -1) or of one of its MIG devices.
nvmlDevice_t handle_of(int device, int slot);
// The first part of the keys of a handle. False: what it stood for is gone.
bool handle_prefix(nvmlDevice_t device, char out[MAX_PREFIX]);
// Called while the table changes: handles by UUID find their place in it.
void handles_moved(void);

// calls.c: what all calls have in common.

struct counter {
	const char *name;
	atomic_uint total, on[MAX_DEVICES];
	atomic_flag listed;
	struct counter *next;
};

struct call {
	const char *name;        // key of its answer
	char prefix[MAX_PREFIX]; // of the device's keys; "": a call without a device
	int device;              // physical GPU; -1: none
	bool gpm, running;
	nvmlReturn_t ret; // the answer that the file lists for the call as a whole
};

enum call_kind {
	LISTED,   // answers NOT_SUPPORTED if the file says nothing
	IDENTITY, // answers from the device's fields
	GPM,      // as LISTED; counted among the calls for performance counters
};

struct call call_device(struct counter *, const char *name, nvmlDevice_t, enum call_kind);
struct call call_index(struct counter *, const char *name, unsigned index);
struct call call_global(struct counter *, const char *name, enum call_kind);
void call_done(struct call *);

// The number in a field of the call's answer.
bool answer(const struct call *, const char *field, u64 *out);
nvmlReturn_t answer_u32(const struct call *, const char *field, unsigned *out);
nvmlReturn_t answer_u64(const struct call *, const char *field, u64 *out);
// A field of the device itself.
nvmlReturn_t field_text(const struct call *, const char *field, char *out, unsigned length);
nvmlReturn_t field_u32(const struct call *, const char *field, unsigned *out);

// Opens a function: counts it, waits where the file says so, and returns unless the file
// lets the call succeed.
#define BEGIN(how, counted, ...)                                                     \
	static struct counter counter = {.name = counted, .listed = ATOMIC_FLAG_INIT};     \
	struct call call __attribute__((cleanup(call_done))) = how(&counter, __VA_ARGS__); \
	if (call.ret != NVML_SUCCESS)                                                      \
		return call.ret

#define DEVICE_CALL(device, name) BEGIN(call_device, "nvmlDevice" name, name, device, LISTED)
#define IDENTITY_CALL(device, name) BEGIN(call_device, "nvmlDevice" name, name, device, IDENTITY)
#define GLOBAL_CALL(name) BEGIN(call_global, "nvml" name, name, LISTED)

#define REQUIRE(condition, otherwise) \
	do {                              \
		if (!(condition))             \
			return otherwise;         \
	} while (0)

bool initialized(void);
void violation(const char *what);
void count_field(int device, unsigned field);
void calls_write(void);
u64 now_us(void);
void sleep_ms(unsigned ms);

// lists.c: values such as "101:4096:-:- 102:8192:1:0".

struct row {
	u64 n[8]; // "-" is all ones, as NVML_VALUE_NOT_AVAILABLE
	int columns;
};

// Reads the next row; false at the end.
bool next_row(const char **at, struct row *);

// events.c

// Called while the table changes, for each event.<n> line in it.
void event_read(unsigned n, const char *value);
unsigned event_sets_open(void);

// gpm.c
unsigned gpm_samples_open(void);

#endif
