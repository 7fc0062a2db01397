#include "worker/gpu_recorded.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/verdict.h"
#include "test.h"

enum { ARGS = 3, BYTES = 4096 };

/* Two tensors of 256 bytes and a scalar. */
static struct footprint two_tensors(struct operand items[ARGS])
{
	items[0] = (struct operand){ .is_tensor = true, .bytes = 256 };
	items[1] = (struct operand){ .is_tensor = true, .bytes = 256 };
	items[2] = (struct operand){ .is_tensor = false };
	return (struct footprint){ .items = items, .nr = ARGS };
}

static const uint64_t place_one[ARGS] = { 0x100000000000, 0x140000000000, 0 };
static const uint64_t place_two[ARGS] = { 0x100000700000, 0x140000300100, 0 };

struct list {
	struct gpu_launches head;
	_Alignas(8) unsigned char bytes[BYTES];
};

static void begin(struct list *l)
{
	memset(l, 0, sizeof(*l));
}

/* A kernel whose parameters are words. */
static void add_kernel(struct list *l, const uint64_t *words, uint32_t nr)
{
	struct gpu_launch *k = (void *)(l->bytes + l->head.bytes);
	*k = (struct gpu_launch){ .kind = GPU_LAUNCH_KERNEL,
				  .grid = { 1, 1, 1 },
				  .block = { 32, 1, 1 },
				  .carveout = GPU_LAUNCH_NO_CARVEOUT,
				  .name_bytes = 6,
				  .nr_params = nr,
				  .param_bytes = 8 * nr };
	k->bytes = (uint32_t)(sizeof(*k) + 8 + nr * sizeof(struct gpu_param) + 8 * nr);
	memcpy(k + 1, "scale", 6);
	struct gpu_param *p = (void *)((char *)(k + 1) + 8);
	for (uint32_t i = 0; i < nr; i++)
		p[i] = (struct gpu_param){ .offset = 8 * i, .bytes = 8 };
	memcpy(p + nr, words, 8 * nr);
	l->head.bytes += k->bytes;
	l->head.nr++;
}

static void add_memset(struct list *l, uint64_t at)
{
	struct gpu_launch *m = (void *)(l->bytes + l->head.bytes);
	*m = (struct gpu_launch){
		.kind = GPU_LAUNCH_MEMSET, .bytes = sizeof(*m), .at = at, .width = 8
	};
	l->head.bytes += m->bytes;
	l->head.nr++;
}

static struct verdict make(struct gpu_recorded *r, const struct list *a, const struct list *b)
{
	struct operand items[ARGS];
	const struct footprint fp = two_tensors(items);
	const struct gpu_seen one = { a, &fp, place_one };
	const struct gpu_seen two = { b, &fp, place_two };
	struct verdict v = { 0 };
	gpu_recorded_make(r, &one, &two, &v);
	return v;
}

TEST(addresses_move_and_numbers_stay)
{
	struct list a;
	struct list b;
	struct gpu_recorded r;
	const uint64_t at[ARGS] = { 0x7f0000000000, 0x7f0000001000, 0 };
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0], place_one[1] + 16, 42 }, 3);
	add_kernel(&b, (uint64_t[]){ place_two[0], place_two[1] + 16, 42 }, 3);
	add_memset(&a, place_one[1]);
	add_memset(&b, place_two[1]);
	CHECK_INT(make(&r, &a, &b).state, VERDICT_NONE);
	CHECK_INT(r.nr, 3);
	CHECK_INT(r.nr_nodes, 2);
	AUTO_STR struct str out = STR_INIT;
	gpu_recorded_write(&r, at, 0, &out);
	begin(&b);
	add_kernel(&b, (uint64_t[]){ at[0], at[1] + 16, 42 }, 3);
	add_memset(&b, at[1]);
	CHECK_INT(out.len, b.head.bytes);
	CHECK(memcmp(out.text, b.bytes, out.len) == 0);
	gpu_recorded_release(&r);
}

static void add_tensor(struct list *l, uint64_t at)
{
	struct gpu_launch *k = (void *)(l->bytes + l->head.bytes);
	*k = (struct gpu_launch){ .kind = GPU_LAUNCH_TENSOR,
				  .param_bytes = sizeof(struct gpu_tensor) };
	k->bytes = (uint32_t)(sizeof(*k) + gpu_record_padded(sizeof(struct gpu_tensor)));
	struct gpu_tensor *t = (void *)(k + 1);
	t->at = at;
	t->rank = 1;
	l->head.bytes += k->bytes;
	l->head.nr++;
}

