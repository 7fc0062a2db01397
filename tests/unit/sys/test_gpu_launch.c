#include "sys/gpu_launch.h"

#include <string.h>

#include "test.h"

/* A kernel with one parameter of eight bytes. */
static uint64_t put_kernel(unsigned char *bytes, const char *name)
{
	struct gpu_launch *l = (void *)bytes;
	const uint32_t name_bytes = (uint32_t)strlen(name) + 1;
	const uint64_t len = sizeof(*l) + gpu_record_padded(name_bytes) + sizeof(struct gpu_param) +
			     sizeof(uint64_t);
	memset(bytes, 0, len);
	l->bytes = (uint32_t)len;
	l->kind = GPU_LAUNCH_KERNEL;
	l->name_bytes = name_bytes;
	l->nr_params = 1;
	l->param_bytes = sizeof(uint64_t);
	memcpy(l + 1, name, name_bytes);
	const struct gpu_param p = { .offset = 0, .bytes = sizeof(uint64_t) };
	memcpy((char *)(l + 1) + gpu_record_padded(name_bytes), &p, sizeof(p));
	return len;
}

TEST(a_record_is_taken_apart)
{
	_Alignas(8) unsigned char bytes[512];
	struct gpu_record r;
	const uint64_t len = put_kernel(bytes, "scale");
	CHECK_INT(gpu_record_at(bytes, len, 0, &r), 0);
	CHECK_TEXT(r.name, "scale");
	CHECK_INT(r.params[0].bytes, 8);
	CHECK_INT(r.values - bytes, len - 8);
}

TEST(a_record_that_is_torn_is_none)
{
	_Alignas(8) unsigned char bytes[512];
	struct gpu_record r;
	const uint64_t len = put_kernel(bytes, "scale");
	for (uint64_t cut = 0; cut < len; cut++)
		CHECK_INT(gpu_record_at(bytes, cut, 0, &r), -1);
	CHECK_INT(gpu_record_at(bytes, len, 4, &r), -1);
	CHECK_INT(gpu_record_at(bytes, len, UINT64_MAX - 7, &r), -1);
}

TEST(a_record_whose_parts_do_not_fit_is_none)
{
	_Alignas(8) unsigned char bytes[512];
	struct gpu_launch *l = (void *)bytes;
	struct gpu_record r;
	const uint64_t len = put_kernel(bytes, "scale");
	l->param_bytes = UINT32_MAX;
	CHECK_INT(gpu_record_at(bytes, len, 0, &r), -1);
	put_kernel(bytes, "scale");
	l->nr_params = UINT32_MAX;
	CHECK_INT(gpu_record_at(bytes, len, 0, &r), -1);
	put_kernel(bytes, "scale");
	l->kind = 17;
	CHECK_INT(gpu_record_at(bytes, len, 0, &r), -1);
	put_kernel(bytes, "scale");
	((char *)(l + 1))[2] = 0; /* a name that ends early */
	CHECK_INT(gpu_record_at(bytes, len, 0, &r), -1);
	put_kernel(bytes, "scale");
	((struct gpu_param *)(void *)((char *)(l + 1) + 8))->offset = 1;
	CHECK_INT(gpu_record_at(bytes, len, 0, &r), -1);
}

TEST_MAIN()
