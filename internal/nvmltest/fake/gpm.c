// Performance counters: a sample keeps the levels of its moment, and a metric is the mean
// of two samples.
#include "fake.h"

#include <stdio.h>

struct nvmlGpmSample_st {
	u64 time; // µs; 0: nothing sampled yet
	struct nvmlDevice_st *handle;
	int instance;
	char *levels; // "<metric>=<level> ..." or "<metric>=!<return> ..."
	struct nvmlGpmSample_st *next;
};

static struct nvmlGpmSample_st *samples;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

unsigned gpm_samples_open(void)
{
	unsigned n = 0;
	pthread_mutex_lock(&lock);
	for (struct nvmlGpmSample_st *s = samples; s; s = s->next)
		n++;
	pthread_mutex_unlock(&lock);
	return n;
}

static bool exists(const struct nvmlGpmSample_st *sample)
{
	const struct nvmlGpmSample_st *s = samples;
	while (s && s != sample)
		s = s->next;
	return s != NULL;
}

#define GPM_CALL(device, name) BEGIN(call_device, "nvml" name, name, device, GPM)

nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *support)
{
	GPM_CALL(device, "GpmQueryDeviceSupport");
	REQUIRE(support, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(support->version == NVML_GPM_SUPPORT_VERSION, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	return answer_u32(&call, "supported", &support->isSupportedDevice);
}

nvmlReturn_t nvmlGpmQueryIfStreamingEnabled(nvmlDevice_t device, unsigned *state)
{
	GPM_CALL(device, "GpmQueryIfStreamingEnabled");
	return answer_u32(&call, "enabled", state);
}

nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *out)
{
	BEGIN(call_global, "nvmlGpmSampleAlloc", "GpmSampleAlloc", GPM);
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	struct nvmlGpmSample_st *sample = calloc(1, sizeof *sample);
	pthread_mutex_lock(&lock);
	sample->next = samples;
	samples = sample;
	pthread_mutex_unlock(&lock);
	out->handle = sample;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t sample)
{
	BEGIN(call_global, "nvmlGpmSampleFree", "GpmSampleFree", GPM);
	pthread_mutex_lock(&lock);
	struct nvmlGpmSample_st **at = &samples;
	while (*at && *at != sample.handle)
		at = &(*at)->next;
	struct nvmlGpmSample_st *found = *at;
	if (found) {
		*at = found->next;
		free(found->levels);
		free(found);
	}
	pthread_mutex_unlock(&lock);
	if (!found)
		violation("gpm_sample_freed_twice");
	return found ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

static nvmlReturn_t fill(struct nvmlGpmSample_st *sample, nvmlDevice_t device, int instance, char *levels)
{
	REQUIRE(levels, NVML_ERROR_NOT_FOUND);
	nvmlReturn_t ret = NVML_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	if (exists(sample)) {
		free(sample->levels);
		sample->levels = levels;
		sample->handle = device.handle;
		sample->instance = instance;
		sample->time = now_us();
		ret = NVML_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	if (ret != NVML_SUCCESS)
		free(levels);
	return ret;
}

static char *instance_levels(int device, unsigned instance)
{
	char prefix[MAX_PREFIX];
	snprintf(prefix, sizeof prefix, "device.%d.gi.%u", device, instance);
	return state_list(prefix, "gpm", "");
}

nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t device, nvmlGpmSample_t sample)
{
	unsigned instance;
	GPM_CALL(device, "GpmSampleGet");
	if (device.handle->slot < 0)
		return fill(sample.handle, device, NO_INSTANCE, state_list(call.prefix, "gpm", ""));
	REQUIRE(field_u32(&call, "gi", &instance) == NVML_SUCCESS, NVML_ERROR_INVALID_ARGUMENT);
	return fill(sample.handle, device, (int)instance, instance_levels(call.device, instance));
}

nvmlReturn_t nvmlGpmMigSampleGet(nvmlDevice_t device, unsigned instance, nvmlGpmSample_t sample)
{
	GPM_CALL(device, "GpmMigSampleGet");
	REQUIRE(device.handle->slot < 0, NVML_ERROR_INVALID_ARGUMENT);
	return fill(sample.handle, device, (int)instance, instance_levels(call.device, instance));
}

static nvmlReturn_t level(const char *levels, unsigned metric, double *out)
{
	char *at = (char *)levels;
	while (*at) {
		unsigned long id = strtoul(at, &at, 10);
		REQUIRE(*at == '=', NVML_ERROR_UNKNOWN);
		at++;
		bool failed = *at == '!';
		double value = strtod(at + failed, &at);
		if (id == metric) {
			*out = value;
			return failed ? (nvmlReturn_t)value : NVML_SUCCESS;
		}
		while (*at == ' ')
			at++;
	}
	return NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t compute(nvmlGpmMetricsGet_t *get)
{
	const struct nvmlGpmSample_st *a = get->sample1.handle, *b = get->sample2.handle;
	REQUIRE(exists(a) && exists(b), NVML_ERROR_INVALID_ARGUMENT);
	// Two moments of one device, the older first.
	REQUIRE(a->time && a->time < b->time && a->handle == b->handle && a->instance == b->instance,
	        NVML_ERROR_INVALID_ARGUMENT);
	for (unsigned i = 0; i < get->numMetrics; i++) {
		nvmlGpmMetric_t *m = &get->metrics[i];
		double before = 0, after = 0;
		m->nvmlReturn = level(a->levels, m->metricId, &before);
		if (m->nvmlReturn == NVML_SUCCESS)
			m->nvmlReturn = level(b->levels, m->metricId, &after);
		if (m->nvmlReturn == NVML_SUCCESS)
			m->value = (before + after) / 2;
	}
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *get)
{
	BEGIN(call_global, "nvmlGpmMetricsGet", "GpmMetricsGet", GPM);
	REQUIRE(get, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(get->version == NVML_GPM_METRICS_GET_VERSION, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	REQUIRE(get->numMetrics <= NVML_GPM_METRIC_MAX, NVML_ERROR_INVALID_ARGUMENT);
	pthread_mutex_lock(&lock);
	nvmlReturn_t ret = compute(get);
	pthread_mutex_unlock(&lock);
	return ret;
}
