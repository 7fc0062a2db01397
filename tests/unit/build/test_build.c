#include "build/build.h"

#include <elf.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "build/compile.h"
#include "build/disasm.h"
#include "build/layout.h"
#include "build/leaf.h"
#include "build/shim.h"
#include "fixture.h"

TEST(a_kernel_can_be_called_through_the_shim)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O3 -march=native", HEAD SCALE, &b);
	check_passes(&b);
	CHECK_INT(b.nr_so, 1);
	CHECK_TEXT(b.flags, "gcc -O3 -march=native");
	CHECK(strstr(b.compiler_version, "gcc"));
	CHECK_INT(strlen(b.object.hex), 64);
	check_called(&f, b.so_paths[0], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(clang_builds_the_same_interface)
{
	if (!has_program("clang"))
		SKIP("no clang");
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "clang -O3 -march=native", HEAD SCALE, &b);
	check_passes(&b);
	CHECK(strstr(b.compiler_version, "clang"));
	check_called(&f, b.so_paths[0], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(fast_math_does_not_change_the_floating_point_mode_of_its_loader)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -Ofast -ffast-math -march=native", HEAD SCALE, &b);
	check_passes(&b);
	check_called(&f, b.so_paths[0], "6 1f80 1f80\n");
	fixture_release(&f);
}

/* Address and code of the entry in a linked object. */
static void entry_code(const char *so, uint64_t *addr, struct str *code)
{
	AUTO_STR struct str listing = STR_INIT;
	const char *const argv[] = { "objdump", "-drwz", "--no-show-raw-insn", so, NULL };
	run_program(argv, &listing);
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, listing.text);
	for (size_t i = 0; i < d.nr_functions; i++) {
		const struct function *fn = &d.functions[i];
		if (!str_equal(fn->name, "kernel"))
			continue;
		*addr = d.insns[fn->first].addr;
		for (size_t k = fn->first; k < fn->first + fn->nr; k++)
			str_addf(code, "%s\n", d.insns[k].mnemonic);
	}
}

TEST(layouts_differ_in_address_and_not_in_instructions)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.nr_layouts = 3;
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O3 -march=native", HEAD SCALE, &b);
	check_passes(&b);
	CHECK_INT(b.nr_so, 3);
	uint64_t addr[3] = { 0 };
	AUTO_STR struct str first = STR_INIT;
	entry_code(b.so_paths[0], &addr[0], &first);
	CHECK(first.len > 0);
	for (size_t i = 1; i < 3; i++) {
		AUTO_STR struct str code = STR_INIT;
		entry_code(b.so_paths[i], &addr[i], &code);
		CHECK_TEXT(code.text, first.text);
		CHECK_INT(addr[i] % 64, 0);
	}
	CHECK(addr[0] != addr[1] && addr[1] != addr[2] && addr[0] != addr[2]);
	fixture_release(&f);
}

/* Where the entries of an object stand, as nm prints them: "ADDRESS T NAME". */
static size_t entries_of(const char *so, uint64_t *at, size_t max)
{
	AUTO_STR struct str out = STR_INIT;
	const char *const argv[] = { "nm", "-D", "--defined-only", so, NULL };
	run_program(argv, &out);
	size_t nr = 0;
	char *save = NULL;
	for (char *line = strtok_r(out.text, "\n", &save); line && nr < max;
	     line = strtok_r(NULL, "\n", &save)) {
		CHECK(strstr(line, " T forge_entry"));
		at[nr++] = strtoull(line, NULL, 16);
	}
	return nr;
}

TEST(copies_of_a_kernel_stand_at_every_line_of_512_bytes)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.nr_layouts = 2;
	f.spec.nr_copies = BUILD_MAX_COPIES;
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2", HEAD "static int once(int x) { return x; }\n" SCALE, &b);
	check_passes(&b);
	CHECK_INT(b.nr_copies, BUILD_MAX_COPIES);
	for (size_t i = 0; i < 2; i++) {
		uint64_t at[16] = { 0 };
		CHECK_INT(entries_of(b.so_paths[i], at, ARRAY_LEN(at)), BUILD_MAX_COPIES);
		bool seen[8] = { false };
		for (size_t k = 0; k < BUILD_MAX_COPIES; k++) {
			CHECK_INT(at[k] % 64, 0);
			CHECK(!seen[at[k] / 64 % 8]);
			seen[at[k] / 64 % 8] = true;
		}
		check_called(&f, b.so_paths[i], "6 1f80 1f80\n");
	}
	fixture_release(&f);
}

