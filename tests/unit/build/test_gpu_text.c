#include <elf.h>
#include <stdint.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/compile_cuda.h"
#include "build/fatbin.h"
#include "build/leaf.h"
#include "build/ptx.h"
#include "build/ptxas_report.h"
#include "build/sass.h"
#include "build/shim.h"
#include "model/task.h"
#include "test.h"

/* Readers of what the CUDA tools print and embed; samples in tests/data/cuda. */

static void sample(const char *name, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join("tests/data/cuda", name);
	CHECK_OK(file_read(path, 1 << 20, out, &e));
}

static long fact(const json_t *facts, const char *name)
{
	const json_t *value = json_object_get(facts, name);
	if (!json_is_integer(value))
		printf("# no fact %s\n", name);
	CHECK(json_is_integer(value));
	return (long)json_integer_value(value);
}

TEST(a_report_of_ptxas_is_read_kernel_by_kernel)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_PTXAS_REPORT struct ptxas_report r;
	sample("ptxas.txt", &text);
	CHECK_OK(ptxas_report_parse(&r, text.text, &e));
	CHECK_INT(r.nr, 2);
	const struct ptxas_kernel *one = ptxas_report_find(&r, "_Z4sum1PKfPfl");
	const struct ptxas_kernel *two = ptxas_report_find(&r, "_Z4sum2PKfPfl");
	CHECK(one && two && !ptxas_report_find(&r, "_Z4sum3PKfPfl"));
	CHECK_INT(one->registers, 18);
	CHECK_INT(one->barriers, 1);
	CHECK_INT(one->shared_bytes, 1024);
	CHECK_INT(one->stack_bytes + one->spill_load_bytes + one->spill_store_bytes, 0);
	CHECK(!one->is_serialized);
	CHECK_INT(two->registers, 255);
	CHECK_INT(two->stack_bytes, 96);
	/* with those of the function it calls */
	CHECK_INT(two->spill_store_bytes, 44);
	CHECK_INT(two->spill_load_bytes, 60);
	CHECK(two->is_serialized);
}

TEST(facts_of_a_report_are_the_most_of_any_kernel)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_PTXAS_REPORT struct ptxas_report r;
	AUTO_JSON json_t *facts = json_object();
	sample("ptxas.txt", &text);
	CHECK_OK(ptxas_report_parse(&r, text.text, &e));
	ptxas_report_facts(&r, facts);
	CHECK_INT(fact(facts, "registers"), 255);
	CHECK_INT(fact(facts, "static_shared_bytes"), 1024);
	CHECK_INT(fact(facts, "spill_store_bytes"), 44);
	CHECK_INT(fact(facts, "serialized_kernels"), 1);
}

TEST(a_report_that_says_a_thing_twice_or_half_is_refused)
{
#define ENTRY(name) "ptxas info    : Compiling entry function '" name "' for 'sm_90a'\n"
#define USED "ptxas info    : Used 8 registers, 16 bytes cmem[0]\n"
	static const struct {
		const char *text;
		const char *why;
	} rows[] = {
		{ ENTRY("a") USED ENTRY("a") USED, "kernel a stands twice" },
		{ ENTRY("a") USED USED, "kernel a is counted twice" },
		{ ENTRY("a") ENTRY("b") USED, "kernel a is not counted" },
		{ ENTRY("a"), "kernel a is not counted" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		AUTO_PTXAS_REPORT struct ptxas_report r;
		CHECK(ptxas_report_parse(&r, rows[i].text, &e) < 0);
		CHECK(strstr(e.text, rows[i].why));
	}
}

TEST(lines_of_others_are_no_report)
{
	struct err e = { 0 };
	AUTO_PTXAS_REPORT struct ptxas_report r;
	CHECK_OK(ptxas_report_parse(&r,
				    USED "kernel.cu(3): Used 99 registers\n" ENTRY("k") USED
				    "note: ptxas info    : Used 9 registers\n"
				    "ptxas info",
				    &e));
	CHECK_INT(r.nr, 1);
	CHECK_INT(r.kernels[0].registers, 8);
}

static const struct {
	const char *name;
	long value;
} sass_rows[] = {
	{ "sass_instructions", 29 }, { "sass_hgmma", 1 },   { "sass_ffma", 2 },
	{ "sass_hfma2", 1 },         { "sass_mufu", 1 },    { "sass_ldg", 2 },
	{ "sass_ldg_128", 1 },       { "sass_stg", 1 },     { "sass_stg_128", 1 },
	{ "sass_ldgsts", 1 },        { "sass_utmaldg", 1 }, { "sass_utmastg", 1 },
	{ "sass_lds", 2 },           { "sass_ldsm", 1 },    { "sass_sts", 1 },
	{ "sass_ldl", 1 },           { "sass_stl", 1 },     { "sass_bar", 1 },
	{ "sass_shfl", 1 },          { "sass_red", 0 },     { "sass_redg", 1 },
	{ "sass_branches", 1 },      { "sass_atomics", 0 }, { "sass_utc_mma", 0 },
};

TEST(machine_instructions_are_counted_by_opcode_and_modifier)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_JSON json_t *facts = json_object();
	sample("nvdisasm.txt", &text);
	sass_facts(text.text, facts);
	for (size_t i = 0; i < ARRAY_LEN(sass_rows); i++) {
		if (fact(facts, sass_rows[i].name) != sass_rows[i].value)
			printf("# %s\n", sass_rows[i].name);
		CHECK_INT(fact(facts, sass_rows[i].name), sass_rows[i].value);
	}
	const char *at = NULL;
	size_t len = 0;
	CHECK(!sass_reads_clock(text.text, &at, &len));
}

