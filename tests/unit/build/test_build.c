#include "build/build.h"

#include <elf.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "build/disasm.h"
#include "build/layout.h"
#include "build/leaf.h"
#include "build/shim.h"
#include "fixture.h"

#define SCALE KERNEL "{ for (int64_t i = 0; i < n; i++) y[i] = x[i] * s; }\n"

/* Loads an object as a runner would, calls it with (x = 1..8, y, n = 8, s = 3) and prints y[1], the
 * floating-point mode before the load and after the call, and where the entry lies. */
static const char loader_source[] =
	"#include <dlfcn.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <xmmintrin.h>\n"
	"int main(int argc, char **argv) {\n"
	"	unsigned before = _mm_getcsr() & 0xffc0;\n"
	"	void *so = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);\n"
	"	if (!so) { printf(\"%s\\n\", dlerror()); return 1; }\n"
	"	void (*entry)(void *const *) = (void (*)(void *const *))dlsym(so, "
	"\"forge_entry\");\n"
	"	float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {0}; int64_t n = 8; float s = 3;\n"
	"	void *args[] = { x, y, &n, &s };\n"
	"	entry(args);\n"
	"	printf(\"%g %x %x\\n\", y[1], before, _mm_getcsr() & 0xffc0);\n"
	"	return dlsym(so, \"kernel\") != NULL;\n"
	"}\n";

static void run_program(const char *const *argv, struct str *out)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = argv, .deadline_ns = 20 * NS_PER_S };
	CHECK_OK(proc_run(&r, &spec, &e));
	if (!proc_result_is_ok(&r))
		printf("# %s: exit %d: %s%s\n", argv[0], r.exit_code, r.out.text, r.err.text);
	CHECK(proc_result_is_ok(&r));
	str_add(out, r.out.text);
}

static void check_called(const struct fixture *f, const char *so, const char *want)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_FREE char *source = path_join(f->dir, "loader.c");
	AUTO_FREE char *program = path_join(f->dir, "loader");
	CHECK_OK(file_write_text(source, loader_source, &e));
	const char *const compile[] = { "gcc", "-w", "-o", program, source, "-ldl", NULL };
	run_program(compile, &out);
	const char *const call[] = { program, so, NULL };
	run_program(call, &out);
	CHECK_TEXT(out.text, want);
}

static void check_passes(const struct build *b)
{
	if (b->verdict.state != VERDICT_NONE)
		printf("# %s: %s\n%s", reason_name(b->verdict.reason), b->verdict.detail, b->log);
	CHECK_INT(b->verdict.state, VERDICT_NONE);
}

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
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		check_refused("gcc -O2", &rows[i]);
		if (has_program("clang"))
			check_refused("clang -O2", &rows[i]);
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

static void digests_of(const struct build *b, struct digest *out)
{
	struct err e = { 0 };
	for (size_t i = 0; i < b->nr_so; i++)
		CHECK_OK(digest_file(b->so_paths[i], &out[i], &e));
}

TEST(a_cached_build_is_the_same_build)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	f.spec.nr_layouts = 2;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build second;
	struct digest made[2];
	struct digest found[2];
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	digests_of(&first, made);
	fixture_build(&f, "gcc -O2", HEAD SCALE, &second);
	check_passes(&second);
	CHECK(!first.from_cache && second.from_cache);
	CHECK_TEXT(second.object.hex, first.object.hex);
	CHECK_TEXT(second.source.hex, first.source.hex);
	CHECK_TEXT(second.compiler_version, first.compiler_version);
	CHECK_TEXT(second.log, first.log);
	CHECK(json_equal(second.facts, first.facts));
	CHECK_INT(second.nr_so, 2);
	digests_of(&second, found);
	CHECK_TEXT(found[0].hex, made[0].hex);
	CHECK_TEXT(found[1].hex, made[1].hex);
	CHECK(str_starts(second.so_paths[0], f.cache_dir));
	fixture_release(&f);
}

