// What all calls have in common: counting, hanging, and the answer as a whole.
#include "fake.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FIELD = 512, POLL_MS = 5 };

static _Atomic(struct counter *) counters;
static atomic_uint in_flight[MAX_DEVICES + 1], in_flight_max[MAX_DEVICES + 1]; // last: GPM
static atomic_uint running;
static atomic_uint fields[MAX_DEVICES][MAX_FIELD];
static atomic_uint inits;

static struct {
	char what[64];
	unsigned count;
} violations[64];
static pthread_mutex_t violations_lock = PTHREAD_MUTEX_INITIALIZER;

u64 now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (u64)t.tv_sec * 1000000 + (u64)t.tv_nsec / 1000;
}

void sleep_ms(unsigned ms)
{
	struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000};
	while (nanosleep(&left, &left))
		;
}

void violation(const char *what)
{
	pthread_mutex_lock(&violations_lock);
	int i = 0;
	while (i < 63 && violations[i].count && strcmp(violations[i].what, what))
		i++;
	snprintf(violations[i].what, sizeof violations[i].what, "%s", what);
	violations[i].count++;
	pthread_mutex_unlock(&violations_lock);
}

void count_field(int device, unsigned field)
{
	if (device >= 0 && field < MAX_FIELD)
		fields[device][field]++;
}

static void count(struct counter *counter, int device)
{
	counter->total++;
	if (device >= 0)
		counter->on[device]++;
	if (!atomic_flag_test_and_set(&counter->listed)) {
		counter->next = counters;
		while (!atomic_compare_exchange_weak(&counters, &counter->next, counter))
			;
	}
}

static void start(int slot)
{
	unsigned now = ++in_flight[slot], most = in_flight_max[slot];
	while (now > most && !atomic_compare_exchange_weak(&in_flight_max[slot], &most, now))
		;
}

static bool block(const struct call *call, unsigned *ms)
{
	u64 n = 0;
	bool listed = state_number(call->prefix, call->name, "block_ms", &n) ||
	              (*call->prefix && state_number(call->prefix, "all", "block_ms", &n));
	*ms = (unsigned)n;
	return listed && n;
}

// A call hangs until its time is over or the file no longer lets it hang.
static void hang(const struct call *call)
{
	unsigned ms;
	for (u64 began = now_us(); block(call, &ms);) {
		u64 spent = (now_us() - began) / 1000;
		if (spent >= ms)
			return;
		sleep_ms(ms - spent < POLL_MS ? (unsigned)(ms - spent) : POLL_MS);
		state_refresh();
	}
}

static void parent_prefix(int device, char out[MAX_PREFIX])
{
	snprintf(out, MAX_PREFIX, "device.%d", device);
}

