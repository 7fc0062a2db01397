#include "build/build.h"
/*
 * The pipeline, each step a function of `struct work`. The source is read once and everything
 * (digest, directive, compiler) sees those bytes, so a file that changes meanwhile cannot slip
 * past a check. Steps stop as soon as the verdict says something.
 */

#include <sys/stat.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "build/backend.h"
#include "build/cache.h"
#include "build/compile.h"
#include "build/directive.h"
#include "build/given.h"
#include "build/toolbox.h"
#include "build/layout.h"
#include "build/leaf.h"
#include "build/source_text.h"
#include "model/task.h"
#include "sys/proc.h"

enum {
	SOURCE_MAX_BYTES = 1 << 20,
	VERSION_MAX_BYTES = 4096,
};

struct work {
	const struct build_spec *spec;
	const struct backend_ops *backend;
	struct build *b;
	struct str source;
	struct str log;
	bool is_object; /* the source is compiled already */
	struct directive directive;
	struct toolbox toolbox;
	char *src_dir;
	char *obj_dir;
	char *toolkit; /* of the backend, or NULL */
	char arch[16];
	struct cache cache;
};

static void work_init(struct work *w, struct build *b, const struct build_spec *s)
{
	*w = (struct work){ .spec = s,
			    .backend = backend_of(s->task, s->role, s->language),
			    .b = b };
	str_init(&w->source);
	str_init(&w->log);
	w->src_dir = path_join(s->out_dir, "src");
	w->obj_dir = path_join(s->out_dir, "obj");
}

static void work_release(struct work *w)
{
	str_release(&w->source);
	str_release(&w->log);
	directive_release(&w->directive);
	toolbox_release(&w->toolbox);
	cache_release(&w->cache);
	free(w->src_dir);
	free(w->obj_dir);
	free(w->toolkit);
}

const char *build_role_name(enum build_role role)
{
	static const char *const names[] = { [BUILD_REFERENCE] = "reference",
					     [BUILD_CANDIDATE] = "candidate",
					     [BUILD_ORACLE] = "oracle" };
	return names[role];
}

/* A judge may use what its task's kernels may, and as many as the task grants it. */
unsigned build_threads(const struct task *t, enum build_role role)
{
	bool is_granted = role == BUILD_ORACLE && t->judge_threads > t->threads;
	return is_granted ? t->judge_threads : t->threads;
}

static unsigned threads_of(const struct work *w)
{
	return build_threads(w->spec->task, w->spec->role);
}

static bool is_stopped(const struct work *w)
{
	return w->b->verdict.state != VERDICT_NONE;
}

/* The flags' text is a part of the cache's key, so it names what the object's code depends on. */
static int object_read(struct work *w)
{
	const char *symbol = w->spec->symbol ? w->spec->symbol : w->spec->task->entry;
	if (!w->spec->takes_object || !w->backend->has_layouts) {
		w->b->verdict = verdict_make(REASON_compile_failed,
					     "the source is an object file; only a reference may "
					     "be compiled already");
		return 0;
	}
	w->b->verdict = directive_parse(&w->directive, "", "gcc -O2", threads_of(w));
	w->b->flags = arena_printf(&w->b->arena, "given object, symbol %s", symbol);
	return 0;
}

static int source_read(struct work *w, struct err *e)
{
	struct stat st;
	const char *path = w->spec->source_path;
	if (stat(path, &st) == 0 && st.st_size > SOURCE_MAX_BYTES) {
		w->b->verdict = verdict_make(REASON_compile_failed,
					     "the source is %lld bytes, "
					     "more than %d",
					     (long long)st.st_size, SOURCE_MAX_BYTES);
		return 0;
	}
	if (file_read(path, SOURCE_MAX_BYTES, &w->source, e) < 0)
		return -1;
	w->b->source = digest_bytes(w->source.text, w->source.len);
	w->is_object = given_is_object(&w->source);
	if (w->is_object)
		return object_read(w);
	w->b->verdict = source_text_check(w->source.text, w->source.len);
	if (is_stopped(w) || w->backend->is_script)
		return 0;
	const char *otherwise =
		w->spec->default_build ? w->spec->default_build : w->backend->default_build;
	w->b->verdict = directive_parse(&w->directive, w->source.text, otherwise, threads_of(w));
	AUTO_FREE char *flags = directive_text(&w->directive);
	w->b->flags = arena_strdup(&w->b->arena, flags);
	return 0;
}

