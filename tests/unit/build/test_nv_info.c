#include "build/nv_info.h"

#include <string.h>

#include "base/err.h"
#include "build/leaf.h"
#include "test.h"

/* An attribute as the assembler writes it: format 4, kind, length, bytes. */
static size_t put(char *to, unsigned char kind, const void *bytes, unsigned char len)
{
	const char head[] = { 4, (char)kind, (char)len, 0 };
	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), bytes, len);
	return sizeof(head) + len;
}

static size_t put_param(char *to, unsigned short ordinal, unsigned short offset, unsigned size)
{
	char bytes[12] = { 0 };
	const unsigned word = size << 18 | 0x1f000;
	memcpy(bytes + 4, &ordinal, 2);
	memcpy(bytes + 6, &offset, 2);
	memcpy(bytes + 8, &word, 4);
	return put(to, 0x17, bytes, sizeof(bytes));
}

static struct leaf leaf_of(struct section *s, const char *bytes, size_t len)
{
	*s = (struct section){ .name = ".nv.info.scale", .size = len, .bytes = bytes };
	return (struct leaf){ .sections = s, .nr_sections = 1 };
}

TEST(parameters_are_read_in_any_order)
{
	static struct nv_params p;
	char bytes[128];
	struct section s;
	struct err e = { 0 };
	size_t len = put(bytes, 0x2f, "abcdefgh", 8);
	len += put_param(bytes + len, 1, 8, 4);
	memcpy(bytes + len, "\3\x1b\x40\0", 4); /* a format without a length */
	len += 4;
	len += put_param(bytes + len, 0, 0, 8);
	const struct leaf o = leaf_of(&s, bytes, len);
	CHECK_OK(nv_info_params(&o, "scale", &p, &e));
	CHECK_INT(p.nr, 2);
	CHECK_INT(p.items[0].bytes, 8);
	CHECK_INT(p.items[1].offset, 8);
	CHECK_INT(p.items[1].bytes, 4);
	CHECK_INT(p.bytes, 12);
}

TEST(a_kernel_without_parameters_has_none)
{
	static struct nv_params p;
	struct section s;
	struct err e = { 0 };
	const struct leaf o = leaf_of(&s, "", 0);
	CHECK_OK(nv_info_params(&o, "scale", &p, &e));
	CHECK_INT(p.nr, 0);
}

TEST(what_does_not_hold_together_is_refused)
{
	static struct nv_params p;
	char bytes[128];
	struct section s;
	struct err e = { 0 };
	size_t len = put_param(bytes, 0, 0, 8);
	struct leaf o = leaf_of(&s, bytes, len - 1);
	CHECK_INT(nv_info_params(&o, "scale", &p, &e), -1);
	o = leaf_of(&s, bytes, len);
	CHECK_INT(nv_info_params(&o, "other", &p, &e), -1);
	len = put_param(bytes, 2, 0, 8); /* the first two are missing */
	o = leaf_of(&s, bytes, len);
	CHECK_INT(nv_info_params(&o, "scale", &p, &e), -1);
	len = put_param(bytes, 0, 0, 8);
	len += put_param(bytes + len, 1, 4, 8); /* overlap */
	o = leaf_of(&s, bytes, len);
	CHECK_INT(nv_info_params(&o, "scale", &p, &e), -1);
}

TEST_MAIN()
