#include "sys/perf.h"

/* One descriptor per thread and event. Events are opened one by one, not as groups: a group is
 * refused as a whole when one member does not exist, and VMs miss arbitrary members. */

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

struct perf_row {
	const char *name;
	const char *text;
	uint32_t type;
	uint64_t config;
};

static const struct perf_row rows[] = {
#define PERF_EVENT(name, type, config, text) { #name, text, type, config },
#include "sys/perf_events.def"
#undef PERF_EVENT
};

const char *perf_event_name(enum perf_event event)
{
	return rows[event].name;
}

const char *perf_event_text(enum perf_event event)
{
	return rows[event].text;
}

static int open_event(pid_t tid, const struct perf_row *row)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = row->type,
		.config = row->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_hv = 1,
		/* Kernel time of hardware events needs more rights than we ask for; software
		 * events happen in the kernel and would read 0 without it. */
		.exclude_kernel = row->type == PERF_TYPE_HARDWARE,
	};
	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			    (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static void open_thread(struct perf *p, pid_t tid)
{
	if (p->nr_threads == PERF_MAX_THREADS)
		return;
	int *fds = p->fds[p->nr_threads++];
	for (size_t i = 0; i < PERF_NR_EVENTS; i++)
		fds[i] = open_event(tid, &rows[i]);
}

static void open_threads_of(struct perf *p, pid_t pid)
{
	AUTO_FREE char *path = xasprintf("/proc/%ld/task", (long)pid);
	DIR *dir = opendir(path);
	if (!dir) {
		open_thread(p, pid);
		return;
	}
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		long tid = strtol(d->d_name, NULL, 10);
		if (tid > 0)
			open_thread(p, (pid_t)tid);
	}
	closedir(dir);
}

void perf_open(struct perf *p, pid_t pid)
{
	p->nr_threads = 0;
	if (pid == 0)
		open_thread(p, 0);
	else
		open_threads_of(p, pid);
}

/* Scaled value of one counter; false if it never ran. */
static bool read_event(int fd, double *value)
{
	uint64_t v[3] = { 0 }; /* value, time enabled, time running */
	if (fd < 0 || read(fd, v, sizeof(v)) != (ssize_t)sizeof(v))
		return false;
	if (v[2] == 0) {
		*value = 0;
		return v[0] == 0;
	}
	*value = (double)v[0] * ((double)v[1] / (double)v[2]);
	return true;
}

void perf_read(const struct perf *p, struct perf_counts *out)
{
	*out = (struct perf_counts){ 0 };
	for (size_t i = 0; i < PERF_NR_EVENTS; i++) {
		out->has[i] = p->nr_threads > 0;
		for (size_t t = 0; t < p->nr_threads; t++) {
			double value = 0;
			out->has[i] = read_event(p->fds[t][i], &value) && out->has[i];
			out->value[i] += value;
		}
	}
}

void perf_close(struct perf *p)
{
	for (size_t t = 0; t < p->nr_threads; t++)
		for (size_t i = 0; i < PERF_NR_EVENTS; i++)
			if (p->fds[t][i] >= 0)
				close(p->fds[t][i]);
	p->nr_threads = 0;
}

struct perf_counts perf_delta(const struct perf_counts *from, const struct perf_counts *to)
{
	struct perf_counts d = { 0 };
	for (size_t i = 0; i < PERF_NR_EVENTS; i++) {
		d.has[i] = from->has[i] && to->has[i];
		d.value[i] = d.has[i] ? to->value[i] - from->value[i] : 0;
	}
	return d;
}

bool perf_event_is_available(enum perf_event event)
{
	int fd = open_event(0, &rows[event]);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}