TEST(more_copies_than_there_are_places_are_our_error)
{
	struct err e = { 0 };
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.nr_copies = BUILD_MAX_COPIES + 1;
	CHECK_OK(file_write_text(f.source_path, SCALE, &e));
	AUTO_BUILD struct build b;
	CHECK(build_run(&b, &f.spec, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	fixture_release(&f);
}

TEST(paddings_of_one_seed_all_differ_and_follow_from_it)
{
	bool seen[LAYOUT_STEPS] = { false };
	for (unsigned i = 0; i < LAYOUT_STEPS; i++) {
		size_t padding = layout_padding(42, i);
		CHECK_INT(padding % LAYOUT_STEP_BYTES, 0);
		CHECK(!seen[padding / LAYOUT_STEP_BYTES]);
		seen[padding / LAYOUT_STEP_BYTES] = true;
	}
	CHECK_INT(layout_padding(42, 3), layout_padding(42, 3));
	CHECK(layout_padding(42, 0) != layout_padding(43, 0) ||
	      layout_padding(42, 1) != layout_padding(43, 1));
}

TEST(the_oracle_takes_doubles_for_floats)
{
	struct fixture f;
	fixture_init(&f, 1);
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(shim_source(&f.task, BUILD_ORACLE, &text, &e));
	CHECK(strstr(text.text, "const double *, double *, int64_t, double"));
	CHECK(strstr(text.text, "*(const int64_t *)args[2], *(const double *)args[3]"));
	f.spec.role = BUILD_ORACLE;
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2",
		      HEAD "void kernel(const double *x, double *y, int64_t n, double s)\n"
			   "{ for (int64_t i = 0; i < n; i++) y[i] = x[i] * s; }\n",
		      &b);
	check_passes(&b);
	fixture_release(&f);
}

TEST(an_entry_that_is_no_c_name_is_our_error)
{
	struct fixture f;
	fixture_init(&f, 1);
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	static const char *const names[] = { "a b", "", "1x", "x;y", "forge_entry", "f(void){}" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		f.task.entry = names[i];
		CHECK(shim_source(&f.task, BUILD_CANDIDATE, &text, &e) < 0);
	}
	fixture_release(&f);
}

struct refused {
	const char *source;
	enum reason reason;
	const char *names;
};

static void check_refused(const char *flags, const struct refused *r)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, flags, r->source, &b);
	if (b.verdict.reason != r->reason || !strstr(b.verdict.detail, r->names))
		printf("# %s: %s: %s\n%s", r->names, reason_name(b.verdict.reason),
		       b.verdict.detail, b.log);
	CHECK_INT(b.verdict.reason, r->reason);
	CHECK(strstr(b.verdict.detail, r->names));
	CHECK(!strstr(b.log, f.dir));
	CHECK(b.verdict.reason != REASON_forbidden_include || !b.log[0]);
	CHECK_INT(b.nr_so, 0);
	CHECK(b.facts && b.log && b.flags && b.compiler_version);
	fixture_release(&f);
}

