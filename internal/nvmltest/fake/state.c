// The state file: lines of a key, a space and a value. A table by hash makes a look-up cost
// about as much as one in the real library.
#include "fake.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
	uint64_t hash;
	const char *key, *value;
};

static struct {
	char *text;
	struct entry *entries;
	size_t mask;
} table;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t refreshing = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_of(const char *key)
{
	uint64_t h = 14695981039346656037ULL; // FNV-1a
	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 1099511628211ULL;
	return h;
}

static char *append(char *end, const char *limit, const char *part, bool dot)
{
	if (dot && end < limit)
		*end++ = '.';
	while (*part && end < limit)
		*end++ = *part++;
	return end;
}

const char *state_locked(const char *a, const char *b, const char *c)
{
	char key[MAX_TEXT], *end = key;
	const char *parts[] = {a, b, c}, *limit = key + sizeof key - 1;
	for (int i = 0; i < 3; i++)
		if (*parts[i])
			end = append(end, limit, parts[i], end != key);
	*end = 0;
	if (!table.entries)
		return NULL;
	uint64_t hash = hash_of(key);
	for (size_t i = hash & table.mask; table.entries[i].key; i = (i + 1) & table.mask)
		if (table.entries[i].hash == hash && !strcmp(table.entries[i].key, key))
			return table.entries[i].value;
	return NULL;
}

bool state_text(const char *a, const char *b, const char *c, char *out, size_t size)
{
	pthread_rwlock_rdlock(&lock);
	const char *value = state_locked(a, b, c);
	if (value) {
		size_t length = strnlen(value, size - 1);
		memcpy(out, value, length);
		out[length] = 0;
	}
	pthread_rwlock_unlock(&lock);
	return value != NULL;
}

bool state_number(const char *a, const char *b, const char *c, u64 *out)
{
	pthread_rwlock_rdlock(&lock);
	const char *value = state_locked(a, b, c);
	if (value)
		*out = strtoull(value, NULL, 10);
	pthread_rwlock_unlock(&lock);
	return value != NULL;
}

char *state_list(const char *a, const char *b, const char *c)
{
	pthread_rwlock_rdlock(&lock);
	const char *value = state_locked(a, b, c);
	char *copy = value ? strdup(value) : NULL;
	pthread_rwlock_unlock(&lock);
	return copy;
}

// Puts the lines of the text, which it cuts up, into a new table.
static void load(char *text)
{
	size_t lines = 1;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	size_t size = 16;
	while (size < 2 * lines)
		size *= 2;

	struct entry *old = table.entries;
	free(table.text);
	table.text = text;
	table.entries = calloc(size, sizeof *table.entries);
	table.mask = size - 1;
	free(old);

	char *rest = text, *line;
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');
		if (!value || *line == '#')
			continue;
		*value++ = 0;
		uint64_t hash = hash_of(line);
		size_t i = hash & table.mask;
		while (table.entries[i].key && strcmp(table.entries[i].key, line))
			i = (i + 1) & table.mask;
		table.entries[i] = (struct entry){hash, line, value};
	}
}

static void read_events(void)
{
	char n[16];
	for (unsigned i = 0;; i++) {
		snprintf(n, sizeof n, "%u", i);
		const char *value = state_locked("event", n, "");
		if (!value)
			return;
		event_read(i, value);
	}
}

// The whole file; NULL if it can't be read. The writer renames, so it is never half written.
static char *slurp(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t have = 0;
	while (have < size) {
		ssize_t n = read(fd, text + have, size - have);
		if (n <= 0) {
			free(text);
			return NULL;
		}
		have += (size_t)n;
	}
	text[size] = 0;
	return text;
}

static bool changed(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_size != b->st_size ||
	       a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

void state_refresh(void)
{
	static struct stat last;
	const char *path = getenv("NVMLTEST_STATE");
	struct stat stat_now;
	if (!path)
		return;
	pthread_mutex_lock(&refreshing);
	int fd = -1;
	if (!stat(path, &stat_now) && changed(&stat_now, &last) && (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0 &&
	    !fstat(fd, &stat_now)) {
		char *text = slurp(fd, (size_t)stat_now.st_size);
		if (text) {
			last = stat_now;
			pthread_rwlock_wrlock(&lock);
			load(text);
			handles_moved();
			read_events();
			pthread_rwlock_unlock(&lock);
		}
	}
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&refreshing);
}