TEST(more_layouts_of_a_cached_build_are_linked_anew)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build more;
	AUTO_BUILD struct build all;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	f.spec.nr_layouts = 3;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &more);
	CHECK(more.from_cache);
	CHECK_INT(more.nr_so, 3);
	CHECK(str_starts(more.so_paths[0], f.cache_dir));
	CHECK(str_starts(more.so_paths[2], f.out_dir));
	check_called(&f, more.so_paths[2], "6 1f80 1f80\n");
	fixture_build(&f, "gcc -O2", HEAD SCALE, &all);
	CHECK(str_starts(all.so_paths[2], f.cache_dir));
	check_called(&f, all.so_paths[2], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(what_a_build_depends_on_is_in_the_key)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build flags;
	AUTO_BUILD struct build role;
	AUTO_BUILD struct build type;
	AUTO_BUILD struct build kit;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	fixture_build(&f, "gcc -O1", HEAD SCALE, &flags);
	CHECK(!flags.from_cache);
	f.spec.role = BUILD_REFERENCE;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &role);
	CHECK(!role.from_cache);
	f.args[2].dtype = DTYPE_I32;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &type);
	CHECK(!type.from_cache);
	AUTO_FREE char *copy = path_join(f.dir, "kit");
	AUTO_FREE char *more = path_join(copy, "forge/more.h");
	struct err e = { 0 };
	CHECK_OK(tree_copy("include", copy, &e));
	CHECK_OK(file_write_text(more, "", &e));
	f.spec.kit_dir = copy;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &kit);
	CHECK(!kit.from_cache);
	fixture_release(&f);
}

/* The one entry of the cache. */
static char *entry_path(const struct fixture *f)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(f->cache_dir, &names, &e));
	CHECK_INT(names.nr, 1);
	return path_join(f->cache_dir, names.items[0]);
}

TEST(a_damaged_cache_entry_is_built_anew)
{
	static const char *const files[] = { "leaf.o", "shim.o", "build.json" };
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct fixture f;
		fixture_init(&f, 1);
		f.spec.cache_dir = f.cache_dir;
		AUTO_BUILD struct build first;
		AUTO_BUILD struct build second;
		AUTO_BUILD struct build third;
		fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
		struct err e = { 0 };
		AUTO_FREE char *entry = entry_path(&f);
		AUTO_FREE char *path = path_join(entry, files[i]);
		CHECK_OK(file_write_text(path, "broken", &e));
		fixture_build(&f, "gcc -O2", HEAD SCALE, &second);
		check_passes(&second);
		CHECK(!second.from_cache);
		fixture_build(&f, "gcc -O2", HEAD SCALE, &third);
		CHECK(third.from_cache);
		fixture_release(&f);
	}
}

TEST(a_damaged_layout_is_linked_anew)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build second;
	AUTO_BUILD struct build third;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	fixture_build(&f, "gcc -O2", HEAD SCALE, &second);
	struct err e = { 0 };
	CHECK_OK(file_write_text(second.so_paths[0], "not an object", &e));
	fixture_build(&f, "gcc -O2", HEAD SCALE, &third);
	CHECK(str_starts(third.so_paths[0], f.out_dir));
	check_called(&f, third.so_paths[0], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(builds_may_race_for_one_cache_entry)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	pid_t pids[3];
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		AUTO_FREE char *source = xasprintf("%s/source%zu.c", f.dir, i);
		AUTO_FREE char *out = xasprintf("%s/out%zu", f.dir, i);
		f.source_path = source;
		f.spec.source_path = source;
		f.spec.out_dir = out;
		AUTO_BUILD struct build b;
		fixture_build(&f, "gcc -O2", HEAD SCALE, &b);
		_exit(b.verdict.state == VERDICT_NONE && file_exists(b.so_paths[0]) ? 0 : 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		int status = 0;
		CHECK(waitpid(pids[i], &status, 0) == pids[i]);
		CHECK_INT(status, 0);
	}
	AUTO_FREE char *entry = entry_path(&f);
	CHECK(file_is_dir(entry));
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

TEST_MAIN()