TEST(a_source_that_does_not_compile_says_where)
{
	static const struct refused rows[] = {
		{ HEAD KERNEL "{ y[0] = z; }\n", REASON_compile_failed, "kernel.c:3" },
		{ "#error \"no\"\n", REASON_compile_failed, "no" },
		{ HEAD KERNEL "{ y[0] = 1 }\n", REASON_compile_failed, "kernel.c:3" },
		{ HEAD "#include <math.h>\n#define kernel other\n" KERNEL
		       "{ y[0] = (float)undefined_function(x); }\n",
		  REASON_forbidden_import, "undefined_function" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_refused("gcc -O2", &rows[i]);
	if (has_program("clang"))
		check_refused("clang -O2", &rows[0]);
}

TEST(includes_outside_the_kit_are_refused)
{
	static const struct refused rows[] = {
		{ "#include \"../reference/kernel.c\"\n" HEAD SCALE, REASON_forbidden_include,
		  "../reference/kernel.c" },
		{ "#include \"/etc/passwd\"\n" HEAD SCALE, REASON_forbidden_include,
		  "/etc/passwd" },
		{ "#include \"shim.c\"\n" HEAD SCALE, REASON_forbidden_include, "shim.c" },
		{ "#include \"/usr/share/common-licenses/BSD\"\n" HEAD SCALE,
		  REASON_forbidden_include, "BSD" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		check_refused("gcc -O2", &rows[i]);
		if (has_program("clang"))
			check_refused("clang -O2", &rows[i]);
	}
}

TEST(bytes_of_files_cannot_be_taken_in)
{
	static const struct refused rows[] = {
		{ HEAD
		  "__asm__(\".section .rodata\\n.incbin \\\"/etc/passwd\\\"\\n.text\");\n" SCALE,
		  REASON_compile_failed, "passwd" },
		{ HEAD "__asm__(\".section .rodata\\n.incbin "
		       "\\\"/proc/self/environ\\\"\\n.text\");\n" SCALE,
		  REASON_compile_failed, "environ" },
		{ HEAD "__asm__(\".section .rodata\\n.incbin \\\"/usr/share/common-licenses/BSD\\\""
		       "\\n.text\");\n" SCALE,
		  REASON_forbidden_include, "BSD" },
		{ HEAD "__asm__(\".include \\\"/etc/passwd\\\"\");\n" SCALE, REASON_compile_failed,
		  "passwd" },
		/* Not assembly, so the assembler's messages quote it and it lists nothing. */
		{ HEAD "__asm__(\".include \\\"/usr/share/common-licenses/BSD\\\"\");\n" SCALE,
		  REASON_forbidden_include, "BSD" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		check_refused("gcc -O2", &rows[i]);
		if (has_program("clang"))
			check_refused("clang -O2", &rows[i]);
	}
}

TEST(more_names_than_the_list_of_includes_may_hold_are_a_verdict)
{
	/* 8^4 names of one file, each above 256 bytes; one byte of it is taken each time. */
#define DOTS "././././././././"
	static const char names[] = ".,./.,.//.,././.,./././.,.//./.,.///.,././././.";
	AUTO_STR struct str source = STR_INIT;
	str_add(&source, HEAD "__asm__(\".section .rodata\\n\"\n");
	for (const char *name = "abcd"; *name; name++)
		str_addf(&source, "\".irp %c,%s\\n\"\n", *name, names);
	str_add(&source,
		"\".incbin \\\"/usr/include/" DOTS DOTS DOTS DOTS DOTS DOTS DOTS DOTS DOTS DOTS DOTS
			DOTS "linux/../\\\\a/linux/../\\\\b/linux/../\\\\c/linux/../\\\\d/stdint.h"
		"\\\",0,1\\n.endr\\n.endr\\n.endr\\n.endr\\n.text\");\n" SCALE);
	const struct refused row = { source.text, REASON_compile_failed, "more includes" };
	check_refused("gcc -O2", &row);
}

TEST(messages_about_files_outside_the_kit_are_found)
{
	static const struct {
		const char *log;
		const char *want;
	} rows[] = {
		{ "kernel.c:3:1: error: x\n", NULL },
		{ "In file included from kernel.c:1:\n/usr/include/math.h:9:1: error: x\n", NULL },
		{ "In file included from /usr/include/a.h:2,\n                 from kernel.c:4:\n",
		  NULL },
		{ "{standard input}: Assembler messages:\n{standard input}:27: Error: x\n", NULL },
		{ "<built-in>:1:1: note: x\nkernel.c: In function 'f':\ngcc: error: x\n", NULL },
		{ "/kit/forge/kernel.h:9:1: note: x\n/tmp/kernel-a1.s:9: Error: x\n", NULL },
		{ "kernel.c:3:1: note: x\n/etc/passwd:1:5: error: unknown type\n", "/etc/passwd" },
		{ "/usr/include/../../etc/passwd:1: Error: x\n", "/usr/include/../../etc/passwd" },
		{ "../reference/kernel.c:4:1: error: x", "../reference/kernel.c" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *found = compile_foreign_place(rows[i].log, "/kit");
		CHECK_TEXT(found ? found : "", rows[i].want ? rows[i].want : "");
	}
}

TEST(a_build_at_another_time_is_the_same)
{
	static const char source[] =
		HEAD "const char when[] = __DATE__ __TIME__ __TIMESTAMP__;\n" SCALE;
	struct digest first;
	for (int i = 0; i < 2; i++) {
		struct fixture f;
		fixture_init(&f, 1);
		AUTO_BUILD struct build b;
		fixture_build(&f, "gcc -O2", source, &b);
		check_passes(&b);
		AUTO_FREE char *leaf = path_join(f.out_dir, "obj/leaf.o");
		AUTO_STR struct str bytes = STR_INIT;
		struct err e = { 0 };
		CHECK_OK(file_read(leaf, 1 << 20, &bytes, &e));
		CHECK(memmem(bytes.text, bytes.len, "Jan  1 00:00:00 1970", 20));
		if (i)
			CHECK_TEXT(b.object.hex, first.hex);
		first = b.object;
		fixture_release(&f);
	}
}

TEST(a_compiler_bomb_is_a_verdict)
{
	static const struct refused rows[] = {
		{ HEAD "char big[1ull << 40] = { 1 };\n" SCALE, REASON_compile_failed, "" },
		{ "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))\n"
		  "int a[] = { B(B(1,)) };\n" SCALE,
		  REASON_compile_failed, "" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_refused("gcc -O1", &rows[i]);
}

TEST(a_refused_flag_is_a_verdict_and_nothing_is_built)
{
	static const struct refused row = { HEAD SCALE, REASON_forbidden_flag, "-fplugin=x.so" };
	check_refused("gcc -O2 -fplugin=x.so", &row);
}

/* A bwrap that fails as it does where user namespaces are forbidden stands first on PATH. */
static void break_bwrap(const struct fixture *f)
{
	struct err e = { 0 };
	AUTO_FREE char *program = path_join(f->dir, "bwrap");
	AUTO_FREE char *path = xasprintf("%s:%s", f->dir, getenv("PATH"));
	CHECK_OK(file_write_text(program,
				 "#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n", &e));
	CHECK(chmod(program, 0755) == 0);
	CHECK(setenv("PATH", path, 1) == 0);
}

TEST(without_a_jail_a_build_needs_leave_and_says_so)
{
	struct fixture f;
	fixture_init(&f, 1);
	struct err e = { 0 };
	break_bwrap(&f);
	AUTO_BUILD struct build weak;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &weak);
	check_passes(&weak);
	CHECK_TEXT(weak.lack, "bwrap: no namespaces here");
	CHECK_INT(json_int_or(weak.facts, "jail", -1), 0);
	check_called(&f, weak.so_paths[0], "6 1f80 1f80\n");
	AUTO_BUILD struct build bad;
	fixture_build(&f, "gcc -O2", HEAD KERNEL "{ y[0] = z; }\n", &bad);
	CHECK_INT(bad.verdict.reason, REASON_compile_failed);
	CHECK(!strstr(bad.log, f.dir));
	AUTO_BUILD struct build strict;
	f.spec.accept_weak = false;
	CHECK(build_run(&strict, &f.spec, &e) < 0);
	CHECK(strstr(e.text, "no namespaces here"));
	fixture_release(&f);
}

TEST(with_a_jail_there_is_no_lack)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &b);
	if (b.lack[0])
		SKIP(b.lack);
	CHECK_INT(json_int_or(b.facts, "jail", -1), 1);
	fixture_release(&f);
}

TEST(an_object_that_is_no_object_is_an_error)
{
	struct fixture f;
	fixture_init(&f, 1);
	struct err e = { 0 };
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &b);
	AUTO_FREE char *path = xasprintf("%s/obj/leaf.o", f.out_dir);
	AUTO_STR struct str bytes = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &bytes, &e));
	/* Cut anywhere, or with any one header byte changed: refused or read, never a crash. */
	for (size_t len = 0; len < bytes.len; len += 7) {
		AUTO_LEAF struct leaf o;
		CHECK_OK(file_write(f.source_path, bytes.text, len, &e));
		CHECK(leaf_load(&o, f.source_path, &e) < 0);
	}
	for (size_t i = 0; i < bytes.len; i += i < 64 ? 1 : 13) {
		AUTO_LEAF struct leaf o;
		bytes.text[i] = (char)(bytes.text[i] ^ 0xff);
		CHECK_OK(file_write(f.source_path, bytes.text, bytes.len, &e));
		leaf_load(&o, f.source_path, &e);
		bytes.text[i] = (char)(bytes.text[i] ^ 0xff);
	}
	fixture_release(&f);
}

/* Compile SOURCE to an object with cc's own flags, where the kernel's source would stand. */
static void give_object(struct fixture *f, const char *source, const char *how)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_FREE char *text = path_join(f->dir, "given.c");
	CHECK_OK(file_write_text(text, source, &e));
	const char *const argv[] = { "gcc", "-O2", "-fPIC",        "-fcf-protection=none",
				     how,   "-o",  f->source_path, text,
				     NULL };
	run_program(argv, &out);
}

