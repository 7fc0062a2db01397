#include "tuner/lab_in.h"

/* Compiles as the worker does where it matters to speed: the same flags in front of and behind the
 * author's, and no start files, because those that -ffast-math brings change the floating-point
 * mode of the whole process. What the worker screens for is not looked at here. */

#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/proc.h"

enum { BUILDERS = 2, DIRECTIVE_LINES = 20, LOG_BYTES = 64 << 10 };

/* What compiles so much longer than all before it did is not worth the time of ten others. */
#define BUILD_DEADLINE_NS (20 * NS_PER_S)
#define BUILD_LEAST_DEADLINE_NS (8 * NS_PER_S)
#define BUILD_FACTOR 6
#define BUILD_LOOK_NS NS_PER_MS

/* The kit, include/forge, which the agent's sandbox does not show. */
__asm__(".pushsection .rodata\n"
	".globl lab_kernel_header\n"
	"lab_kernel_header:\n"
	".incbin \"include/forge/kernel.h\"\n"
	".byte 0\n"
	".globl lab_small_float_header\n"
	"lab_small_float_header:\n"
	".incbin \"include/forge/small_float.h\"\n"
	".byte 0\n"
	".popsection\n");
extern const char lab_kernel_header[];
extern const char lab_small_float_header[];

static int write_text(const char *path, const char *text, struct err *e)
{
	size_t len = strlen(text);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "open %s", path);
	while (len) {
		ssize_t done = write(fd, text, len);
		if (done < 0)
			return err_errno(e, ERR_SYSTEM, "write %s", path);
		text += done;
		len -= (size_t)done;
	}
	return 0;
}

/* The words after "forge-build:" in the first lines. */
static void find_directive(const char *source, struct strv *words)
{
	static const char mark[] = "forge-build:";
	const char *line = source;
	for (int i = 0; i < DIRECTIVE_LINES && line; i++) {
		size_t len = strcspn(line, "\n");
		const char *at = memmem(line, len, mark, strlen(mark));
		if (at) {
			at += strlen(mark);
			size_t rest = (size_t)(line + len - at);
			const char *end = memmem(at, rest, "*/", 2);
			AUTO_FREE char *text = xstrndup(at, end ? (size_t)(end - at) : rest);
			strv_split(words, text, " \t\r");
			return;
		}
		line = line[len] ? line + len + 1 : NULL;
	}
}

static const char *compiler_of(const struct lab_kit *k, const struct strv *words)
{
	if (words->nr)
		return words->items[0];
	return k->has_gcc ? "gcc" : "clang";
}

static void add_fixed(struct strv *argv, bool is_clang)
{
	static const char *const fixed[] = {
		"-fPIC",
		"-fno-semantic-interposition",
		"-falign-functions=64",
		"-falign-loops=64",
		"-fno-stack-protector",
		"-fcf-protection=none",
		"-U_FORTIFY_SOURCE",
		"-w",
		"-pipe",
		"-Iinclude",
		"-shared",
		"-nostartfiles",
		"-Wl,-z,now",
	};
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strv_add(argv, fixed[i]);
	strv_add(argv, is_clang ? "-ferror-limit=1" : "-fmax-errors=1");
}

/* clang has no libgomp of its own; gcc's serves, as in the runner. */
static void make_argv(const struct lab_kit *k, const struct lab_build *b, const char *name,
		      struct strv *argv)
{
	AUTO_STRV struct strv words = { 0 };
	find_directive(b->source, &words);
	const char *compiler = compiler_of(k, &words);
	strv_add(argv, compiler);
	strv_add(argv, "-std=gnu17");
	if (!words.nr)
		strv_add(argv, "-O2");
	for (size_t i = 1; i < words.nr; i++)
		strv_add(argv, words.items[i]);
	add_fixed(argv, strcmp(compiler, "clang") == 0);
	strv_addf(argv, "-o%s.so", name);
	strv_addf(argv, "%s.c", name);
	strv_add(argv, "-lm");
	if (strstr(b->source, "GOMP_") || strstr(b->source, "omp"))
		strv_add(argv, "-Wl,--as-needed,-l:libgomp.so.1");
}

/* One compiler at work. */
struct builder {
	struct child *child;
	struct lab_build *build;
	char *name;
	uint64_t start_ns;
	uint64_t end_ns;
};

static bool is_allowed(const struct lab_kit *k, struct lab_build *b)
{
	AUTO_STRV struct strv words = { 0 };
	find_directive(b->source, &words);
	const char *compiler = compiler_of(k, &words);
	if ((k->has_gcc && strcmp(compiler, "gcc") == 0) ||
	    (k->has_clang && strcmp(compiler, "clang") == 0))
		return true;
	snprintf(b->text, sizeof(b->text), "no compiler %.40s here", compiler);
	return false;
}