/* Folders of an earlier attempt go first: nothing old may be taken for a result. */
static int folders_make(struct work *w, struct err *e)
{
	w->toolkit = w->backend->toolkit ? w->backend->toolkit(e) : NULL;
	if (w->backend->toolkit && !w->toolkit)
		return -1;
	if (w->backend->arch && w->backend->arch(w->spec->task, w->arch, e) < 0)
		return -1;
	if (tree_remove(w->src_dir, e) < 0 || tree_remove(w->obj_dir, e) < 0 ||
	    dir_make(w->src_dir, e) < 0 || dir_make(w->obj_dir, e) < 0)
		return -1;
	struct toolbox_spec spec = { .src_dir = w->src_dir,
				     .out_dir = w->obj_dir,
				     .kit_dir = w->spec->kit_dir,
				     .toolkit = w->toolkit,
				     .accept_weak = w->spec->accept_weak };
	if (toolbox_init(&w->toolbox, &spec, e) < 0)
		return -1;
	w->b->lack = arena_strdup(&w->b->arena, w->toolbox.lack);
	return toolbox_put(&w->toolbox, w->backend->source_name, w->source.text, w->source.len, e);
}

static int compiler_find(struct work *w, struct err *e)
{
	AUTO_FREE char *name = w->backend->program(&w->toolbox, w->directive.compiler);
	AUTO_FREE char *path = proc_find(name);
	if (!path) {
		w->b->verdict = verdict_make(REASON_compile_failed, "this machine has no %s", name);
		return 0;
	}
	AUTO_STRV struct strv argv = { 0 };
	strv_add(&argv, name);
	strv_add(&argv, "--version");
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_run(&w->toolbox, &argv, VERSION_MAX_BYTES, &r, e) < 0)
		return err_wrap(e, "%s --version", name);
	if (!proc_result_is_ok(&r))
		return err_set(e, ERR_CHILD, "%s --version: %.200s", name, r.err.text);
	const char *line = w->backend->version_line(r.out.text);
	w->b->compiler_version = arena_printf(&w->b->arena, "%.*s%s%s", (int)strcspn(line, "\n"),
					      line, w->arch[0] ? ", " : "", w->arch);
	return 0;
}

static int examine(struct work *w, const struct leaf *leaf, struct err *e)
{
	const struct backend_object object = {
		.spec = w->spec,
		.toolbox = &w->toolbox,
		.leaf = leaf,
		.arch = w->arch[0] ? w->arch : NULL,
		.log = w->log.text,
		.threads = threads_of(w),
		.verdict = &w->b->verdict,
		.facts = &w->b->facts,
	};
	if (w->backend->examine(&object, e) < 0)
		return -1;
	if (w->b->facts)
		json_object_set_new(w->b->facts, "jail", json_integer(w->toolbox.is_jailed));
	return 0;
}

static int object_check(struct work *w, struct err *e)
{
	AUTO_FREE char *path = path_join(w->obj_dir, COMPILE_OBJECT_NAME);
	if (digest_file(path, &w->b->object, e) < 0)
		return -1;
	AUTO_LEAF struct leaf o;
	if (leaf_load(&o, path, e) < 0) {
		/* The assembler wrote what the source told it to. */
		w->b->verdict = verdict_make(REASON_forbidden_section, "%.200s", e->text);
		*e = (struct err){ 0 };
		return 0;
	}
	return examine(w, &o, e);
}

static unsigned copies_of(const struct work *w)
{
	return w->spec->nr_copies && w->backend->has_layouts ? w->spec->nr_copies : 1;
}

/* nvcc compiles; what it hands out is linked as every object is. */
static enum compiler linker_of(const struct work *w)
{
	enum compiler c = w->directive.compiler;
	return c == COMPILER_NVCC ? COMPILER_GCC : c;
}

static struct layout_spec layouts_of(const struct work *w)
{
	return (struct layout_spec){ .toolbox = &w->toolbox,
				     .cache = &w->cache,
				     .task = w->spec->task,
				     .role = w->spec->role,
				     .compiler = linker_of(w),
				     .nr_layouts =
					     w->backend->has_layouts ? w->spec->nr_layouts : 1,
				     .nr_copies = copies_of(w),
				     .is_lent = threads_of(w) > 1 || !w->backend->has_layouts,
				     .seed = w->spec->layout_seed };
}

static int layouts_make(struct work *w, struct err *e)
{
	struct layout_spec spec = layouts_of(w);
	AUTO_STRV struct strv paths = { 0 };
	if (layout_link(&spec, &paths, &w->b->verdict, &w->log, e) < 0)
		return -1;
	if (is_stopped(w))
		return 0;
	w->b->so_paths = arena_array(&w->b->arena, paths.nr, sizeof(char *));
	for (size_t i = 0; i < paths.nr; i++)
		w->b->so_paths[i] = arena_strdup(&w->b->arena, paths.items[i]);
	w->b->nr_so = paths.nr;
	w->b->nr_copies = copies_of(w);
	return 0;
}

