// Device handles. They stay valid for the life of the process, as NVML's stay until
// Shutdown. By default a handle belongs to an index and speaks of whatever GPU has that
// index now; with "handles by_uuid" it belongs to one GPU.
#include "fake.h"

#include <stdio.h>

enum { MAX_HANDLES = 1024 };

static struct nvmlDevice_st by_index[MAX_DEVICES][1 + MAX_SLOTS];
static struct nvmlDevice_st by_uuid[MAX_HANDLES];
static int handed_out; // of by_uuid
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool inside(const struct nvmlDevice_st *h, const struct nvmlDevice_st *first, size_t count)
{
	return h >= first && h < first + count && ((uintptr_t)h - (uintptr_t)first) % sizeof *h == 0;
}

bool handle_valid(nvmlDevice_t device)
{
	return inside(device.handle, by_index[0], (size_t)MAX_DEVICES * (1 + MAX_SLOTS)) ||
	       inside(device.handle, by_uuid, MAX_HANDLES);
}

static void prefix_of(int device, int slot, char out[MAX_PREFIX])
{
	if (slot < 0)
		snprintf(out, MAX_PREFIX, "device.%d", device);
	else
		snprintf(out, MAX_PREFIX, "device.%d.mig.%d", device, slot);
}

nvmlDevice_t handle_of(int device, int slot)
{
	char prefix[MAX_PREFIX], kind[16], uuid[96] = "";
	struct nvmlDevice_st *h = &by_index[device][1 + slot];
	bool unique = state_text("handles", "", "", kind, sizeof kind) && !strcmp(kind, "by_uuid");
	prefix_of(device, slot, prefix);
	state_text(prefix, "uuid", "", uuid, sizeof uuid);

	pthread_mutex_lock(&lock);
	if (unique) {
		int i = 0;
		while (i < handed_out && strcmp(by_uuid[i].uuid, uuid))
			i++;
		if (i == handed_out && handed_out < MAX_HANDLES)
			handed_out++;
		h = &by_uuid[i % MAX_HANDLES];
	}
	memcpy(h->uuid, uuid, sizeof uuid);
	h->device = device;
	h->slot = slot;
	pthread_mutex_unlock(&lock);
	return (nvmlDevice_t){h};
}

bool handle_prefix(nvmlDevice_t device, char out[MAX_PREFIX])
{
	char uuid[96];
	u64 devices = 0;
	pthread_mutex_lock(&lock);
	int index = device.handle->device, slot = device.handle->slot;
	pthread_mutex_unlock(&lock);
	if (index < 0 || !state_number("devices", "", "", &devices) || (u64)index >= devices)
		return false;
	prefix_of(index, slot, out);
	return slot < 0 || state_text(out, "uuid", "", uuid, sizeof uuid);
}

static bool is_at(const struct nvmlDevice_st *h, int device, int slot)
{
	char prefix[MAX_PREFIX];
	prefix_of(device, slot, prefix);
	const char *uuid = state_locked(prefix, "uuid", "");
	return uuid && !strcmp(uuid, h->uuid);
}

static void find(struct nvmlDevice_st *h)
{
	int first = h->slot < 0 ? -1 : 0, last = h->slot < 0 ? -1 : MAX_SLOTS - 1;
	h->device = -1;
	for (int device = 0; device < MAX_DEVICES; device++)
		for (int slot = first; slot <= last; slot++)
			if (is_at(h, device, slot)) {
				h->device = device;
				h->slot = slot;
				return;
			}
}

void handles_moved(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < handed_out; i++)
		find(&by_uuid[i]);
	pthread_mutex_unlock(&lock);
}
