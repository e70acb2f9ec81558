// Calls that answer with lists: sample buffers, field values and processes.
#include "fake.h"

#include <stdio.h>

static char *skip_spaces(const char *at)
{
	while (*at == ' ')
		at++;
	return (char *)at;
}

bool next_row(const char **at, struct row *row)
{
	char *c = skip_spaces(*at);
	row->columns = 0;
	if (!*c)
		return false;
	for (;;) {
		u64 n = ~0ULL;
		if (*c == '-' && (c[1] == ':' || c[1] == ' ' || !c[1]))
			c++;
		else
			n = strtoull(c, &c, 10);
		if (row->columns < 8)
			row->n[row->columns++] = n;
		if (*c != ':')
			break;
		c++;
	}
	while (*c && *c != ' ') // what is no number ends the row
		c++;
	*at = c;
	return true;
}

static unsigned count_rows(const char *list)
{
	struct row row;
	unsigned n = 0;
	while (list && next_row(&list, &row))
		n++;
	return n;
}

// Frees the list at the end of the scope.
#define LIST(list, ...) char *list __attribute__((cleanup(free_list))) = state_list(__VA_ARGS__)

static void free_list(char **list)
{
	free(*list);
}

static nvmlValue_t value_of(nvmlValueType_t type, const char *text)
{
	nvmlValue_t v = {.ullVal = 0};
	switch (type) {
	case NVML_VALUE_TYPE_DOUBLE:
		v.dVal = strtod(text, NULL);
		break;
	case NVML_VALUE_TYPE_UNSIGNED_INT:
		v.uiVal = (unsigned)strtoull(text, NULL, 10);
		break;
	case NVML_VALUE_TYPE_SIGNED_INT:
		v.siVal = (int)strtoll(text, NULL, 10);
		break;
	case NVML_VALUE_TYPE_UNSIGNED_SHORT:
		v.usVal = (unsigned short)strtoull(text, NULL, 10);
		break;
	default:
		v.ullVal = strtoull(text, NULL, 10);
	}
	return v;
}

