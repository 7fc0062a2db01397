#include "build/nv_info.h"

/* The section .nv.info.KERNEL is a list of attributes: format, kind, and by the format two bytes or
 * a length and so many bytes. Its maker does not document it; these are the fields that tools which
 * read it agree on. A parameter's word holds its size from bit 18 on. */

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/leaf.h"

enum { FORMAT_SIZED = 4, KIND_PARAMETER = 0x17, HEAD_BYTES = 4, SIZE_SHIFT = 18 };

struct parameter {
	uint32_t index;
	uint16_t ordinal;
	uint16_t offset;
	uint32_t word;
};

static const struct section *info_of(const struct leaf *cubin, const char *kernel)
{
	AUTO_FREE char *name = xasprintf(".nv.info.%s", kernel);
	for (size_t i = 0; i < cubin->nr_sections; i++)
		if (str_equal(cubin->sections[i].name, name))
			return &cubin->sections[i];
	return NULL;
}

static int broken(struct err *e, const char *kernel, const char *what)
{
	return err_set(e, ERR_INPUT, "device code, kernel %.120s: %s", kernel, what);
}

static int take(struct nv_params *out, const char *bytes, size_t len, const char *kernel,
		struct err *e)
{
	struct parameter p;
	if (len < sizeof(p))
		return broken(e, kernel, "a parameter's record is too short");
	memcpy(&p, bytes, sizeof(p));
	const uint32_t size = p.word >> SIZE_SHIFT;
	if (p.ordinal >= GPU_LAUNCH_MAX_PARAMS || size == 0 ||
	    p.offset + size > GPU_LAUNCH_MAX_PARAM_BYTES)
		return broken(e, kernel, "a parameter beyond any limit");
	out->items[p.ordinal] = (struct gpu_param){ .offset = p.offset, .bytes = size };
	out->nr = p.ordinal + 1U > out->nr ? p.ordinal + 1U : out->nr;
	out->bytes = p.offset + size > out->bytes ? p.offset + size : out->bytes;
	return 0;
}

/* Every parameter up to the last was told of, and they follow each other. */
static int check(const struct nv_params *p, const char *kernel, struct err *e)
{
	uint32_t end = 0;
	for (size_t i = 0; i < p->nr; i++) {
		if (p->items[i].bytes == 0 || p->items[i].offset < end)
			return broken(e, kernel, "its parameters do not follow each other");
		end = p->items[i].offset + p->items[i].bytes;
	}
	return 0;
}

int nv_info_params(const struct leaf *cubin, const char *kernel, struct nv_params *out,
		   struct err *e)
{
	const struct section *s = info_of(cubin, kernel);
	memset(out, 0, sizeof(*out));
	if (!s || (s->size && !s->bytes))
		return broken(e, kernel, "says nothing of its parameters");
	for (size_t at = 0; at + HEAD_BYTES <= s->size;) {
		const unsigned char *head = (const unsigned char *)s->bytes + at;
		size_t len = head[0] == FORMAT_SIZED ? head[2] + 256U * head[3] : 0;
		at += HEAD_BYTES;
		if (len > s->size - at)
			return broken(e, kernel, "an attribute goes beyond the end");
		if (head[0] == FORMAT_SIZED && head[1] == KIND_PARAMETER &&
		    take(out, s->bytes + at, len, kernel, e) < 0)
			return -1;
		at += len;
	}
	return check(out, kernel, e);
}
