/*
 * Compiles every kernel of tests/cuda/kernels as build_run does for a CUDA task and holds what
 * comes of it to the kernel's first lines:
 *
 *   // expect: none | REASON [TEXT of the detail]
 *   // fact: NAME OP NUMBER        a '?' behind NAME: only where that fact can be had (nvdisasm)
 *
 * No device is used. Usage: check_cuda [NAME...]; without nvcc everything is skipped, and said so.
 * Last line "cuda: N passed, N failed[, N skipped]".
 */
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/build.h"
#include "build/cuda_toolkit.h"
#include "model/task.h"

#define KERNELS "tests/cuda/kernels"

enum { MAX_BYTES = 1 << 20 };

struct cell {
	const char *name;
	char *path;
	char *dir;
	struct str source;
	struct str why; /* "" when it holds */
	unsigned nr_facts_left_out;
};

static struct task task_of_kernels(struct arg args[4])
{
	args[0] = (struct arg){ .name = "x", .role = ARG_IN, .dtype = DTYPE_F32 };
	args[1] = (struct arg){ .name = "y", .role = ARG_OUT, .dtype = DTYPE_F32 };
	args[2] = (struct arg){ .name = "n", .role = ARG_SCALAR, .dtype = DTYPE_I64 };
	args[3] = (struct arg){ .name = "s", .role = ARG_SCALAR, .dtype = DTYPE_F32 };
	return (struct task){ .language = "cuda",
			      .entry = "kernel",
			      .arch = "sm_90a",
			      .threads = 1,
			      .judge_threads = 1,
			      .args = args,
			      .nr_args = 4 };
}

/* The rest of the next line that begins with `mark`, from *at on; yours, or NULL. */
static char *line_next(const char **at, const char *mark)
{
	const char *found = strstr(*at, mark);
	if (!found)
		return NULL;
	found += strlen(mark);
	size_t len = strcspn(found, "\n");
	*at = found + len;
	return xstrndup(found, len);
}

static bool holds(double got, const char *op, double want)
{
	if (str_equal(op, "="))
		return got == want;
	return str_equal(op, ">=") ? got >= want : str_equal(op, "<=") && got <= want;
}

static void check_fact(struct cell *c, const struct build *b, const char *line)
{
	char name[64] = "";
	char op[3] = "";
	double want = 0;
	bool is_read = sscanf(line, "%63s %2s %lf", name, op, &want) == 3;
	bool is_optional = str_ends(name, "?");
	if (is_optional)
		name[strlen(name) - 1] = 0;
	const json_t *value = json_object_get(b->facts, name);
	if (!value && is_optional)
		c->nr_facts_left_out++;
	else if (!is_read || !json_is_number(value) || !holds(json_number_value(value), op, want))
		str_addf(&c->why, "%sfact%s, is %g", c->why.len ? "; " : "", line,
			 value ? json_number_value(value) : -1);
}

static void check_verdict(struct cell *c, const struct build *b)
{
	const char *at = c->source.text;
	AUTO_FREE char *line = line_next(&at, "// expect: ");
	const char *blank = line ? strchr(line, ' ') : NULL;
	AUTO_FREE char *reason =
		line ? xstrndup(line, blank ? (size_t)(blank - line) : strlen(line)) : xstrdup("?");
	const char *got =
		b->verdict.state == VERDICT_NONE ? "none" : reason_name(b->verdict.reason);
	if (!str_equal(reason, got) || (blank && !strstr(b->verdict.detail, blank + 1)))
		str_addf(&c->why, "want %s, got %s: %s", line ? line : "?", got, b->verdict.detail);
}

static void check_all(struct cell *c, const struct build *b)
{
	const char *at = c->source.text;
	check_verdict(c, b);
	for (char *line; !c->why.len && (line = line_next(&at, "// fact: ")); free(line))
		check_fact(c, b, line);
}

static int build_cell(struct cell *c, struct err *e)
{
	struct arg args[4];
	const struct task task = task_of_kernels(args);
	const struct build_spec spec = { .task = &task,
					 .role = BUILD_CANDIDATE,
					 .source_path = c->path,
					 .out_dir = c->dir,
					 .nr_layouts = 1,
					 .kit_dir = "include",
					 .accept_weak = true };
	AUTO_BUILD struct build b;
	int rc = build_run(&b, &spec, e);
	if (rc == 0)
		check_all(c, &b);
	if (rc == 0 && b.verdict.state == VERDICT_NONE && b.nr_so != 1)
		str_addf(&c->why, "%zu objects were linked", b.nr_so);
	return rc;
}

static bool run_cell(const char *name, const char *parent)
{
	struct err e = { 0 };
	struct cell c = { .name = name, .source = STR_INIT, .why = STR_INIT };
	c.path = xasprintf("%s/%s", KERNELS, name);
	c.dir = path_join(parent, name);
	if (dir_make(c.dir, &e) < 0 || file_read(c.path, MAX_BYTES, &c.source, &e) < 0 ||
	    build_cell(&c, &e) < 0)
		str_add(&c.why, e.text);
	bool is_good = !c.why.len;
	printf("%s %s%s%s", is_good ? "ok    " : "not ok", name, is_good ? "" : ": ", c.why.text);
	if (c.nr_facts_left_out)
		printf(" (%u facts need nvdisasm)", c.nr_facts_left_out);
	printf("\n");
	fflush(stdout);
	str_release(&c.source);
	str_release(&c.why);
	free(c.path);
	free(c.dir);
	return is_good;
}

static void list_kernels(int argc, char **argv, struct strv *names)
{
	struct err e = { 0 };
	for (int i = 1; i < argc; i++)
		strv_addf(names, "%s.cu", argv[i]);
	if (argc == 1 && dir_list(KERNELS, names, &e) < 0) {
		fprintf(stderr, "check_cuda: %s\n", e.text);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	unsigned nr_failed = 0;
	char dir[] = "/tmp/forge-cuda-XXXXXX";
	AUTO_STRV struct strv names = { 0 };
	AUTO_FREE char *root = cuda_toolkit_find(&e);
	list_kernels(argc, argv, &names);
	if (!root) {
		printf("# skipped: cuda, %s\n", e.text);
		printf("cuda: 0 passed, 0 failed, %zu skipped\n", names.nr);
		return 0;
	}
	if (!mkdtemp(dir)) {
		perror("check_cuda: mkdtemp");
		return 1;
	}
	printf("# %s\n", root);
	for (size_t i = 0; i < names.nr; i++)
		nr_failed += !run_cell(names.items[i], dir);
	tree_remove(dir, &e);
	printf("cuda: %zu passed, %u failed\n", names.nr - nr_failed, nr_failed);
	return nr_failed ? 1 : 0;
}
