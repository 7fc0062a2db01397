#include "sys/gpu_launch.h"

#include <stdbool.h>
#include <string.h>

uint64_t gpu_record_padded(uint64_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static bool params_fit(const struct gpu_record *r)
{
	const uint32_t len = r->launch->param_bytes;
	for (uint32_t i = 0; i < r->launch->nr_params; i++)
		if (r->params[i].offset > len || r->params[i].bytes > len - r->params[i].offset)
			return false;
	return true;
}

static bool has_sizes(const struct gpu_launch *l)
{
	const uint64_t wanted = sizeof(*l) + gpu_record_padded(l->name_bytes) +
				l->nr_params * sizeof(struct gpu_param) +
				gpu_record_padded(l->param_bytes);
	return l->name_bytes <= GPU_LAUNCH_MAX_NAME && l->nr_params <= GPU_LAUNCH_MAX_PARAMS &&
	       l->param_bytes <= GPU_LAUNCH_MAX_PARAM_BYTES && l->bytes == wanted;
}

static bool is_sound(const struct gpu_record *r)
{
	const struct gpu_launch *l = r->launch;
	switch (l->kind) {
	case GPU_LAUNCH_KERNEL:
		return l->name_bytes > 1 && strnlen(r->name, l->name_bytes) == l->name_bytes - 1 &&
		       params_fit(r);
	case GPU_LAUNCH_MEMSET:
		return l->name_bytes == 0 && l->nr_params == 0 && l->param_bytes == 0;
	case GPU_LAUNCH_TENSOR:
		return l->name_bytes == 0 && l->nr_params == 0 &&
		       l->param_bytes == sizeof(struct gpu_tensor);
	default:
		return false;
	}
}

int gpu_record_at(unsigned char *bytes, uint64_t len, uint64_t at, struct gpu_record *out)
{
	if (at > len || len - at < sizeof(struct gpu_launch) || at % 8)
		return -1;
	struct gpu_launch *l = (void *)(bytes + at);
	if (!has_sizes(l) || l->bytes > len - at)
		return -1;
	out->launch = l;
	out->name = (char *)(l + 1);
	out->params = (void *)(out->name + gpu_record_padded(l->name_bytes));
	out->values = (unsigned char *)(out->params + l->nr_params);
	return is_sound(out) ? 0 : -1;
}
