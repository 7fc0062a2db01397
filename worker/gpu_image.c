#include "worker/gpu_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/compile.h"
#include "build/leaf.h"
#include "build/screen_cuda.h"
#include "worker/outcome.h"

static int take_kernels(struct gpu_image *im, const struct leaf *cubin, struct err *e)
{
	size_t at = 0;
	im->kernels = xcalloc(screen_cuda_kernels(cubin) + 1, sizeof(*im->kernels));
	for (const struct symbol *s = NULL; (s = screen_cuda_next_kernel(cubin, &at));) {
		struct gpu_kernel *k = &im->kernels[im->nr++];
		k->name = xstrdup(s->name);
		if (nv_info_params(cubin, s->name, &k->params, e) < 0)
			return -1;
	}
	return 0;
}

int gpu_image_take(struct gpu_image *im, const struct worker *w, enum party p, struct err *e)
{
	AUTO_FREE char *object =
		xasprintf("%s/work/%s/obj/%s", w->bundle, party_name(p), COMPILE_OBJECT_NAME);
	AUTO_LEAF struct leaf leaf = { 0 };
	AUTO_LEAF struct leaf cubin = { 0 };
	struct fatbin_image image;
	*im = (struct gpu_image){ .path = xasprintf("%s/work/%s/device.cubin", w->bundle,
						    party_name(p)) };
	if (leaf_load(&leaf, object, e) < 0)
		return -1;
	if (!screen_cuda_image(&leaf, &image, e))
		return -1;
	if (leaf_load_cubin(&cubin, image.bytes, image.len, "device code", e) < 0 ||
	    take_kernels(im, &cubin, e) < 0)
		return -1;
	return file_write(im->path, image.bytes, image.len, e);
}

int gpu_image_put(const struct gpu_image *im, struct gpu_device *d, struct worker *w,
		  const char *slot, struct err *e)
{
	AUTO_FREE char *path = gpu_device_encode(im->path);
	return gpu_device_ask(d, w, NULL, e, "image slot=%s path=%s", slot, path);
}

/* "NAME=1:2:3:4:5:6:7" */
static int read_facts(struct gpu_kernel *k, const struct gpu_device *d, struct err *e)
{
	int *const out[] = { &k->registers,      &k->shared_bytes, &k->local_bytes,
			     &k->constant_bytes, &k->max_threads,  &k->max_shared_bytes,
			     &k->binary };
	size_t len = 0;
	const char *at = gpu_device_word(d, k->name, &len);
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		char *end = NULL;
		long value = at ? strtol(at, &end, 10) : 0;
		if (!at || end == at)
			return err_set(e, ERR_CHILD, "forge-gpu says nothing of kernel %.200s",
				       k->name);
		*out[i] = (int)value;
		at = *end == ':' ? end + 1 : end;
	}
	return 0;
}

int gpu_image_ask(struct gpu_image *im, struct gpu_device *d, struct worker *w, const char *slot,
		  struct err *e)
{
	for (size_t i = 0; i < im->nr; i++)
		if (gpu_device_ask(d, w, NULL, e, "functions slot=%s names=%s", slot,
				   im->kernels[i].name) < 0 ||
		    read_facts(&im->kernels[i], d, e) < 0)
			return -1;
	return 0;
}

void gpu_image_release(struct gpu_image *im)
{
	for (size_t i = 0; i < im->nr; i++)
		free(im->kernels[i].name);
	free(im->kernels);
	free(im->path);
	*im = (struct gpu_image){ 0 };
}
