#include "build/fatbin.h"

/* The layout is not documented by its maker; these are the fields that tools which read it agree
 * on. A container is a head of 16 bytes and images, each behind a head of its own that says how
 * long both are. Containers follow each other at multiples of eight bytes. */

#include <string.h>

#include "base/err.h"

#define CONTAINER_MAGIC 0xba55ed50U

struct container_head {
	uint32_t magic;
	uint16_t version;
	uint16_t head_bytes;
	uint64_t bytes; /* of the images and their heads */
};

struct image_head {
	uint16_t kind;
	uint16_t version;
	uint32_t head_bytes;
	uint64_t bytes; /* behind the head */
	uint32_t packed_bytes;
	uint32_t reserved;
	uint16_t minor;
	uint16_t major;
	uint32_t arch;
};

static int broken(struct err *e, size_t at, const char *what)
{
	return err_set(e, ERR_INPUT, "embedded device code, byte %zu: %s", at, what);
}

/* Moves *at past a container's head; 0 when nothing but padding is left. */
static int enter(const char *bytes, size_t len, size_t *at, struct err *e)
{
	struct container_head head;
	while (*at < len && bytes[*at] == 0)
		++*at;
	if (*at == len)
		return 0;
	if (len - *at < sizeof(head))
		return broken(e, *at, "no room for a container");
	memcpy(&head, bytes + *at, sizeof(head));
	if (head.magic != CONTAINER_MAGIC || head.head_bytes < sizeof(head))
		return broken(e, *at, "no container begins here");
	if (head.head_bytes > len - *at || head.bytes > len - *at - head.head_bytes)
		return broken(e, *at, "a container goes beyond the end");
	*at += head.head_bytes;
	return 1;
}

static bool is_container(const char *bytes, size_t len, size_t at)
{
	uint32_t magic = 0;
	if (at < len && len - at >= sizeof(magic))
		memcpy(&magic, bytes + at, sizeof(magic));
	return magic == CONTAINER_MAGIC;
}

int fatbin_next(const char *bytes, size_t len, size_t *at, struct fatbin_image *out, struct err *e)
{
	struct image_head head;
	bool is_between =
		*at == 0 || is_container(bytes, len, *at) || (*at < len && bytes[*at] == 0);
	int rc = is_between ? enter(bytes, len, at, e) : *at < len;
	if (rc <= 0)
		return rc;
	if (len - *at < sizeof(head))
		return broken(e, *at, "no room for an image");
	memcpy(&head, bytes + *at, sizeof(head));
	if (head.head_bytes < sizeof(head) || head.head_bytes > len - *at ||
	    head.bytes > len - *at - head.head_bytes)
		return broken(e, *at, "an image goes beyond the end");
	*out = (struct fatbin_image){ .kind = head.kind,
				      .arch = head.arch,
				      .is_compressed = head.packed_bytes != 0,
				      .bytes = bytes + *at + head.head_bytes,
				      .len = head.bytes };
	*at += head.head_bytes + head.bytes;
	return 1;
}
