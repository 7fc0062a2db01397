#include "worker/gpu_kernels.h"

/* The source is carried inside the worker, so that a bare GPU host needs nothing but nvcc. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/cuda_toolkit.h"
#include "sys/proc.h"
#include "worker/worker.h"

__asm__(".pushsection .rodata\n"
	".global gpu_kernels_source\n"
	"gpu_kernels_source:\n"
	".incbin \"runner/gpu/device.cu\"\n"
	".byte 0\n"
	".popsection\n");
extern const char gpu_kernels_source[];

#define COMPILE_NS (120 * NS_PER_S)

static char *keep_dir(const struct worker *w)
{
	const char *home = getenv("HOME");
	if (w->cache_dir)
		return path_join(w->cache_dir, "gpu");
	if (home && *home)
		return path_join(home, ".cache/forge/gpu");
	return path_join(w->bundle, "work/gpu");
}

static int compile(const char *toolkit, const char *arch, const char *from, const char *to,
		   struct err *e)
{
	AUTO_FREE char *nvcc = xasprintf("%s/bin/nvcc", toolkit);
	AUTO_FREE char *target = xasprintf("-arch=%s", arch);
	const char *const argv[] = { nvcc, "-O3", target, "-cubin", "-o", to, from, NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = COMPILE_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (proc_run(&r, &spec, e) < 0)
		return -1;
	if (proc_result_is_ok(&r))
		return 0;
	return err_set(e, ERR_CHILD, "nvcc does not compile the device library's kernels: %.300s",
		       r.err.text);
}

/* Under another name first: two workers may do it at once. */
static int make(const char *dir, const char *arch, const char *path, struct err *e)
{
	AUTO_FREE char *toolkit = cuda_toolkit_find(e);
	AUTO_FREE char *source = xasprintf("%s/device-%ld.cu", dir, (long)getpid());
	AUTO_FREE char *made = xasprintf("%s/device-%ld.cubin", dir, (long)getpid());
	if (!toolkit || dir_make(dir, e) < 0 || file_write_text(source, gpu_kernels_source, e) < 0)
		return -1;
	int rc = compile(toolkit, arch, source, made, e);
	unlink(source);
	if (rc == 0 && rename(made, path) < 0)
		rc = err_errno(e, ERR_SYSTEM, "rename %s", made);
	return rc;
}

char *gpu_kernels_find(const struct worker *w, struct err *e)
{
	char arch[16];
	if (cuda_toolkit_arch(&w->task, arch, e) < 0)
		return NULL;
	const struct digest d = digest_bytes(gpu_kernels_source, strlen(gpu_kernels_source));
	AUTO_FREE char *dir = keep_dir(w);
	AUTO_FREE char *path = xasprintf("%s/device-%.16s-%s.cubin", dir, d.hex, arch);
	if (!file_exists(path) && make(dir, arch, path, e) < 0)
		return NULL;
	return take_ptr(&path);
}
