#include "sys/worker_env.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const passed[] = { "PATH",
				      "HOME",
				      "TMPDIR",
				      "USER",
				      "FORGE_CACHE",
				      "FORGE_LOG",
				      "FORGE_NOISE",
				      "XDG_DATA_HOME",
				      "CUDA_VISIBLE_DEVICES",
				      "FORGE_CEILINGS",
				      "FORGE_NCU",
				      "FORGE_NCU_UNBOXED",
				      "FORGE_CUDA_DRIVER",
				      "CUDA_HOME",
				      "CUDA_PATH",
				      "ASAN_OPTIONS",
				      "UBSAN_OPTIONS" };

static void add(struct strv *env, const char *name, const char *instead)
{
	const char *value = instead && instead[0] ? instead : getenv(name);
	if (value)
		strv_addf(env, "%s=%s", name, value);
}

void worker_env_add(const struct worker_env *w, struct strv *env)
{
	for (size_t i = 0; i < ARRAY_LEN(passed); i++) {
		bool is_cache = str_equal(passed[i], "FORGE_CACHE");
		bool is_gpu = str_equal(passed[i], "CUDA_VISIBLE_DEVICES");
		add(env, passed[i], is_cache ? w->cache_dir : is_gpu ? w->gpu : NULL);
	}
}