uint64_t lab_build_deadline_ns(uint64_t slowest_ns)
{
	uint64_t ns = BUILD_FACTOR * slowest_ns;
	if (ns == 0 || ns > BUILD_DEADLINE_NS)
		return BUILD_DEADLINE_NS;
	return ns < BUILD_LEAST_DEADLINE_NS ? BUILD_LEAST_DEADLINE_NS : ns;
}

static void note_build(struct lab_kit *k, uint64_t took_ns)
{
	if (took_ns > k->slowest_build_ns)
		k->slowest_build_ns = took_ns;
}

static int start_compiler(struct lab_kit *k, struct builder *w, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	w->name = xasprintf("v%u", k->nr_files++);
	AUTO_FREE char *path = xasprintf("%s/%s.c", k->dir, w->name);
	if (write_text(path, w->build->source, e) < 0)
		return -1;
	make_argv(k, w->build, w->name, &argv);
	w->start_ns = clock_mono_ns();
	w->end_ns = w->start_ns + lab_build_deadline_ns(k->slowest_build_ns);
	const struct proc_spec spec = { .argv = (const char *const *)argv.items,
					.cwd = k->dir,
					.max_output = LOG_BYTES };
	return child_start(&w->child, &spec, e);
}

static void builder_drop(struct builder *w)
{
	child_free(&w->child);
	free(w->name);
	*w = (struct builder){ 0 };
}

static void builder_start(struct lab_kit *k, struct builder *w, struct lab_build *b)
{
	struct err why = { 0 };
	w->build = b;
	if (!is_allowed(k, b)) {
		*w = (struct builder){ 0 };
		return;
	}
	if (start_compiler(k, w, &why) < 0) {
		snprintf(b->text, sizeof(b->text), "%.150s", why.text);
		builder_drop(w);
	}
}

/* The first line that tells an error. */
static void tell_failure(struct lab_build *b, const char *log)
{
	const char *at = strstr(log, "error:");
	if (!at)
		at = *log ? log : "the compiler failed without a word";
	snprintf(b->text, sizeof(b->text), "%.*s", (int)strcspn(at, "\n"), at);
}

static void builder_look(struct lab_kit *k, struct builder *w)
{
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (child_has_ended(w->child, &r)) {
		if (r.exit_code == 0) {
			w->build->object = xasprintf("%s/%s.so", k->dir, w->name);
			note_build(k, clock_mono_ns() - w->start_ns);
		} else {
			tell_failure(w->build, child_stderr(w->child));
		}
		builder_drop(w);
		return;
	}
	if (clock_mono_ns() > w->end_ns) {
		snprintf(w->build->text, sizeof(w->build->text), "compiling took too long");
		builder_drop(w);
	}
}

void lab_kit_build(struct lab_kit *k, struct lab_build *builds, size_t nr, uint64_t end_ns)
{
	struct builder at_work[BUILDERS] = { 0 };
	size_t next = 0;
	for (bool is_busy = true; is_busy;) {
		is_busy = false;
		for (size_t i = 0; i < BUILDERS; i++) {
			if (at_work[i].child)
				builder_look(k, &at_work[i]);
			if (!at_work[i].child && next < nr && clock_mono_ns() < end_ns)
				builder_start(k, &at_work[i], &builds[next++]);
			is_busy |= at_work[i].child || (next < nr && clock_mono_ns() < end_ns);
		}
		if (is_busy)
			clock_sleep_ns(BUILD_LOOK_NS);
	}
}

static bool is_there(const char *compiler)
{
	AUTO_FREE char *path = proc_find(compiler);
	return path != NULL;
}

static int write_headers(const struct lab_kit *k, struct err *e)
{
	AUTO_FREE char *folder = path_join(k->dir, "include/forge");
	AUTO_FREE char *kernel = path_join(folder, "kernel.h");
	AUTO_FREE char *small_float = path_join(folder, "small_float.h");
	if (dir_make(folder, e) < 0 || write_text(kernel, lab_kernel_header, e) < 0)
		return -1;
	return write_text(small_float, lab_small_float_header, e);
}

int lab_kit_make(struct lab_kit *k, const char *caller, const char *dir, struct err *e)
{
	struct lab_build build = { .source = caller };
	k->has_gcc = is_there("gcc");
	k->has_clang = is_there("clang");
	if (!k->has_gcc && !k->has_clang)
		return err_set(e, ERR_SYSTEM, "neither gcc nor clang is here");
	k->dir = path_join(dir, "lab");
	if (tree_remove(k->dir, e) < 0 || write_headers(k, e) < 0)
		return -1;
	lab_kit_build(k, &build, 1, UINT64_MAX);
	if (!build.object)
		return err_set(e, ERR_INPUT, "compile the call of the entry: %s", build.text);
	k->caller = build.object;
	return 0;
}

void lab_kit_release(struct lab_kit *k)
{
	struct err ignored = { 0 };
	if (k->dir)
		tree_remove(k->dir, &ignored);
	free(k->dir);
	free(k->caller);
	*k = (struct lab_kit){ 0 };
}
