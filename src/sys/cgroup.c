#include "sys/cgroup.h"

/* Version 1 has a tree per controller, version 2 one tree in which a controller works only where
 * the parent handed it down. Both are tried: what counts is whether the cap's file can be written.
 * Groups of a worker that was killed stay behind empty; whoever makes the next one clears them
 * away. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_NAMES = 64, REMOVE_TRIES = 200, PROC_TEXT_MAX = 1 << 20 };
#define GROUP_PREFIX "forge-"

/* Files of a group, by controller; the first that exists is the machine's version. */
struct cap_file {
	const char *controller;
	const char *name;
};
static const struct cap_file cap_files[] = {
	{ "memory", "memory.limit_in_bytes" }, /* version 1 */
	{ "memory", "memory.max" },
	{ "pids", "pids.max" },
};

/* Does a comma list have this word? */
static bool list_has(const char *list, const char *word)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, list, ",");
	return strv_has(&words, word);
}

/* Our path in the tree of a controller ("" names version 2), yours; or NULL. Lines are
 * "ID:CONTROLLERS:PATH". */
static char *own_path(const char *self, const char *controller)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, self, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		char *list = strchr(lines.items[i], ':');
		char *path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = 0;
		list++;
		if (controller[0] ? list_has(list, controller) : !list[0])
			return xstrdup(path);
	}
	return NULL;
}

static void add_places(struct strv *out, const char *mount, char *path)
{
	AUTO_FREE char *own = path;
	/* Inside a container our path may lie outside of what is mounted: try the root too. */
	if (own && !str_equal(own, "/"))
		strv_addf(out, "%s%s", mount, own);
	strv_add(out, mount);
}

void cgroup_parse_places(struct strv *out, const char *controller, const char *self,
			 const char *mounts)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, mounts, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_STRV struct strv w = { 0 };
		strv_split(&w, lines.items[i], " ");
		if (w.nr < 4)
			continue;
		if (str_equal(w.items[2], "cgroup") && list_has(w.items[3], controller))
			add_places(out, w.items[1], own_path(self, controller));
		else if (str_equal(w.items[2], "cgroup2"))
			add_places(out, w.items[1], own_path(self, ""));
	}
}

static int write_text(const char *dir, const char *name, const char *text)
{
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	return write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

/* A cap on memory alone would make a hog slow instead of dead. Not every machine has swap. */
static void forbid_swap(const char *group, const char *cap)
{
	if (write_text(group, "memory.swap.max", "0") < 0)
		write_text(group, "memory.memsw.limit_in_bytes", cap);
}

static int set_cap(const char *group, const char *controller, size_t cap)
{
	AUTO_FREE char *text = xasprintf("%zu", cap);
	for (size_t i = 0; i < ARRAY_LEN(cap_files); i++)
		if (str_equal(cap_files[i].controller, controller) &&
		    write_text(group, cap_files[i].name, text) == 0) {
			if (str_equal(controller, "memory"))
				forbid_swap(group, text);
			return 0;
		}
	errno = ENOTSUP;
	return -1;
}

static bool is_alive(long pid)
{
	return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

static void sweep(const char *place)
{
	DIR *dir = opendir(place);
	if (!dir)
		return;
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		if (!str_starts(d->d_name, GROUP_PREFIX))
			continue;
		long pid = strtol(d->d_name + strlen(GROUP_PREFIX), NULL, 10);
		if (pid > 0 && !is_alive(pid))
			unlinkat(dirfd(dir), d->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

static char *make_folder(const char *place)
{
	for (unsigned i = 0; i < MAX_NAMES; i++) {
		AUTO_FREE char *path =
			xasprintf("%s/" GROUP_PREFIX "%ld-%u", place, (long)getpid(), i);
		if (mkdir(path, 0755) == 0)
			return take_ptr(&path);
		if (errno != EEXIST)
			return NULL;
		/* Ours from before, if nothing lives in it. */
		rmdir(path);
	}
	return NULL;
}

static char *make_at(const char *place, const char *controller, size_t cap)
{
	AUTO_FREE char *group = make_folder(place);
	if (!group)
		return NULL;
	if (set_cap(group, controller, cap) == 0) {
		sweep(place);
		return take_ptr(&group);
	}
	int error = errno;
	rmdir(group);
	errno = error;
	return NULL;
}

static void read_proc(struct str *out, const char *path)
{
	struct err e = { 0 };
	file_read(path, PROC_TEXT_MAX, out, &e);
}

char *cgroup_make(const char *controller, size_t cap)
{
	AUTO_STR struct str self = STR_INIT;
	AUTO_STR struct str mounts = STR_INIT;
	AUTO_STRV struct strv places = { 0 };
	read_proc(&self, "/proc/self/cgroup");
	read_proc(&mounts, "/proc/self/mounts");
	cgroup_parse_places(&places, controller, self.text, mounts.text);
	errno = ENOTSUP;
	for (size_t i = 0; i < places.nr; i++) {
		char *group = make_at(places.items[i], controller, cap);
		if (group)
			return group;
	}
	return NULL;
}

int cgroup_cap(const char *group, const char *controller, size_t cap)
{
	return set_cap(group, controller, cap);
}

int cgroup_join(const char *group, pid_t pid)
{
	AUTO_FREE char *text = xasprintf("%ld", (long)pid);
	return write_text(group, "cgroup.procs", text);
}

int cgroup_open(const char *group)
{
	if (!group)
		return -1;
	AUTO_FREE char *path = path_join(group, "cgroup.procs");
	return open(path, O_WRONLY | O_CLOEXEC);
}

/* Number after `key` at the start of a line of a group's file; 0 if there is none. */
static unsigned long long read_count(const char *group, const char *name, const char *key)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	AUTO_FREE char *path = path_join(group, name);
	if (file_read(path, PROC_TEXT_MAX, &text, &e) < 0)
		return 0;
	strv_split(&lines, text.text, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		if (str_starts(lines.items[i], key))
			return strtoull(lines.items[i] + strlen(key), NULL, 10);
	return 0;
}

bool cgroup_hit_memory(const char *group)
{
	return read_count(group, "memory.oom_control", "oom_kill ") > 0 ||
	       read_count(group, "memory.failcnt", "") > 0 ||
	       read_count(group, "memory.events", "max ") > 0 ||
	       read_count(group, "memory.events", "oom_kill ") > 0;
}

void cgroup_remove(char **slot)
{
	AUTO_FREE char *group = take_ptr(slot);
	if (!group)
		return;
	/* A group stays busy for a moment after its last process was reaped. */
	for (int i = 0; i < REMOVE_TRIES && rmdir(group) < 0 && errno == EBUSY; i++)
		clock_sleep_ns(NS_PER_MS / 4);
}