static nvmlReturn_t listed_return(const struct call *call, enum call_kind kind)
{
	char parent[MAX_PREFIX];
	u64 n;
	if (state_number("all", "ret", "", &n) && n)
		return (nvmlReturn_t)n;
	if (call->device >= 0) {
		parent_prefix(call->device, parent);
		if (state_number(parent, "all", "ret", &n) && n)
			return (nvmlReturn_t)n;
	}
	if (state_number(call->prefix, call->name, "ret", &n))
		return (nvmlReturn_t)n;
	return *call->prefix && kind != IDENTITY ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

static void run(struct call *call, enum call_kind kind)
{
	call->running = true;
	call->gpm = kind == GPM;
	running++;
	if (call->device >= 0)
		start(call->device);
	if (call->gpm)
		start(MAX_DEVICES);
	hang(call);
	call->ret = listed_return(call, kind);
}

struct call call_device(struct counter *counter, const char *name, nvmlDevice_t device, enum call_kind kind)
{
	struct call call = {.name = name, .device = -1};
	bool valid = handle_valid(device);
	if (valid)
		call.device = device.handle->device;
	count(counter, call.device);
	if (!initialized())
		call.ret = NVML_ERROR_UNINITIALIZED;
	else if (!valid)
		call.ret = NVML_ERROR_INVALID_ARGUMENT;
	else if (!handle_prefix(device, call.prefix))
		call.ret = device.handle->slot < 0 ? NVML_ERROR_GPU_IS_LOST : NVML_ERROR_INVALID_ARGUMENT;
	else
		run(&call, kind);
	return call;
}

struct call call_index(struct counter *counter, const char *name, unsigned index)
{
	struct call call = {.name = name, .device = -1};
	u64 devices = 0;
	if (index < MAX_DEVICES && state_number("devices", "", "", &devices) && index < devices) {
		call.device = (int)index;
		parent_prefix(call.device, call.prefix);
	}
	count(counter, call.device);
	if (!initialized())
		call.ret = NVML_ERROR_UNINITIALIZED;
	else if (call.device < 0)
		call.ret = NVML_ERROR_INVALID_ARGUMENT;
	else
		run(&call, IDENTITY);
	return call;
}

struct call call_global(struct counter *counter, const char *name, enum call_kind kind)
{
	struct call call = {.name = name, .device = -1};
	count(counter, -1);
	if (!initialized())
		call.ret = NVML_ERROR_UNINITIALIZED;
	else
		run(&call, kind);
	return call;
}

void call_done(struct call *call)
{
	if (!call->running)
		return;
	running--;
	if (call->device >= 0)
		in_flight[call->device]--;
	if (call->gpm)
		in_flight[MAX_DEVICES]--;
}

bool answer(const struct call *call, const char *field, u64 *out)
{
	return state_number(call->prefix, call->name, field, out);
}

nvmlReturn_t answer_u64(const struct call *call, const char *field, u64 *out)
{
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	return answer(call, field, out) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t answer_u32(const struct call *call, const char *field, unsigned *out)
{
	u64 n;
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(answer(call, field, &n), NVML_ERROR_NOT_SUPPORTED);
	*out = (unsigned)n;
	return NVML_SUCCESS;
}

nvmlReturn_t field_text(const struct call *call, const char *field, char *out, unsigned length)
{
	char text[MAX_TEXT];
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(state_text(call->prefix, field, "", text, sizeof text), NVML_ERROR_NOT_SUPPORTED);
	REQUIRE(strlen(text) < length, NVML_ERROR_INSUFFICIENT_SIZE);
	strcpy(out, text);
	return NVML_SUCCESS;
}

nvmlReturn_t field_u32(const struct call *call, const char *field, unsigned *out)
{
	u64 n;
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(state_number(call->prefix, field, "", &n), NVML_ERROR_NOT_SUPPORTED);
	*out = (unsigned)n;
	return NVML_SUCCESS;
}

// NVML counts nvmlInit; only the last nvmlShutdown lets go of the driver.
bool initialized(void)
{
	return inits > 0;
}

static nvmlReturn_t init(struct counter *counter)
{
	char version[MAX_TEXT];
	unsigned ms;
	u64 ret = 0;
	struct call call = {.name = "init", .device = -1};
	count(counter, -1);
	state_refresh();
	if (!initialized()) {
		if (block(&call, &ms))
			hang(&call);
		if (state_number("init", "ret", "", &ret) && ret)
			return (nvmlReturn_t)ret;
		// Without a state file there is no driver.
		if (!state_text("driver_version", "", "", version, sizeof version))
			return NVML_ERROR_DRIVER_NOT_LOADED;
	}
	inits++;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
	static struct counter counter = {.name = "nvmlInit_v2", .listed = ATOMIC_FLAG_INIT};
	return init(&counter);
}

nvmlReturn_t nvmlInit(void)
{
	static struct counter counter = {.name = "nvmlInit", .listed = ATOMIC_FLAG_INIT};
	return init(&counter);
}

nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
	static struct counter counter = {.name = "nvmlInitWithFlags", .listed = ATOMIC_FLAG_INIT};
	(void)flags;
	return init(&counter);
}

nvmlReturn_t nvmlShutdown(void)
{
	static struct counter counter = {.name = "nvmlShutdown", .listed = ATOMIC_FLAG_INIT};
	count(&counter, -1);
	REQUIRE(initialized(), NVML_ERROR_UNINITIALIZED);
	if (inits == 1 && running)
		violation("shutdown_with_calls_in_flight");
	if (inits == 1 && gpm_samples_open())
		violation("shutdown_with_gpm_samples");
	inits--;
	calls_write();
	return NVML_SUCCESS;
}

static void write_counters(FILE *f)
{
	for (struct counter *c = counters; c; c = c->next) {
		fprintf(f, "call.%s %u\n", c->name, c->total);
		for (int i = 0; i < MAX_DEVICES; i++)
			if (c->on[i])
				fprintf(f, "call.%s.%d %u\n", c->name, i, c->on[i]);
	}
	for (int i = 0; i < MAX_DEVICES; i++) {
		if (in_flight_max[i])
			fprintf(f, "in_flight.%d %u\n", i, in_flight_max[i]);
		for (int id = 0; id < MAX_FIELD; id++)
			if (fields[i][id])
				fprintf(f, "field.%d.%d %u\n", i, id, fields[i][id]);
	}
	fprintf(f, "in_flight.gpm %u\n", in_flight_max[MAX_DEVICES]);
}

void calls_write(void)
{
	static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
	const char *path = getenv("NVMLTEST_CALLS");
	char temporary[4096];
	if (!path)
		return;
	pthread_mutex_lock(&writing);
	snprintf(temporary, sizeof temporary, "%s.%d", path, getpid());
	FILE *f = fopen(temporary, "we");
	if (f) {
		write_counters(f);
		pthread_mutex_lock(&violations_lock);
		for (int i = 0; i < 64 && violations[i].count; i++)
			fprintf(f, "violation.%s %u\n", violations[i].what, violations[i].count);
		pthread_mutex_unlock(&violations_lock);
		fprintf(f, "open.inits %u\nopen.gpm_samples %u\nopen.event_sets %u\n", inits,
		        gpm_samples_open(), event_sets_open());
		fclose(f);
		rename(temporary, path);
	}
	pthread_mutex_unlock(&writing);
}
