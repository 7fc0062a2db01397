#include "build/screen.h"

#include "fixture.h"

/*
 * For each screen a kernel that it must refuse, with the exact reason and what the detail names,
 * and look-alikes that must pass. It runs with every compiler there is.
 */

struct row {
	const char *what;
	const char *source; /* after HEAD */
	enum reason reason; /* REASON_NONE: passes */
	const char *names;  /* in the detail */
};

#define COPY "{ (void)s; for (int64_t i = 0; i < n; i++) y[i] = x[i]; }\n"
#define BODY(statement) "{ (void)s; (void)n; (void)x; (void)y; " statement " }\n"

static const char *const compilers[] = { "gcc -O2", "clang -O2" };

static bool can_compile_with(const char *flags)
{
	return has_program(str_starts(flags, "clang") ? "clang" : "gcc");
}

static void check_row(const char *flags, const struct row *row, unsigned threads)
{
	struct fixture f;
	fixture_init(&f, threads);
	AUTO_FREE char *source = xasprintf("%s%s", HEAD, row->source);
	AUTO_BUILD struct build b;
	fixture_build(&f, flags, source, &b);
	bool is_named = !row->names || strstr(b.verdict.detail, row->names);
	if (b.verdict.reason != row->reason || !is_named)
		printf("# %s, %s: %s %s\n%s", flags, row->what, reason_name(b.verdict.reason),
		       b.verdict.detail, b.log);
	CHECK_INT(b.verdict.reason, row->reason);
	CHECK(is_named);
	fixture_release(&f);
}

/* Assembler text is the same whoever hands it on: both compilers are asked for the first such row.
 */
static bool is_asked(size_t compiler, const struct row *rows, size_t at)
{
	return compiler == 0 || at == 0 || !strstr(rows[at].source, "__asm__");
}

static void check_rows(const struct row *rows, size_t nr, unsigned threads)
{
	for (size_t c = 0; c < ARRAY_LEN(compilers); c++)
		for (size_t i = 0; i < nr && can_compile_with(compilers[c]); i++)
			if (is_asked(c, rows, i))
				check_row(compilers[c], &rows[i], threads);
}