/* A call that makes two maps and gives the second to its kernel. */
static void add_mapped_call(struct list *l, const uint64_t *at, uint64_t index)
{
	struct gpu_tensor_mark mark = { .magic = { 7, 9 }, .index = index };
	uint64_t words[1 + sizeof(mark) / sizeof(uint64_t)] = { 42 };
	memcpy(l->head.magic, mark.magic, sizeof(mark.magic));
	memcpy(words + 1, &mark, sizeof(mark));
	add_tensor(l, at[0]);
	add_tensor(l, at[1]);
	add_kernel(l, words, sizeof(words) / sizeof(words[0]));
}

/* A verdict bad_launch, whatever it says. */
static bool is_refused(const struct list *a, const struct list *b)
{
	struct gpu_recorded r;
	const struct verdict v = make(&r, a, b);
	gpu_recorded_release(&r);
	return v.reason == REASON_bad_launch;
}

TEST(a_tensor_map_that_was_changed_is_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_mapped_call(&a, place_one, 2);
	add_mapped_call(&b, place_two, 2);
	CHECK(is_refused(&a, &b));
	begin(&a);
	begin(&b);
	add_mapped_call(&a, place_one, UINT64_C(1) << 40);
	add_mapped_call(&b, place_two, UINT64_C(1) << 40);
	CHECK(is_refused(&a, &b));
}

TEST(each_call_has_its_own_tensor_maps)
{
	struct list a;
	struct list b;
	struct gpu_recorded r;
	const uint64_t at[ARGS] = { 0x7f0000000000, 0x7f0000001000, 0 };
	begin(&a);
	begin(&b);
	add_mapped_call(&a, place_one, 1);
	add_mapped_call(&b, place_two, 1);
	CHECK_INT(make(&r, &a, &b).state, VERDICT_NONE);
	CHECK_INT(r.nr_tensors, 2);
	AUTO_STR struct str out = STR_INIT;
	gpu_recorded_write(&r, at, 0, &out);
	gpu_recorded_write(&r, at, 1, &out);
	begin(&b);
	add_mapped_call(&b, at, 1);
	add_mapped_call(&b, at, 3);
	CHECK_INT(out.len, b.head.bytes);
	CHECK(memcmp(out.text, b.bytes, out.len) == 0);
	gpu_recorded_release(&r);
}

TEST(a_number_that_moves_with_the_operands_is_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0], place_one[0] >> 12 }, 2);
	add_kernel(&b, (uint64_t[]){ place_two[0], place_two[0] >> 12 }, 2);
	CHECK(is_refused(&a, &b));
}

TEST(an_address_beside_an_operand_is_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0] - 8 }, 1);
	add_kernel(&b, (uint64_t[]){ place_two[0] - 8 }, 1);
	CHECK(is_refused(&a, &b));
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0] + 264 }, 1);
	add_kernel(&b, (uint64_t[]){ place_two[0] + 264 }, 1);
	CHECK(is_refused(&a, &b));
}

TEST(the_end_of_an_operand_is_an_address_of_it)
{
	struct list a;
	struct list b;
	struct gpu_recorded r;
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0] + 256 }, 1);
	add_kernel(&b, (uint64_t[]){ place_two[0] + 256 }, 1);
	CHECK_INT(make(&r, &a, &b).state, VERDICT_NONE);
	CHECK_INT(r.nr, 1);
	gpu_recorded_release(&r);
}

TEST(a_memset_of_a_fixed_address_is_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_memset(&a, 0x1000);
	add_memset(&b, 0x1000);
	CHECK(is_refused(&a, &b));
}

TEST(another_number_of_launches_is_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_memset(&a, place_one[1]);
	add_memset(&a, place_one[1]);
	add_memset(&b, place_two[1]);
	CHECK(is_refused(&a, &b));
}

TEST(other_sizes_are_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0] }, 1);
	add_kernel(&b, (uint64_t[]){ place_two[0] }, 1);
	((struct gpu_launch *)(void *)b.bytes)->grid[0] = 2;
	CHECK(is_refused(&a, &b));
}

TEST(nothing_launched_is_refused)
{
	struct list a;
	begin(&a);
	CHECK(is_refused(&a, &a));
}

TEST(what_does_not_hold_together_is_refused)
{
	struct list a;
	struct list b;
	begin(&a);
	begin(&b);
	add_kernel(&a, (uint64_t[]){ place_one[0] }, 1);
	add_kernel(&b, (uint64_t[]){ place_two[0] }, 1);
	((struct gpu_launch *)(void *)a.bytes)->param_bytes = 4000;
	CHECK(is_refused(&a, &b));
}

TEST_MAIN()
