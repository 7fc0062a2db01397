#include "sys/watch.h"

/* The CPU clock of another process is exact while it sleeps; for a thread that runs on another core
 * it lags by up to a tick, and so does the first field of schedstat. Hence CPU time is read last,
 * when the runner had time to fall asleep, and nothing fine is concluded from it. Delay and slices
 * are exact. A single thread that spins never leaves its CPU by itself: there the slice count is
 * the number of involuntary switches, and the slow status file need not be read. The watcher's own
 * delay counts too: a worker that was off its core reads the clock late. */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { TEXT_BYTES = 4096, CPU_CLOCK_BITS = 2 /* CPUCLOCK_SCHED of a whole process */ };

static int open_of(pid_t pid, long tid, const char *name)
{
	AUTO_FREE char *path = xasprintf("/proc/%ld/task/%ld/%s", (long)pid, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void add_thread(struct watch *w, long tid)
{
	w->tids = xreallocarray(w->tids, w->nr + 1, sizeof(*w->tids));
	w->stats = xreallocarray(w->stats, w->nr + 1, sizeof(int));
	w->states = xreallocarray(w->states, w->nr + 1, sizeof(int));
	w->tids[w->nr] = (pid_t)tid;
	w->stats[w->nr] = open_of(w->pid, tid, "schedstat");
	w->states[w->nr] = open_of(w->pid, tid, "status");
	w->nr++;
}

void watch_open(struct watch *w, pid_t pid)
{
	*w = (struct watch){ .pid = pid };
	w->own = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *path = xasprintf("/proc/%ld/task", (long)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		long tid = strtol(d->d_name, NULL, 10);
		if (tid > 0)
			add_thread(w, tid);
	}
	closedir(dir);
}

void watch_close(struct watch *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		if (w->stats[i] >= 0)
			close(w->stats[i]);
		if (w->states[i] >= 0)
			close(w->states[i]);
	}
	if (w->pid && w->own >= 0)
		close(w->own);
	free(w->tids);
	free(w->stats);
	free(w->states);
	*w = (struct watch){ 0 };
}

/* Text of a proc file as of now, "" if it is gone. */
static void read_now(int fd, char *text)
{
	ssize_t n = fd < 0 ? 0 : pread(fd, text, TEXT_BYTES - 1, 0);
	text[n > 0 ? n : 0] = 0;
}

void watch_parse_schedstat(struct watch_counts *out, const char *text)
{
	unsigned long long run = 0;
	unsigned long long wait = 0;
	unsigned long long slices = 0;
	if (sscanf(text, "%llu %llu %llu", &run, &wait, &slices) != 3)
		return;
	out->wait_ns += wait;
	out->slices += slices;
}

static const char *find_line(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	return at ? at + strlen(key) + strspn(at + strlen(key), " \t") : "";
}

uint64_t watch_parse_nivcsw(const char *text)
{
	return strtoull(find_line(text, "\nnonvoluntary_ctxt_switches:"), NULL, 10);
}

char watch_parse_state(const char *text)
{
	return *find_line(text, "\nState:");
}

uint64_t watch_cpu_ns(const struct watch *w)
{
	/* Linux's encoding of "the CPU clock of process pid". */
	clockid_t id = (clockid_t)((~(unsigned)w->pid << 3) | CPU_CLOCK_BITS);
	struct timespec t = { 0 };
	if (clock_gettime(id, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void read_threads(const struct watch *w, struct watch_counts *out)
{
	char text[TEXT_BYTES];
	for (size_t i = 0; i < w->nr; i++) {
		read_now(w->stats[i], text);
		watch_parse_schedstat(out, text);
		if (w->nr == 1)
			continue;
		read_now(w->states[i], text);
		out->nivcsw += watch_parse_nivcsw(text);
	}
	if (w->nr == 1)
		out->nivcsw = out->slices;
	read_now(w->own, text);
	watch_parse_schedstat(out, text);
}

void watch_read(const struct watch *w, struct watch_counts *out)
{
	*out = (struct watch_counts){ 0 };
	read_threads(w, out);
	out->cpu_ns = watch_cpu_ns(w);
}

bool watch_lost_main(const struct watch *w)
{
	char text[TEXT_BYTES];
	for (size_t i = 0; i < w->nr; i++) {
		if (w->tids[i] != w->pid)
			continue;
		read_now(w->states[i], text);
		return watch_parse_state(text) == 'Z';
	}
	return false;
}

bool watch_has_all(const struct watch *w)
{
	char text[TEXT_BYTES];
	for (size_t i = 0; i < w->nr; i++) {
		read_now(w->states[i], text);
		const char state = watch_parse_state(text);
		if (state == 0 || state == 'Z' || state == 'X')
			return false;
	}
	return w->nr > 0;
}

bool watch_is_busy(const struct watch *w)
{
	char text[TEXT_BYTES];
	for (size_t i = 0; i < w->nr; i++) {
		read_now(w->states[i], text);
		if (watch_parse_state(text) == 'R')
			return true;
	}
	return false;
}
