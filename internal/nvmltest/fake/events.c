// Events: each event.<n> is told once, to the sets in which its device was registered
// before the line appeared.
#include "fake.h"

#include <stdio.h>

enum { MAX_QUEUE = 4096, POLL_MS = 5 };

struct nvmlEventSet_st {
	struct {
		struct nvmlDevice_st *handle;
		u64 types;
	} registered[MAX_DEVICES];
	int registrations;
	nvmlEventData_t queue[MAX_QUEUE];
	unsigned head, tail;
	struct nvmlEventSet_st *next;
};

static struct nvmlEventSet_st *sets;
static unsigned next_event;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool exists(const struct nvmlEventSet_st *set)
{
	const struct nvmlEventSet_st *s = sets;
	while (s && s != set)
		s = s->next;
	return s != NULL;
}

unsigned event_sets_open(void)
{
	unsigned n = 0;
	pthread_mutex_lock(&lock);
	for (struct nvmlEventSet_st *s = sets; s; s = s->next)
		n++;
	pthread_mutex_unlock(&lock);
	return n;
}

static void offer(struct nvmlEventSet_st *set, int device, nvmlEventData_t data)
{
	for (int i = 0; i < set->registrations; i++) {
		struct nvmlDevice_st *h = set->registered[i].handle;
		// An event without a device is told to all.
		if ((device >= 0 && h->device != device) || !(set->registered[i].types & data.eventType))
			continue;
		data.device.handle = device < 0 ? NULL : h;
		if (set->tail - set->head < MAX_QUEUE)
			set->queue[set->tail++ % MAX_QUEUE] = data;
		return;
	}
}

// "<device> <type> <data> <gpu instance> <compute instance>", -1: not told.
void event_read(unsigned n, const char *value)
{
	int device = -1, gi = NO_INSTANCE, ci = NO_INSTANCE;
	nvmlEventData_t data = {0};
	pthread_mutex_lock(&lock);
	if (n >= next_event) {
		next_event = n + 1;
		sscanf(value, "%d %llu %llu %d %d", &device, &data.eventType, &data.eventData, &gi, &ci);
		data.gpuInstanceId = (unsigned)gi;
		data.computeInstanceId = (unsigned)ci;
		for (struct nvmlEventSet_st *s = sets; s; s = s->next)
			offer(s, device, data);
	}
	pthread_mutex_unlock(&lock);
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, u64 *types)
{
	DEVICE_CALL(device, "GetSupportedEventTypes");
	return answer_u64(&call, "types", types);
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *out)
{
	GLOBAL_CALL("EventSetCreate");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	struct nvmlEventSet_st *set = calloc(1, sizeof *set);
	pthread_mutex_lock(&lock);
	set->next = sets;
	sets = set;
	pthread_mutex_unlock(&lock);
	out->handle = set;
	return NVML_SUCCESS;
}

static nvmlReturn_t add(struct nvmlEventSet_st *set, struct nvmlDevice_st *handle, u64 types)
{
	REQUIRE(exists(set), NVML_ERROR_INVALID_ARGUMENT);
	int i = 0;
	while (i < set->registrations && set->registered[i].handle != handle)
		i++;
	REQUIRE(i < MAX_DEVICES, NVML_ERROR_UNKNOWN);
	if (i == set->registrations)
		set->registrations++;
	set->registered[i].handle = handle;
	set->registered[i].types |= types;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, u64 types, nvmlEventSet_t set)
{
	u64 supported = 0;
	state_refresh(); // what happened before is not told
	IDENTITY_CALL(device, "RegisterEvents");
	REQUIRE(state_number(call.prefix, "GetSupportedEventTypes", "types", &supported), NVML_ERROR_NOT_SUPPORTED);
	// One unknown type fails them all.
	REQUIRE(!(types & ~supported), NVML_ERROR_NOT_SUPPORTED);
	pthread_mutex_lock(&lock);
	nvmlReturn_t ret = add(set.handle, device.handle, types);
	pthread_mutex_unlock(&lock);
	return ret;
}

// TIMEOUT: nothing yet.
static nvmlReturn_t take(struct nvmlEventSet_st *set, nvmlEventData_t *data)
{
	nvmlReturn_t ret = NVML_ERROR_TIMEOUT;
	pthread_mutex_lock(&lock);
	if (!exists(set)) {
		violation("event_set_freed_while_waiting");
		ret = NVML_ERROR_INVALID_ARGUMENT;
	} else if (set->head != set->tail) {
		*data = set->queue[set->head++ % MAX_QUEUE];
		ret = NVML_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

static nvmlReturn_t wait_for(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
	REQUIRE(data, NVML_ERROR_INVALID_ARGUMENT);
	pthread_mutex_lock(&lock);
	bool valid = exists(set.handle);
	pthread_mutex_unlock(&lock);
	REQUIRE(valid, NVML_ERROR_INVALID_ARGUMENT);
	u64 end = now_us() + (u64)timeout_ms * 1000;
	for (;;) {
		state_refresh();
		nvmlReturn_t ret = take(set.handle, data);
		u64 now = now_us();
		if (ret != NVML_ERROR_TIMEOUT || now >= end)
			return ret;
		u64 left = (end - now) / 1000 + 1;
		sleep_ms(left < POLL_MS ? (unsigned)left : POLL_MS);
	}
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
	BEGIN(call_global, "nvmlEventSetWait_v2", "EventSetWait", LISTED);
	return wait_for(set, data, timeout_ms);
}

nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
	BEGIN(call_global, "nvmlEventSetWait", "EventSetWait", LISTED);
	nvmlReturn_t ret = wait_for(set, data, timeout_ms);
	if (ret == NVML_SUCCESS) // the first version knows no instances
		data->gpuInstanceId = data->computeInstanceId = (unsigned)NO_INSTANCE;
	return ret;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set)
{
	GLOBAL_CALL("EventSetFree");
	pthread_mutex_lock(&lock);
	struct nvmlEventSet_st **at = &sets;
	while (*at && *at != set.handle)
		at = &(*at)->next;
	struct nvmlEventSet_st *found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	return found ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