static int source_compile(struct work *w, struct err *e)
{
	if (w->is_object)
		return given_take(&w->toolbox, &w->source, w->spec->symbol, w->spec->task->entry,
				  &w->b->verdict, e);
	return w->backend->compile(&w->toolbox, &w->directive, w->arch, &w->b->verdict, &w->log, e);
}

static int shim_make(struct work *w, struct err *e)
{
	struct layout_spec spec = layouts_of(w);
	return layout_shim(&spec, e);
}

static char *log_kept(struct work *w, const char *log)
{
	AUTO_STR struct str places = STR_INIT;
	if (!w->spec->hides_text)
		return arena_strdup(&w->b->arena, log);
	compile_log_places(log, &places);
	return arena_strdup(&w->b->arena, places.text);
}

static int cache_keep(struct work *w, struct err *e)
{
	(void)e;
	w->b->log = log_kept(w, w->log.text);
	cache_store(&w->cache, w->obj_dir, w->b);
	return 0;
}

typedef int (*step_fn)(struct work *w, struct err *e);

static int steps_run(struct work *w, const step_fn *steps, size_t nr, struct err *e)
{
	for (size_t i = 0; i < nr && !is_stopped(w); i++) {
		if (steps[i](w, e) < 0)
			return -1;
	}
	return 0;
}

static int leaf_make(struct work *w, struct err *e)
{
	static const step_fn steps[] = { source_compile, object_check, shim_make, cache_keep };
	if (cache_init(&w->cache, w->spec, w->b, w->toolbox.is_jailed, e) < 0)
		return -1;
	w->b->from_cache = cache_load(&w->cache, w->obj_dir, w->b);
	return w->b->from_cache ? 0 : steps_run(w, steps, ARRAY_LEN(steps), e);
}

/* What is loaded is the copy that the screens saw. */
static int script_make(struct work *w, struct err *e)
{
	AUTO_FREE char *path = path_join(w->src_dir, w->backend->source_name);
	if (examine(w, NULL, e) < 0)
		return -1;
	if (is_stopped(w))
		return 0;
	w->b->object = w->b->source;
	w->b->so_paths = arena_array(&w->b->arena, 1, sizeof(char *));
	w->b->so_paths[0] = arena_strdup(&w->b->arena, path);
	w->b->nr_so = 1;
	w->b->nr_copies = 1;
	return 0;
}

static int work_run(struct work *w, struct err *e)
{
	static const step_fn steps[] = { source_read, folders_make, compiler_find, leaf_make,
					 layouts_make };
	static const step_fn script[] = { source_read, folders_make, compiler_find, script_make };
	return w->backend->is_script ? steps_run(w, script, ARRAY_LEN(script), e)
				     : steps_run(w, steps, ARRAY_LEN(steps), e);
}

/* Details quote the source, or name what it names. */
static void detail_withhold(struct build *b)
{
	const char *error = strstr(b->log, "rror\n");
	const char *line = error ? error : b->log;
	while (line > b->log && line[-1] != '\n')
		line--;
	if (b->verdict.state != VERDICT_NONE)
		b->verdict = verdict_make(b->verdict.reason,
					  "%.*s%swhat was said is withheld, its source is sealed; "
					  "forge check TASK shows it",
					  (int)strcspn(line, "\n"), line, *line ? "; " : "");
}

/* A build that ended early still has every field. What a cache holds may be from a build that hid
 * nothing. */
static void build_complete(struct build *b, struct work *w)
{
	b->log = log_kept(w, b->from_cache ? b->log : w->log.text);
	if (w->spec->hides_text)
		detail_withhold(b);
	if (!b->flags)
		b->flags = arena_strdup(&b->arena, "");
	if (!b->compiler_version)
		b->compiler_version = arena_strdup(&b->arena, "");
	if (!b->facts)
		b->facts = json_object();
}

static int check_spec(const struct build_spec *s, struct err *e)
{
	if (s->nr_layouts == 0)
		return err_set(e, ERR_INPUT, "build: nr_layouts is 0");
	if (s->nr_copies > BUILD_MAX_COPIES)
		return err_set(e, ERR_INPUT, "build: %u copies, at most %d are possible",
			       s->nr_copies, BUILD_MAX_COPIES);
	return 0;
}

int build_run(struct build *b, const struct build_spec *s, struct err *e)
{
	*b = (struct build){ .lack = "" };
	uint64_t start_ns = clock_mono_ns();
	struct work w;
	work_init(&w, b, s);
	int rc = check_spec(s, e) < 0 ? -1 : work_run(&w, e);
	build_complete(b, &w);
	b->seconds = (double)(clock_mono_ns() - start_ns) / (double)NS_PER_S;
	work_release(&w);
	return rc;
}

void build_release(struct build *b)
{
	json_decref(b->facts);
	arena_release(&b->arena);
	*b = (struct build){ 0 };
}
