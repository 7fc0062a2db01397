#include "build/cuda_toolkit.h"

/* The folder is mounted into the compiler's jail at its own path, so it is resolved first: a link
 * would point to nothing there. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/task.h"
#include "sys/gpu.h"
#include "sys/proc.h"

char *cuda_toolkit_tool(const char *root, const char *name)
{
	AUTO_FREE char *path = xasprintf("%s/bin/%s", root, name);
	return access(path, X_OK) == 0 ? take_ptr(&path) : NULL;
}

/* The folder above bin/, when `root` holds a compiler; yours, or NULL. */
static char *resolved(const char *root)
{
	char full[PATH_MAX];
	AUTO_FREE char *nvcc = root && *root ? cuda_toolkit_tool(root, "nvcc") : NULL;
	return nvcc && realpath(root, full) ? xstrdup(full) : NULL;
}

static char *from_path(void)
{
	char full[PATH_MAX];
	AUTO_FREE char *nvcc = proc_find("nvcc");
	if (!nvcc || !realpath(nvcc, full))
		return NULL;
	AUTO_FREE char *bin = path_dir(full);
	AUTO_FREE char *root = path_dir(bin);
	return resolved(root);
}

static char *from_setup(void)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	AUTO_FREE char *root = data && *data ? xasprintf("%s/forge/cuda", data)
			       : home        ? xasprintf("%s/.local/share/forge/cuda", home)
					     : NULL;
	return resolved(root);
}

char *cuda_toolkit_find(struct err *e)
{
	static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		const char *set = getenv(variables[i]);
		char *root = resolved(set);
		if (root)
			return root;
		if (set && *set) {
			err_set(e, ERR_SYSTEM, "%s=%s has no bin/nvcc; correct or unset it",
				variables[i], set);
			return NULL;
		}
	}
	char *root = from_path();
	root = root ? root : resolved("/usr/local/cuda");
	root = root ? root : from_setup();
	if (!root)
		err_set(e, ERR_SYSTEM,
			"no nvcc on this machine; set CUDA_HOME to a CUDA toolkit, or get one by "
			"scripts/setup --cuda");
	return root;
}

int cuda_toolkit_arch(const struct task *t, char out[16], struct err *e)
{
	struct gpu gpu;
	if (t->arch && strlen(t->arch) < 16) {
		snprintf(out, 16, "%s", t->arch);
		return 0;
	}
	if (gpu_probe(&gpu, NULL, e) < 0)
		return err_wrap(e, "task.toml says no [cuda] arch, and there is no device to ask");
	gpu_arch(&gpu, out);
	return 0;
}
