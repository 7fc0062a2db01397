/*
 * One contestant of bench/tuner: linked with a kernel (or a library's wrapper) and the shim, run as
 * a process of its own. Arguments are files with the operands of one shape each, mapped shared: all
 * contestants work on the same memory. Built without the project's headers, since it is compiled
 * where the contestants are.
 *
 *   party FILE...         stdin: "prepare S", "time S", "finish S"; stdout: nanoseconds of that
 * call
 *
 * A wrapper may define what prepares operands in a form of its own (not timed), pushes it out of
 * the caches, and brings the result back.
 */
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_SHAPES = 32, MAX_ARGS = 64, LINE_BYTES = 64 };

void forge_entry(void *const *args);
__attribute__((weak)) void party_prepare(void *const *args);
__attribute__((weak)) void party_flush(void *const *args, void (*flush)(const void *, size_t));
__attribute__((weak)) void party_finish(void *const *args);

/* As bench/contest.h writes it. */
struct head {
	uint64_t nr_args;
	uint64_t offset[MAX_ARGS];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void map_operands(const char *path, void **args)
{
	struct stat info;
	int fd = open(path, O_RDWR);
	if (fd < 0 || fstat(fd, &info) < 0)
		die(path);
	unsigned char *at = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_POPULATE, fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	const struct head *head = (const struct head *)(void *)at;
	for (size_t i = 0; i < head->nr_args && i < MAX_ARGS; i++)
		args[i] = at + head->offset[i];
}

static void flush(const void *from, size_t len)
{
	const char *at = from;
	for (size_t i = 0; i < len; i += LINE_BYTES)
		_mm_clflush(at + i);
	_mm_mfence();
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t timed_call(void *const *args)
{
	if (party_flush)
		party_flush(args, flush);
	uint64_t start_ns = now_ns();
	forge_entry(args);
	return now_ns() - start_ns;
}

static uint64_t obey(const char *order, void *const *args)
{
	if (!strcmp(order, "time"))
		return timed_call(args);
	if (!strcmp(order, "prepare") && party_prepare)
		party_prepare(args);
	if (!strcmp(order, "finish") && party_finish)
		party_finish(args);
	return 0;
}

int main(int argc, char **argv)
{
	static void *args[MAX_SHAPES][MAX_ARGS];
	for (int i = 1; i < argc && i <= MAX_SHAPES; i++)
		map_operands(argv[i], args[i - 1]);
	char order[16];
	unsigned shape = 0;
	while (scanf("%15s %u", order, &shape) == 2 && shape < MAX_SHAPES) {
		printf("%llu\n", (unsigned long long)obey(order, args[shape]));
		fflush(stdout);
	}
	return 0;
}