TEST(code_that_runs_at_load_time_is_refused)
{
	static const struct row rows[] = {
		{ "constructor",
		  "__attribute__((constructor)) void early(void) { __asm__ volatile(\"\"); "
		  "}\n" KERNEL COPY,
		  REASON_constructor, ".init_array" },
		{ "destructor",
		  "__attribute__((destructor)) void late(void) { __asm__ volatile(\"\"); }\n" KERNEL
			  COPY,
		  REASON_constructor, ".fini_array" },
		{ "the name _init", "void _init(void) { __asm__ volatile(\"\"); }\n" KERNEL COPY,
		  REASON_constructor, "_init" },
		{ "a .ctors section",
		  "__asm__(\".section .ctors,\\\"aw\\\"\\n.quad kernel\\n.text\");\n" KERNEL COPY,
		  REASON_constructor, ".ctors" },
		{ "a .preinit_array section",
		  "__asm__(\".section .preinit_array,\\\"aw\\\"\\n.quad kernel\\n.text\");\n" KERNEL
			  COPY,
		  REASON_constructor, ".preinit_array" },
		{ "the name that the link gives as DT_INIT",
		  "void forge_no_init(void) { __asm__ volatile(\"\"); }\n" KERNEL COPY,
		  REASON_constructor, "forge_no_init" },
		{ "code in .init",
		  "__asm__(\".section .init,\\\"ax\\\"\\nnop\\n.text\");\n" KERNEL COPY,
		  REASON_constructor, ".init" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(indirect_functions_are_refused)
{
	static const struct row rows[] = {
		{ "ifunc",
		  "static int one(void) { return 1; }\n"
		  "static int (*pick(void))(void) { return one; }\n"
		  "int choose(void) __attribute__((ifunc(\"pick\")));\n" KERNEL BODY(
			  "y[0] = (float)choose();"),
		  REASON_ifunc, "choose" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(thread_local_storage_is_refused)
{
	static const struct row rows[] = {
		{ "_Thread_local",
		  "_Thread_local int calls;\n" KERNEL BODY("y[0] = (float)calls++;"),
		  REASON_thread_local, "." },
		{ "another's _Thread_local",
		  "extern _Thread_local int calls;\n" KERNEL BODY("y[0] = (float)calls++;"),
		  REASON_thread_local, "calls" },
		{ "%fs",
		  KERNEL BODY("long v; __asm__ volatile(\"mov %%fs:0x28,%0\" : \"=r\"(v));"
			      "y[0] = (float)v;"),
		  REASON_thread_local, "%fs" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(odd_sections_are_refused)
{
	static const struct row rows[] = {
		{ "writable and executable",
		  "__asm__(\".section .textw,\\\"awx\\\"\\nnop\\n.text\");\n" KERNEL COPY,
		  REASON_forbidden_section, "writable and executable" },
		{ "unknown name",
		  "__attribute__((section(\"mine\"))) const int k = 3;\n" KERNEL COPY,
		  REASON_forbidden_section, "mine" },
		{ "executable .rodata",
		  "__asm__(\".section .rodata.x,\\\"ax\\\"\\nnop\\n.text\");\n" KERNEL COPY,
		  REASON_forbidden_section, ".rodata.x" },
		{ "code that is called data",
		  "__asm__(\".text\\n.type deed,@object\\ndeed: rdtsc\\nret\");\n" KERNEL COPY,
		  REASON_forbidden_section, "deed" },
		{ "common of the large model",
		  "__asm__(\".largecomm calls,4096,32\");\n" KERNEL COPY, REASON_forbidden_section,
		  ".lbss" },
		{ "a library to load",
		  "__asm__(\".section .dynamic,\\\"a\\\"\\n.quad 1,1\\n.text\");\n" KERNEL COPY,
		  REASON_forbidden_section, ".dynamic" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(writable_static_storage_is_refused)
{
	static const struct row rows[] = {
		{ ".bss", "static int calls;\n" KERNEL BODY("y[0] = (float)calls++;"),
		  REASON_writable_static, "calls" },
		{ ".data", "int calls = 3;\n" KERNEL COPY, REASON_writable_static, "calls" },
		{ "common", "int calls __attribute__((common));\n" KERNEL COPY,
		  REASON_writable_static, "calls" },
		{ "static in a function",
		  KERNEL BODY("static float last[4]; y[0] = last[n & 3]; last[n & 3] = x[0];"),
		  REASON_writable_static, "last" },
		{ "a table of pointers that may change",
		  "static const float one = 1;\nconst float *table[] = { &one, &one };\n" KERNEL
			  COPY,
		  REASON_writable_static, "table" },
		{ "a name like that of what turns read-only",
		  "static int calls __attribute__((section(\".data.rel.rox\")));\n" KERNEL BODY(
			  "y[0] = (float)calls++;"),
		  REASON_writable_static, "calls" },
		{ "nameless", "__asm__(\".data\\n.long 1\\n.text\");\n" KERNEL COPY,
		  REASON_writable_static, ".data" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(odd_relocations_and_symbols_are_refused)
{
	static const struct row rows[] = {
		{ "an address in the code", "__asm__(\".text\\n.quad kernel\");\n" KERNEL COPY,
		  REASON_forbidden_section, "relocation" },
		{ "a symbol version",
		  "__asm__(\".symver old, memcpy@GLIBC_2.2.5\");\n"
		  "void *old(void *, const void *, size_t);\n" KERNEL BODY(
			  "old(y, x, (size_t)n * sizeof(*y));"),
		  REASON_forbidden_section, "memcpy@" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(imports_off_the_list_are_refused)
{
	static const struct row rows[] = {
		{ "a clock",
		  "#include <time.h>\n" KERNEL BODY(
			  "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"
			  "y[0] = (float)t.tv_nsec;"),
		  REASON_forbidden_import, "clock_gettime" },
		{ "a file",
		  "#include <fcntl.h>\n" KERNEL BODY("y[0] = (float)open(\"/etc/passwd\", 0);"),
		  REASON_forbidden_import, "open" },
		{ "fork", "#include <unistd.h>\n" KERNEL BODY("y[0] = (float)fork();"),
		  REASON_forbidden_import, "fork" },
		{ "threads",
		  "#include <pthread.h>\nstatic void *f(void *p) { return p; }\n" KERNEL BODY(
			  "pthread_t t; y[0] = (float)pthread_create(&t, 0, f, 0);"),
		  REASON_forbidden_import, "pthread_create" },
		{ "dlsym",
		  "void *dlsym(void *, const char *);\n" KERNEL BODY(
			  "y[0] = dlsym(0, \"clock_gettime\") != 0;"),
		  REASON_forbidden_import, "dlsym" },
		{ "errno", "#include <errno.h>\n" KERNEL BODY("y[0] = (float)errno; errno = 3;"),
		  REASON_forbidden_import, "__errno_location" },
		{ "a BLAS",
		  "void cblas_sscal(int, float, float *, int);\n" KERNEL BODY(
			  "cblas_sscal((int)n, s, y, 1);"),
		  REASON_forbidden_import, "cblas_sscal" },
		{ "a weak import",
		  "int getpid(void) __attribute__((weak));\n" KERNEL BODY(
			  "y[0] = getpid ? (float)getpid() : 0;"),
		  REASON_forbidden_import, "getpid" },
		{ "the rounding mode",
		  "#include <fenv.h>\n" KERNEL BODY("fesetround(FE_UPWARD); y[0] = 1;"),
		  REASON_forbidden_import, "fesetround" },
		{ "OpenMP in a task with one thread",
		  "int omp_get_num_threads(void);\n" KERNEL BODY(
			  "y[0] = (float)omp_get_num_threads();"),
		  REASON_forbidden_import, "omp_get_num_threads" },
		{ "a name that clears the screen",
		  "__asm__(\".section .data.rel.ro,\\\"aw\\\"\\n.quad \\\"\\033[2J\\\"\\n.text\");"
		  "\n" KERNEL COPY,
		  REASON_forbidden_import, "\\x1b[2J" },
		{ "a vector variant of what is no math function",
		  "void _ZGVbN4v_open(void);\n" KERNEL BODY("_ZGVbN4v_open();"),
		  REASON_forbidden_import, "_ZGVbN4v_open" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(openmp_functions_that_outlive_the_call_or_keep_state_are_refused)
{
	static const struct row rows[] = {
		{ "asynchronous start",
		  "void GOMP_parallel_start(void (*)(void *), void *, unsigned);\n"
		  "static void f(void *p) { *(float *)p = 1; }\n" KERNEL BODY(
			  "GOMP_parallel_start(f, y, 2);"),
		  REASON_forbidden_import, "GOMP_parallel_start" },
		{ "state",
		  "void omp_set_num_threads(int);\n" KERNEL BODY("omp_set_num_threads(3);"),
		  REASON_forbidden_import, "omp_set_num_threads" },
		{ "a clock",
		  "double omp_get_wtime(void);\n" KERNEL BODY("y[0] = (float)omp_get_wtime();"),
		  REASON_forbidden_import, "omp_get_wtime" },
	};
	check_rows(rows, ARRAY_LEN(rows), 2);
}

TEST(a_kernel_without_entry_is_refused)
{
	static const struct row rows[] = {
		{ "other name", "void kernels(void) { __asm__ volatile(\"\"); }\n", REASON_no_entry,
		  "kernel" },
		{ "static",
		  "static " KERNEL COPY
		  "void other(const float *x, float *y) { kernel(x, y, 1, 1); }\n",
		  REASON_no_entry, "kernel" },
		{ "data", "const int kernel = 195;\n", REASON_no_entry, "not a function" },
		{ "the shim's name, weak",
		  KERNEL COPY "__attribute__((weak)) void forge_entry(void *const *a) { (void)a; "
			      "}\n",
		  REASON_no_entry, "forge_entry" },
		{ "the name of a copy's shim",
		  KERNEL COPY "void forge_entry3(void *const *a) { (void)a; }\n", REASON_no_entry,
		  "forge_entry3" },
		{ "the shim's name", KERNEL COPY "void forge_entry(void *const *a) { (void)a; }\n",
		  REASON_no_entry, "forge_entry" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

#define ASM(text) KERNEL BODY("__asm__ volatile(\"" text "\" ::: \"memory\");")

TEST(control_instructions_are_refused)
{
	static const struct row rows[] = {
		{ "syscall", ASM("syscall"), REASON_forbidden_instruction, "syscall" },
		{ "sysenter", ASM("sysenter"), REASON_forbidden_instruction, "sysenter" },
		{ "int 0x80", ASM("int $0x80"), REASON_forbidden_instruction, "int" },
		{ "rdtsc", KERNEL BODY("y[0] = (float)__builtin_ia32_rdtsc();"),
		  REASON_forbidden_instruction, "rdtsc" },
		{ "rdtscp", ASM("rdtscp"), REASON_forbidden_instruction, "rdtscp" },
		{ "rdpmc", ASM("rdpmc"), REASON_forbidden_instruction, "rdpmc" },
		{ "ldmxcsr", KERNEL BODY("__builtin_ia32_ldmxcsr(0x9fc0);"),
		  REASON_forbidden_instruction, "ldmxcsr" },
		{ "vldmxcsr", ASM("vldmxcsr (%%rsp)"), REASON_forbidden_instruction, "vldmxcsr" },
		{ "fldcw", ASM("fldcw (%%rsp)"), REASON_forbidden_instruction, "fldcw" },
		{ "xbegin", ASM("xbegin 1f\\n1:"), REASON_forbidden_instruction, "xbegin" },
		{ "wrfsbase", ASM("wrfsbase %%rax"), REASON_forbidden_instruction, "wrfsbase" },
		{ "wrgsbase", ASM("wrgsbase %%rax"), REASON_forbidden_instruction, "wrgsbase" },
		{ "xrstor", ASM("xrstor (%%rsp)"), REASON_forbidden_instruction, "xrstor" },
		{ "wrpkru", ASM("wrpkru"), REASON_forbidden_instruction, "wrpkru" },
		{ "in", ASM("in (%%dx),%%al"), REASON_forbidden_instruction, "in" },
		{ "outsb", ASM("rep outsb"), REASON_forbidden_instruction, "outsb" },
		{ "hlt", ASM("hlt"), REASON_forbidden_instruction, "hlt" },
		{ "far return", ASM("lretq"), REASON_forbidden_instruction, "lret" },
		{ "popfq", ASM("popfq"), REASON_forbidden_instruction, "popf" },
		{ "segment load", ASM("mov %%eax,%%ds"), REASON_forbidden_instruction, "segment" },
		{ "far pointer into %fs", ASM("lfs (%%rax),%%ecx"), REASON_forbidden_instruction,
		  "lfs" },
		{ "x87 modes, 16 bits", ASM(".byte 0x66,0xd9,0x20"), REASON_forbidden_instruction,
		  "fldenv" },
		{ "trace write with a size", ASM("ptwrite %%rax"), REASON_forbidden_instruction,
		  "ptwrite" },
		{ "far call", ASM("lcall *(%%rax)"), REASON_forbidden_instruction, "lcall" },
		{ "far jump, 16 bits", ASM(".byte 0x66,0xff,0x28"), REASON_forbidden_instruction,
		  "ljmp" },
		{ "raw bytes of a syscall", ASM(".byte 0x0f,0x05"), REASON_forbidden_instruction,
		  "syscall" },
		{ "bytes that are no instruction", ASM(".byte 0x06"), REASON_forbidden_instruction,
		  "no instruction" },
		{ "a jump into a constant", ASM("jmp .+3\\nmov $0x90050f90,%%eax"),
		  REASON_forbidden_instruction, "middle" },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(a_name_the_task_denies_is_refused)
{
	struct fixture f;
	fixture_init(&f, 1);
	static const char *deny[] = { "expf" };
	f.task.deny = deny;
	f.task.nr_deny = 1;
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2", HEAD "#include <math.h>\n" KERNEL BODY("y[0] = expf(x[0]);"),
		      &b);
	CHECK_INT(b.verdict.reason, REASON_forbidden_import);
	fixture_release(&f);
}

TEST(look_alikes_pass)
{
	static const struct row rows[] = {
		{ "plain", KERNEL COPY, REASON_NONE, NULL },
		{ "a large constant table",
		  "static const float t[4096] = { 1, 2, 3 };\n" KERNEL BODY("y[0] = t[n & 4095];"),
		  REASON_NONE, NULL },
		{ "a large constant table with global linkage",
		  "const float t[4096] = { 1, 2, 3 };\n" KERNEL BODY("y[0] = t[n & 4095];"),
		  REASON_NONE, NULL },
		{ "the address of a math function",
		  "#include <math.h>\n" KERNEL "{ float (*f)(float) = n & 1 ? expf : tanhf;"
		  " for (int64_t i = 0; i < n; i++) y[i] = f(x[i]) * s; }\n",
		  REASON_NONE, NULL },
		{ "constant pointers to constants",
		  "static const float one[] = { 1, 2 };\nstatic const float *const t[] = { one, "
		  "one + 1 };\n" KERNEL BODY("y[0] = *t[n & 1];"),
		  REASON_NONE, NULL },
		{ "words in strings and comments",
		  "/* syscall rdtsc clock_gettime cache benchmark */\n"
		  "static const char text[] = \"syscall rdtsc .init_array\";\n" KERNEL BODY(
			  "y[0] = text[n & 7];"),
		  REASON_NONE, NULL },
		{ "memory functions",
		  "#include <string.h>\n#include <stdlib.h>\n" KERNEL BODY(
			  "float *t = malloc((size_t)n * 4); if (!t) return;"
			  "memcpy(t, x, (size_t)n * 4); memset(y, 0, (size_t)n * 4);"
			  "memmove(y, t, (size_t)n * 4); free(t);"),
		  REASON_NONE, NULL },
		{ "aligned memory",
		  "#include <stdlib.h>\n" KERNEL BODY("float *t = aligned_alloc(64, 4096);"
						      "if (t) y[0] = t[0] = x[0]; free(t);"),
		  REASON_NONE, NULL },
		{ "math",
		  "#include <math.h>\n" KERNEL "{ for (int64_t i = 0; i < n; i++) y[i] = "
		  "expf(x[i]) + tanhf(x[i]) * powf(x[i], s)"
		  " + (float)lround(x[i]) + fmaxf(sqrtf(x[i]), s); }\n",
		  REASON_NONE, NULL },
		{ "a switch",
		  KERNEL BODY("switch (n) { case 1: y[0] = 3; break; case 2: y[1] = x[3]; break;"
			      "case 3: y[2] = x[1]; break; case 4: y[0] = x[9]; break;"
			      "case 5: y[7] = 1; break; case 6: y[8] = x[2]; }"),
		  REASON_NONE, NULL },
		{ "a function with global linkage",
		  "float helper(float v);\nfloat helper(float v) { return v * 3; }\n" KERNEL BODY(
			  "y[0] = helper(x[0]);"),
		  REASON_NONE, NULL },
		{ "its own memcpy",
		  "void *memcpy(void *d, const void *f, size_t n) { char *a = d; const char *b = f;"
		  "while (n--) { *a++ = *b++; __asm__ volatile(\"\"); } return d; }\n" KERNEL BODY(
			  "memcpy(y, x, (size_t)n * 4);"),
		  REASON_NONE, NULL },
		{ "128-bit integers",
		  KERNEL BODY("__int128 a = n; y[0] = (float)(a * a / (a + (n << 3)));"),
		  REASON_NONE, NULL },
		{ "long double",
		  KERNEL "{ long double t = 0; for (int64_t i = 0; i < n; i++) t += x[i] * s;"
			 "y[0] = (float)t; y[1] = (float)(int64_t)t; }\n",
		  REASON_NONE, NULL },
		{ "string instructions",
		  KERNEL BODY("__asm__ volatile(\"rep movsb\" : \"+S\"(x), \"+D\"(y), \"+c\"(n) "
			      ":: \"memory\");"),
		  REASON_NONE, NULL },
		{ "prefetch and non-temporal stores",
		  "#include <immintrin.h>\n" KERNEL
		  "{ (void)s; for (int64_t i = 0; i + 4 <= n; i += 4) { _mm_prefetch((const char "
		  "*)(x + i + 64), 0);"
		  "_mm_stream_ps(y + i, _mm_loadu_ps(x + i)); } _mm_sfence(); }\n",
		  REASON_NONE, NULL },
	};
	check_rows(rows, ARRAY_LEN(rows), 1);
}

TEST(an_openmp_reduction_passes_with_threads)
{
	static const struct row row = {
		"reduction",
		"#include <omp.h>\n" KERNEL "{ float sum = 0;\n"
		"#pragma omp parallel for reduction(+ : sum) schedule(static)\n"
		"for (int64_t i = 0; i < n; i++) sum += x[i] * s;\n"
		"#pragma omp parallel for schedule(dynamic, 16)\n"
		"for (int64_t i = 0; i < n; i++) y[i] = sum + (float)omp_get_thread_num(); }\n",
		REASON_NONE, NULL
	};
	check_row("gcc -O3 -march=native -fopenmp", &row, 2);
}

TEST(vector_math_from_libmvec_passes)
{
	static const struct row row = {
		"expf",
		"#include <math.h>\n" KERNEL
		"{ for (int64_t i = 0; i < n; i++) y[i] = expf(x[i] * s); }\n",
		REASON_NONE, NULL
	};
	check_row("gcc -O3 -march=native -ffast-math", &row, 1);
	if (has_program("clang"))
		check_row("clang -O3 -march=native -fno-math-errno -fveclib=libmvec", &row, 1);
}

TEST_MAIN()
