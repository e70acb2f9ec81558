// A libnvidia-ml of one GPU that exports little. With -DNO_INIT it exports no nvmlInit;
// with -DMEMORY_V2 it has the function that old drivers lack.
#include <stddef.h>
#include <string.h>

typedef struct gpu *device;
typedef struct { unsigned long long total, free, used; } memory;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_v2;
typedef struct { unsigned pid; unsigned long long time; unsigned sm, mem, enc, dec; } process;
typedef struct { device gpu; unsigned long long type, data; unsigned gi, ci; } event;
typedef struct { unsigned version, sensor; int temperature; } temperature;
typedef struct { unsigned id, scope; long long time, latency; unsigned type, ret; union { unsigned u; double d; } v; } field;
typedef struct { unsigned id, ret; double value; const char *text[3]; } metric;
typedef struct { unsigned version, count; void *first, *second; metric metrics[477]; } metrics;
typedef struct { unsigned version; unsigned char cluster[16]; unsigned status, clique; unsigned char state; unsigned health; } fabric;

static int initialised;

#ifndef NO_INIT
int nvmlInit_v2(void) { initialised++; return 0; }
#endif
int nvmlShutdown(void) { return initialised ? (initialised--, 0) : 1; }

// The count of initialisations stands for the version.
int nvmlSystemGetNVMLVersion(char *out, unsigned size) { (void)size; out[0] = (char)('0' + initialised); out[1] = 0; return 0; }
int nvmlDeviceGetCount_v2(unsigned *out) { *out = 1; return initialised ? 0 : 1; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, device *out) { *out = (device)&initialised; return i ? 2 : 0; }
int nvmlDeviceGetUUID(device d, char *out, unsigned size) { (void)d; strncpy(out, "GPU-1", size); return initialised ? 0 : 1; }
int nvmlDeviceGetMemoryInfo(device d, memory *out) { (void)d; *out = (memory){10, 6, 4}; return 0; }
#ifdef MEMORY_V2
int nvmlDeviceGetMemoryInfo_v2(device d, memory_v2 *out) { (void)d; *out = (memory_v2){out->version, 10, 1, 6, 3}; return 0; }
#endif
int nvmlDeviceGetTemperatureV(device d, temperature *out) {
	(void)d;
	if (out->version != (sizeof *out | 1 << 24) || out->sensor) return 25;
	out->temperature = -5;
	return 0;
}
int nvmlDeviceGetGpuFabricInfoV(device d, fabric *out) {
	(void)d;
	if (out->version != (sizeof *out | 2 << 24)) return 25;
	out->state = 3;
	return 0;
}

// The list grows between the question for the size and that for the rows, each time by less.
int nvmlDeviceGetProcessUtilization(device d, process *out, unsigned *count, unsigned long long since) {
	static unsigned asked, rows = 1;
	(void)d; (void)since;
	if (!out) { *count = rows; return 7; }
	if (asked++ < 2) { *count = ++rows; return 7; }
	for (unsigned i = 0; i < *count; i++) out[i] = (process){i + 1, 5, 50, 0, 0, 0};
	return 0;
}
int nvmlDeviceGetFieldValues(device d, int count, field *out) {
	(void)d;
	for (int i = 0; i < count; i++) { out[i].type = 1; out[i].ret = 0; out[i].v.u = out[i].id + out[i].scope; }
	return 0;
}
int nvmlEventSetCreate(void **out) { *out = &initialised; return 0; }
int nvmlEventSetWait_v2(void *set, event *out, unsigned millis) {
	(void)set;
	*out = (event){millis > 1 ? (device)&initialised : NULL, 8, 79, ~0u, ~0u};
	return 0;
}
int nvmlEventSetFree(void *set) { (void)set; return 0; }
int nvmlGpmSampleAlloc(void **out) { *out = &initialised; return 0; }
int nvmlGpmSampleGet(device d, void *sample) { (void)d; (void)sample; return 0; }
int nvmlGpmSampleFree(void *sample) { (void)sample; return 0; }
int nvmlGpmMetricsGet(metrics *m) {
	if (m->version != 1 || !m->first || !m->second) return 25;
	for (unsigned i = 0; i < m->count; i++) { m->metrics[i].ret = 0; m->metrics[i].value = m->metrics[i].id; }
	return 0;
}