// "<value type> <time>:<value> ...": the ring buffer, the oldest sample first.
nvmlReturn_t nvmlDeviceGetSamples(nvmlDevice_t device, nvmlSamplingType_t kind, u64 since,
                                  nvmlValueType_t *type, unsigned *count, nvmlSample_t *samples)
{
	char field[16];
	struct row row;
	DEVICE_CALL(device, "GetSamples");
	REQUIRE(type && count && (!samples || *count), NVML_ERROR_INVALID_ARGUMENT);
	snprintf(field, sizeof field, "%u", kind);
	LIST(list, call.prefix, "samples", field);
	REQUIRE(list, NVML_ERROR_NOT_SUPPORTED);
	const char *at = list;
	REQUIRE(next_row(&at, &row), NVML_ERROR_NOT_FOUND);
	*type = (nvmlValueType_t)row.n[0];
	unsigned buffered = count_rows(at), copied = 0;
	if (!samples) {
		*count = buffered;
		return buffered ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
	}
	while (copied < *count && next_row(&at, &row)) {
		if (row.n[0] <= since)
			continue;
		samples[copied].timeStamp = row.n[0];
		samples[copied++].sampleValue =
			*type == NVML_VALUE_TYPE_UNSIGNED_INT ? (nvmlValue_t){.uiVal = (unsigned)row.n[1]} : (nvmlValue_t){.ullVal = row.n[1]};
	}
	*count = copied;
	return copied ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

// "<return> <value type> <value>"
static void field_value(const struct call *call, nvmlFieldValue_t *out)
{
	char key[32], text[MAX_TEXT], value[MAX_TEXT] = "0";
	unsigned ret = NVML_ERROR_NOT_SUPPORTED, type = NVML_VALUE_TYPE_UNSIGNED_INT;
	snprintf(key, sizeof key, "%u.%u", out->fieldId, out->scopeId);
	if (state_text(call->prefix, "field", key, text, sizeof text))
		sscanf(text, "%u %u %255s", &ret, &type, value);
	out->timestamp = (long long)now_us();
	out->latencyUsec = 0;
	out->nvmlReturn = ret;
	// NVML leaves type and value of a failed field as they were.
	if (ret == NVML_SUCCESS) {
		out->valueType = type;
		out->value = value_of(type, value);
	}
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
	DEVICE_CALL(device, "GetFieldValues");
	REQUIRE(values && count > 0, NVML_ERROR_INVALID_ARGUMENT);
	for (int i = 0; i < count; i++) {
		count_field(call.device, values[i].fieldId);
		field_value(&call, &values[i]);
	}
	return NVML_SUCCESS;
}

// "<pid>:<bytes>:<gpu instance>:<compute instance> ...". Room is made by the caller, who
// learns from INSUFFICIENT_SIZE how much it takes.
static nvmlReturn_t processes(const struct call *call, const char *kind, unsigned *count, nvmlProcessInfo_t *v2,
                              nvmlProcessInfo_v1_t *v1)
{
	struct row row;
	REQUIRE(count, NVML_ERROR_INVALID_ARGUMENT);
	LIST(list, call->prefix, kind, "");
	unsigned room = *count, i = 0;
	*count = count_rows(list);
	REQUIRE(room >= *count, NVML_ERROR_INSUFFICIENT_SIZE);
	REQUIRE(v1 || v2 || !*count, NVML_ERROR_INVALID_ARGUMENT);
	for (const char *at = list; at && next_row(&at, &row); i++) {
		unsigned pid = (unsigned)row.n[0];
		u64 memory = row.columns > 1 ? row.n[1] : ~0ULL;
		if (v1)
			v1[i] = (nvmlProcessInfo_v1_t){.pid = pid, .usedGpuMemory = memory};
		else
			v2[i] = (nvmlProcessInfo_t){
				.pid = pid,
				.usedGpuMemory = memory,
				.gpuInstanceId = row.columns > 2 ? (unsigned)row.n[2] : (unsigned)NO_INSTANCE,
				.computeInstanceId = row.columns > 3 ? (unsigned)row.n[3] : (unsigned)NO_INSTANCE,
			};
	}
	return NVML_SUCCESS;
}

#define PROCESSES(name, kind)                                                                          \
	nvmlReturn_t nvmlDevice##name(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v1_t *infos)   \
	{                                                                                                  \
		BEGIN(call_device, "nvmlDevice" #name, #name, device, LISTED);                                 \
		return processes(&call, kind, count, NULL, infos);                                             \
	}                                                                                                  \
	nvmlReturn_t nvmlDevice##name##_v2(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos) \
	{                                                                                                  \
		BEGIN(call_device, "nvmlDevice" #name "_v2", #name, device, LISTED);                           \
		return processes(&call, kind, count, infos, NULL);                                             \
	}                                                                                                  \
	nvmlReturn_t nvmlDevice##name##_v3(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos) \
	{                                                                                                  \
		BEGIN(call_device, "nvmlDevice" #name "_v3", #name, device, LISTED);                           \
		return processes(&call, kind, count, infos, NULL);                                             \
	}

PROCESSES(GetComputeRunningProcesses, "compute")
PROCESSES(GetGraphicsRunningProcesses, "graphics")
PROCESSES(GetMPSComputeRunningProcesses, "mps")

// How often the device's next answers may still leave out a process that appears between
// the question for the size and the one for the rows.
static bool appears(const struct call *call)
{
	static atomic_ullong used[MAX_DEVICES];
	u64 times = 0;
	if (!answer(call, "grow", &times) || used[call->device] >= times)
		return false;
	used[call->device]++;
	return true;
}

// "<pid>:<time>:<sm>:<memory>:<encoder>:<decoder> ...", percent.
nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *out,
                                             unsigned *count, u64 since)
{
	struct row row;
	DEVICE_CALL(device, "GetProcessUtilization");
	REQUIRE(count, NVML_ERROR_INVALID_ARGUMENT);
	LIST(list, call.prefix, "process_utilization", "");
	unsigned rows = count_rows(list), copied = 0;
	REQUIRE(rows, NVML_ERROR_NOT_FOUND);
	if (!out || *count < rows) {
		u64 capacity = 0;
		bool grow = !out && appears(&call);
		answer(&call, "capacity", &capacity);
		*count = capacity > rows ? (unsigned)capacity : rows;
		if (grow)
			*count = rows > 1 ? rows - 1 : 1;
		return NVML_ERROR_INSUFFICIENT_SIZE;
	}
	for (const char *at = list; next_row(&at, &row);)
		if (row.columns == 6 && row.n[1] > since)
			out[copied++] = (nvmlProcessUtilizationSample_t){
				.pid = (unsigned)row.n[0],
				.timeStamp = row.n[1],
				.smUtil = (unsigned)row.n[2],
				.memUtil = (unsigned)row.n[3],
				.encUtil = (unsigned)row.n[4],
				.decUtil = (unsigned)row.n[5],
			};
	*count = copied;
	return copied ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}