TEST(the_other_tool_writes_the_same_lines)
{
	const char *at = NULL;
	size_t len = 0;
	AUTO_STR struct str text = STR_INIT;
	AUTO_JSON json_t *facts = json_object();
	sample("cuobjdump.txt", &text);
	sass_facts(text.text, facts);
	CHECK_INT(fact(facts, "sass_instructions"), 4);
	CHECK(sass_reads_clock(text.text, &at, &len));
	CHECK(str_starts(at, "CS2R R2, SR_CLOCKLO") && len < 30);
}

TEST(an_instruction_is_its_word_behind_a_predicate)
{
	struct sass_insn in;
	static const char line[] = "        /*0050*/         @!UP0 LDG.E.64.128B.X R4, [R2] ;";
	CHECK(sass_line(line, strlen(line), &in));
	CHECK(sass_is(&in, "LDG", NULL) && sass_is(&in, "LDG", "64") && sass_is(&in, "LDG", "X"));
	CHECK(!sass_is(&in, "LDG", "128") && !sass_is(&in, "LD", NULL));
	CHECK(sass_is(&in, "LD*", NULL) && sass_is(&in, "L*G", NULL) && !sass_is(&in, "L*S", NULL));
	static const char *const none[] = { "",         "/*0050*/",     " /* 0x12 */ LDG R1 ;",
					    "LDG R1 ;", "/*0050*/ ;",   "/*zz*/ LDG R1 ;",
					    "/*",       "/*0050* LDG;", "/*0050*/ LDG R1" };
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		CHECK(!sass_line(none[i], strlen(none[i]), &in));
}

TEST(no_listing_has_no_facts)
{
	AUTO_JSON json_t *facts = json_object();
	sass_facts("", facts);
	ptx_facts("// nothing\n", facts);
	CHECK_INT(json_object_size(facts), 0);
}

TEST(ptx_instructions_are_counted_without_comments)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str what = STR_INIT;
	AUTO_JSON json_t *facts = json_object();
	sample("kernel.ptx", &text);
	ptx_facts(text.text, facts);
	CHECK_INT(fact(facts, "ptx_wgmma"), 1);
	CHECK_INT(fact(facts, "ptx_mma"), 1);
	CHECK_INT(fact(facts, "ptx_cp_async"), 1);
	CHECK_INT(fact(facts, "ptx_bulk_copies"), 1);
	CHECK_INT(fact(facts, "ptx_global_loads"), 2);
	CHECK_INT(fact(facts, "ptx_global_loads_v4"), 1);
	CHECK_INT(fact(facts, "ptx_global_stores_v4"), 1);
	CHECK_INT(fact(facts, "ptx_barriers"), 1);
	CHECK(!ptx_is_forbidden(text.text, &what));
}