static const char vendor[] = "#include <stdint.h>\n"
			     "void vendor_scale(const float *x, float *y, int64_t n, float s)\n"
			     "{ for (int64_t i = 0; i < n; i++) y[i] = x[i] * s; }\n";

TEST(a_reference_may_be_an_object_with_a_named_symbol)
{
	struct fixture f;
	struct err e = { 0 };
	fixture_init(&f, 1);
	give_object(&f, vendor, "-c");
	f.spec.role = BUILD_REFERENCE;
	f.spec.takes_object = true;
	f.spec.symbol = "vendor_scale";
	f.spec.nr_layouts = 2;
	f.spec.nr_copies = 2;
	AUTO_BUILD struct build b;
	CHECK_OK(build_run(&b, &f.spec, &e));
	check_passes(&b);
	CHECK_INT(b.nr_so, 2);
	CHECK_TEXT(b.flags, "given object, symbol vendor_scale");
	uint64_t at[4] = { 0 };
	CHECK_INT(entries_of(b.so_paths[0], at, 4), 2);
	fixture_release(&f);
}

TEST(an_object_without_the_symbol_or_linked_already_is_refused)
{
	static const struct {
		const char *how;
		const char *symbol;
		const char *says;
	} rows[] = {
		{ "-c", "other_name", "kernel" },
		{ "-shared", "vendor_scale", "a shared object can not be linked at other" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;
		struct err e = { 0 };
		fixture_init(&f, 1);
		give_object(&f, vendor, rows[i].how);
		f.spec.role = BUILD_REFERENCE;
		f.spec.takes_object = true;
		f.spec.symbol = rows[i].symbol;
		AUTO_BUILD struct build b;
		CHECK_OK(build_run(&b, &f.spec, &e));
		CHECK(b.verdict.state != VERDICT_NONE);
		CHECK(strstr(b.verdict.detail, rows[i].says));
		fixture_release(&f);
	}
}

TEST(a_candidate_is_never_an_object)
{
	struct fixture f;
	struct err e = { 0 };
	fixture_init(&f, 1);
	give_object(&f, vendor, "-c");
	AUTO_BUILD struct build b;
	CHECK_OK(build_run(&b, &f.spec, &e));
	CHECK_INT(b.verdict.reason, REASON_compile_failed);
	CHECK(strstr(b.verdict.detail, "only a reference may be compiled"));
	fixture_release(&f);
}

TEST_MAIN()
