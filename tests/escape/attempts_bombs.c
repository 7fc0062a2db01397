/* Using the machine up. Each has a bound of its own, a little above the limit that it tries to
 * break, so that a sandbox that fails costs no more than the test. */
#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_BYTES = 1 << 20, SPARE_TASKS = 64, NR_CHILDREN = 4, DEAD_AFTER_S = 20 };

static uint64_t bound(uint64_t limit)
{
	return limit + limit / 2;
}

enum outcome fork_bomb(const struct scene *s, struct report *r)
{
	uint32_t nr = 0;
	if (!s->nr_tasks && s->place != PLACE_KERNEL)
		return note(r, CANNOT, "no limit of processes for this user here (pids_cgroup)");
	while (nr < s->nr_tasks + SPARE_TASKS) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid == 0) {
			alarm(DEAD_AFTER_S);
			pause();
			_exit(0);
		}
		nr++;
	}
	int error = errno;
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM); /* our own process group */
	return note(r, nr > s->nr_tasks ? ESCAPED : HELD, "%u processes, then %s", nr,
		    strerror(error));
}

static uint64_t touch(uint64_t max)
{
	uint64_t done = 0;
	while (done < max) {
		char *at = mmap(NULL, STEP_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			break;
		memset(at, 1, STEP_BYTES);
		done += STEP_BYTES;
	}
	return done;
}

enum outcome memory_bomb(const struct scene *s, struct report *r)
{
	uint64_t got = touch(bound(s->memory_bytes));
	if (!s->memory_bytes)
		return note(r, CANNOT, "no limit of memory here");
	return note(r, got > s->memory_bytes ? ESCAPED : HELD, "%lu MiB touched",
		    (unsigned long)(got >> 20));
}

/* Children tell by a byte for each step, and keep what they have until all are done. */
enum outcome memory_bomb_of_many(const struct scene *s, struct report *r)
{
	int ends[2];
	uint64_t got = 0;
	char bytes[4096];
	ssize_t n = 0;
	pid_t ended = 0;
	if (!s->has_memory_group || !s->nr_tasks)
		return note(r, CANNOT, "no memory_cgroup for this user here");
	if (pipe(ends) < 0)
		return judge(r, false, "pipe");
	for (int i = 0; i < NR_CHILDREN; i++) {
		if (fork())
			continue;
		alarm(DEAD_AFTER_S);
		for (uint64_t done = 0; done < bound(s->memory_bytes) / NR_CHILDREN;
		     done += STEP_BYTES)
			if (touch(STEP_BYTES) < STEP_BYTES || write(ends[1], "x", 1) != 1)
				break;
		close(ends[1]);
		pause();
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], bytes, sizeof(bytes))) > 0)
		got += (uint64_t)n * STEP_BYTES;
	/* What one that was killed had touched, the others had again. */
	for (int i = 0; i < 20 && ended == 0; i++) {
		ended = waitpid(-1, NULL, WNOHANG);
		usleep(50000);
	}
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	if (ended > 0)
		return note(r, HELD, "one was killed");
	return note(r, got > s->memory_bytes ? ESCAPED : HELD, "%lu MiB touched",
		    (unsigned long)(got >> 20));
}

static uint64_t fill(int fd, uint64_t max)
{
	static char block[STEP_BYTES];
	uint64_t done = 0;
	memset(block, 1, sizeof(block));
	while (fd >= 0 && done < max) {
		ssize_t n = write(fd, block, sizeof(block));
		if (n <= 0)
			break;
		done += (uint64_t)n;
	}
	return done;
}

enum outcome memory_file_bomb(const struct scene *s, struct report *r)
{
	uint64_t got = 0;
	if (!s->has_memory_group && s->place != PLACE_KERNEL)
		return note(r, CANNOT, "no memory_cgroup for this user here");
	for (int i = 0; i < 8 && got < bound(s->memory_bytes); i++)
		got += fill((int)syscall(SYS_memfd_create, "m", 0U), s->memory_bytes / 4);
	return note(r, got > s->memory_bytes ? ESCAPED : HELD, "%lu MiB held",
		    (unsigned long)(got >> 20));
}

enum outcome fill_tmp(const struct scene *s, struct report *r)
{
	static const char *const dirs[] = { "/tmp",   "/dev/shm", "/dev", "",
					    "/agent", "/var/tmp", "/run" };
	char path[SCENE_PATH];
	uint64_t got = 0;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s.fill", dirs[i], s->mark);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		got += fill(fd, bound(s->tmp_bytes) + STEP_BYTES);
	}
	return note(r, got > s->tmp_bytes ? ESCAPED : HELD, "%lu MiB written",
		    (unsigned long)(got >> 20));
}

enum outcome fill_workspace(const struct scene *s, struct report *r)
{
	char path[64];
	uint64_t got = 0;
	for (int i = 0; i < 64 && got < 4 * s->disk_bytes + STEP_BYTES; i++) {
		snprintf(path, sizeof(path), "fill.%d", i);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd < 0)
			break;
		got += fill(fd, s->disk_bytes / 4 + STEP_BYTES);
		usleep(400000);
	}
	return note(r, got > 2 * s->disk_bytes ? ESCAPED : HELD, "%lu MiB written",
		    (unsigned long)(got >> 20));
}