TEST(clocks_counters_and_breakpoints_are_seen_wherever_they_stand)
{
	static const char *const refused[] = {
		"mov.u32 %r1, %clock;",
		"{ mov.u64 %rd1, %clock64; }",
		"LABEL: @%p1 mov.u32 %r1,%clock_hi ;",
		"mov.u64\n\t%rd1,\n\t%globaltimer;",
		"mov.u32 %r1, %globaltimer_lo;",
		"mov.u32 %r1, %pm3;",
		".entry f() { brkpt; }",
		"/* %tid */ mov.u32 %r1, %clock/* */;",
		"pmevent 1;",
	};
	static const char *const fine[] = {
		"mov.u32 %r1, %tid.x; // %clock",
		"mov.u32 %r1, %clocks;",
		"mov.u32 %r1, %pmax;",
		"call.uni brkpt_like;",
		"nanosleep.u32 100;",
		"/* mov.u32 %r1, %clock; */ ret;",
	};
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		AUTO_STR struct str what = STR_INIT;
		if (!ptx_is_forbidden(refused[i], &what))
			printf("# %s\n", refused[i]);
		CHECK(ptx_is_forbidden(refused[i], &what) && what.len);
	}
	for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
		AUTO_STR struct str what = STR_INIT;
		if (ptx_is_forbidden(fine[i], &what))
			printf("# %s\n", fine[i]);
		CHECK(!what.len);
	}
}

/* --- embedded device code --- */

struct image {
	uint16_t kind;
	uint16_t version;
	uint32_t head_bytes;
	uint64_t bytes;
	uint32_t packed;
	uint32_t reserved;
	uint16_t minor;
	uint16_t major;
	uint32_t arch;
	unsigned char more[24];
};

static void put_image(struct str *out, unsigned kind, unsigned arch, const char *bytes)
{
	const struct image head = { .kind = (uint16_t)kind,
				    .head_bytes = sizeof(head),
				    .bytes = strlen(bytes),
				    .arch = arch };
	str_add_len(out, (const char *)&head, sizeof(head));
	str_add(out, bytes);
}

static void put_container(struct str *out, const struct str *images)
{
	const struct {
		uint32_t magic;
		uint16_t version;
		uint16_t head_bytes;
		uint64_t bytes;
	} head = { 0xba55ed50U, 1, 16, images->len };
	str_add_len(out, (const char *)&head, sizeof(head));
	str_add_len(out, images->text, images->len);
}

TEST(images_are_found_in_every_container)
{
	struct err e = { 0 };
	struct fatbin_image image;
	AUTO_STR struct str images = STR_INIT;
	AUTO_STR struct str all = STR_INIT;
	size_t at = 0;
	put_image(&images, FATBIN_ELF, 90, "12345678");
	put_image(&images, FATBIN_PTX, 80, "abcdefgh");
	put_container(&all, &images);
	str_add_len(&all, "\0\0\0\0\0\0\0\0", 8);
	put_container(&all, &images);
	for (unsigned round = 0; round < 2; round++) {
		CHECK_INT(fatbin_next(all.text, all.len, &at, &image, &e), 1);
		CHECK(image.kind == FATBIN_ELF && image.arch == 90 && image.len == 8);
		CHECK(memcmp(image.bytes, "12345678", 8) == 0);
		CHECK_INT(fatbin_next(all.text, all.len, &at, &image, &e), 1);
		CHECK(image.kind == FATBIN_PTX && image.arch == 80 && !image.is_compressed);
	}
	CHECK_INT(fatbin_next(all.text, all.len, &at, &image, &e), 0);
}

TEST(bytes_that_are_no_images_are_an_error)
{
	struct err e = { 0 };
	struct fatbin_image image;
	AUTO_STR struct str images = STR_INIT;
	AUTO_STR struct str all = STR_INIT;
	size_t at = 0;
	CHECK_INT(fatbin_next("hello, world: 16", 16, &at, &image, &e), -1);
	at = 0;
	CHECK_INT(fatbin_next("", 0, &at, &image, &e), 0);
	put_image(&images, FATBIN_ELF, 90, "12345678");
	put_container(&all, &images);
	for (size_t len = 1; len < all.len; len++) {
		at = 0;
		CHECK_INT(fatbin_next(all.text, len, &at, &image, &e), -1);
	}
}

TEST(a_cubin_is_read_as_an_object_of_its_machine)
{
	struct err e = { 0 };
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_shentsize = sizeof(Elf64_Shdr) };
	struct leaf o;
	CHECK(leaf_load_cubin(&o, (const char *)&head, sizeof(head), "device code", &e) < 0);
	CHECK(strstr(e.text, "device code: not a linked cubin"));
	leaf_release(&o);
	head.e_machine = EM_CUDA;
	CHECK(leaf_load_cubin(&o, (const char *)&head, sizeof(head), "device code", &e) < 0);
	CHECK(strstr(e.text, "section headers outside the file"));
	leaf_release(&o);
}

