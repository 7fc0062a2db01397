/*
 * forge-gpu: the device process of docs/format/gpu-runner.md for kernels that come as machine code
 * and recorded launches. Everything is in the library.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runner/gpu/forge_gpu.h"

enum { SHARED_FD = 3 };

/* A profiler that starts us may have closed the descriptor; then it is found where the worker has
 * it. */
static int shared_fd(size_t bytes)
{
	struct stat st;
	const char *path = getenv("FORGE_GPU_SHARED");
	if (fstat(SHARED_FD, &st) == 0 && (size_t)st.st_size >= bytes)
		return SHARED_FD;
	return path ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

static void *map_shared(size_t *bytes)
{
	const char *text = getenv("FORGE_GPU_SHARED_BYTES");
	*bytes = text ? strtoull(text, NULL, 10) : 0;
	if (*bytes == 0)
		return NULL;
	void *at = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd(*bytes), 0);
	return at == MAP_FAILED ? NULL : at;
}

static int serve(struct forge_gpu *g)
{
	static char reply[FORGE_GPU_REPLY_BYTES];
	char *line = NULL;
	size_t cap = 0;
	int more = 1;
	while (more == 1 && getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		more = forge_gpu_request(g, line, reply);
		if (more < 0)
			break;
		puts(reply);
		fflush(stdout);
	}
	free(line);
	/* Of a lost context nothing is cleaned up: the driver does when the process is gone. */
	if (more == 0)
		_Exit(0);
	return 0;
}

int main(int argc, char **argv)
{
	size_t bytes = 0;
	void *shared = map_shared(&bytes);
	(void)argv;
	if (argc != 1 || !shared) {
		fputs("forge-gpu is started by forge-worker and of no use by hand.\n", stderr);
		return 64;
	}
	struct forge_gpu *g = forge_gpu_new(shared, bytes);
	int rc = g ? serve(g) : 1;
	forge_gpu_free(g);
	munmap(shared, bytes);
	return rc;
}