/* --- what nvcc kept --- */

TEST(a_foreign_file_is_seen_in_the_line_markers)
{
	static const struct {
		const char *text;
		const char *foreign;
	} rows[] = {
		{ "# 0 \"kernel.cu\"\n# 1 \"<built-in>\"\n# 1 \"/usr/include/math.h\" 1 3\nint "
		  "x;\n",
		  NULL },
		{ "# 1 \"/kit/forge/kernel.h\" 1\n# 2 \"/opt/cuda/include/cuda.h\" 1 3 4\n", NULL },
		{ "int x;\n# 1 \"/etc/passwd\" 1\n", "/etc/passwd" },
		{ "# 1 \"/opt/cuda/../../etc/passwd\" 1\n", "/opt/cuda/../../etc/passwd" },
		{ "# 1 \"/opt/cuda/bin/../targets/x86_64-linux/include/cuda.h\" 1\n", NULL },
		{ "# 1 \"/opt/cuda2/x.h\" 1\n", "/opt/cuda2/x.h" },
		{ "# 1 \"/home/a\\\"b\" 1\n", "/home/a\"b" },
		{ "#pragma once\n  # 1 \"/etc/passwd\"\n#define X \"/etc/passwd\"\n", NULL },
		{ "# 1 \"/etc/passwd", "/etc/passwd" },
		{ "", NULL },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *foreign = compile_cuda_foreign(rows[i].text, "/kit", "/opt/cuda");
		if (rows[i].foreign)
			CHECK_TEXT(foreign, rows[i].foreign);
		else
			CHECK(foreign == NULL);
	}
}

TEST(the_shim_of_a_cuda_task_hands_the_stream_on)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str judge = STR_INIT;
	struct arg args[] = { { .name = "x", .role = ARG_IN, .dtype = DTYPE_BF16 },
			      { .name = "n", .role = ARG_SCALAR, .dtype = DTYPE_I64 } };
	const struct task task = {
		.language = "cuda", .entry = "kernel", .threads = 1, .args = args, .nr_args = 2
	};
	CHECK_OK(shim_source(&task, BUILD_CANDIDATE, &text, &e));
	CHECK(strstr(text.text, "void shim_target(const uint16_t *, int64_t, void *)"));
	CHECK(strstr(text.text, "void forge_entry(void *const *args, void *stream)\n{\n"
				"\tshim_target(args[0], *(const int64_t *)args[1], stream);"));
	CHECK(strstr(text.text, "int atexit("));
	CHECK_OK(shim_source(&task, BUILD_ORACLE, &judge, &e));
	CHECK(strstr(judge.text, "void forge_entry(void *const *args)\n"));
	CHECK(strstr(judge.text, "shim_target(const double *, int64_t)"));
	CHECK(!strstr(judge.text, "atexit") && !strstr(judge.text, "stream"));
}

/* --- the page --- */

static bool names(const struct str *page, const char *name)
{
	AUTO_FREE char *quoted = xasprintf("`%s`", name);
	if (!strstr(page->text, quoted))
		printf("# %s is not on the page\n", name);
	return strstr(page->text, quoted) != NULL;
}

TEST(screens_imports_and_metrics_stand_on_the_page)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/kernel-cuda.md", 1 << 20, &page, &e));
#define SCREEN(name, reason, text)                                                                 \
	CHECK(names(&page, #name));                                                                \
	CHECK(names(&page, #reason));
#include "build/screens_cuda.def"
#undef SCREEN
#define REGISTER(name) CHECK(names(&page, #name));
#define STUB(name) CHECK(names(&page, #name));
#define RUNTIME(name) CHECK(names(&page, #name));
#define REFUSED(start, why)
#include "build/imports_cuda.def"
#undef REGISTER
#undef STUB
#undef RUNTIME
#undef REFUSED
#define SASS(metric, opcode, modifier, text) CHECK(names(&page, metric));
#include "build/sass_metrics.def"
#undef SASS
#define PTX(metric, start, part, text) CHECK(names(&page, metric));
#include "build/ptx_metrics.def"
#undef PTX
#define NCU(ncu, name, kind, fold, text) CHECK(names(&page, name));
#include "model/ncu_metrics.def"
#undef NCU
}

TEST_MAIN()
