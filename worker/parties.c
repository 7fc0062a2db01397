#include "worker/parties.h"

/*
 * Every timed party gets several layouts: a replicate draws one, so that where a function happens
 * to stand is a random effect and not a bias. Jobs draw from a few families of layouts and not from
 * all there are, so that a reference is in the cache after a while.
 */

#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "build/listing.h"
#include "model/language.h"
#include "worker/progress.h"

/* Two is what R and R' need; four is where more layouts no longer widened the spread of the null
 * trials (measurement notes 2.1 used random ones throughout). Each holds copies of the kernel at
 * all places that matter (build/layout.h). */
enum { LAYOUTS_SCREEN = 2, LAYOUTS_TRIAL = 4, LAYOUT_FAMILIES = 16 };

/* How much compiler output a message carries. */
enum { LOG_EXCERPT = 300 };

static const struct {
	const char *source;
	enum build_role role;
} rows[PARTY_NR] = {
	[PARTY_REFERENCE] = { "reference/kernel", BUILD_REFERENCE },
	[PARTY_CANDIDATE] = { "candidate/kernel", BUILD_CANDIDATE },
	[PARTY_ORACLE] = { "check/judge", BUILD_ORACLE },
};

/* Kernels are named after their language, judges are C. */
static char *source_of(const struct worker *w, enum party p)
{
	const struct language *l =
		language_find(p == PARTY_REFERENCE ? w->task.reference_language : w->task.language);
	return xasprintf("%s/%s%s", w->bundle, rows[p].source,
			 p == PARTY_ORACLE || !l ? ".c" : l->suffix);
}

static bool is_needed(const struct worker *w, enum party p, const char *source)
{
	if (p == PARTY_ORACLE && task_expects_reference(&w->task))
		return false;
	switch (w->job.kind) {
	case JOB_BUILD:
		return p == PARTY_CANDIDATE;
	case JOB_CALIBRATE:
		return p != PARTY_CANDIDATE;
	case JOB_JUDGE:
		/* The reference tells how long a call may take, and what rounding may cost. */
		return p != PARTY_REFERENCE || task_expects_reference(&w->task) ||
		       file_exists(source);
	case JOB_TIME:
		return true;
	case JOB_INSPECT:
		return p == PARTY_REFERENCE;
	case JOB_LESSON:
		return false;
	}
	BUG("job of kind %d", (int)w->job.kind);
}

static unsigned layouts_of(const struct worker *w, enum party p)
{
	if (w->job.kind != JOB_TIME || p == PARTY_ORACLE)
		return 1;
	return w->job.replicates <= SCREEN_REPLICATES ? LAYOUTS_SCREEN : LAYOUTS_TRIAL;
}

static unsigned copies_of(const struct worker *w, enum party p)
{
	return w->job.kind != JOB_TIME || p == PARTY_ORACLE ? 1 : BUILD_MAX_COPIES;
}

static json_t *facts_of(const struct build *b)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "source", json_string(b->source.hex));
	json_object_set_new(obj, "object", json_string(b->object.hex));
	json_object_set_new(obj, "compiler",
			    json_string(b->compiler_version ? b->compiler_version : ""));
	json_object_set_new(obj, "flags", json_string(b->flags ? b->flags : ""));
	json_object_set_new(obj, "seconds", json_number(b->seconds));
	json_object_set_new(obj, "from_cache", json_boolean(b->from_cache));
	json_object_set_new(obj, "layouts", json_integer((json_int_t)b->nr_so));
	json_object_set_new(obj, "copies", json_integer((json_int_t)b->nr_copies));
	return obj;
}

static void record(struct worker *w, enum party p)
{
	json_t *all = json_object_get(w->result.doc, "build");
	if (!all) {
		all = json_object();
		json_object_set_new(w->result.doc, "build", all);
	}
	json_object_set_new(all, party_name(p), facts_of(&w->builds[p]));
}

static int save_log(const struct worker *w, enum party p, struct err *e)
{
	const char *log = w->builds[p].log;
	if (!log || !log[0])
		return 0;
	AUTO_FREE char *dir = path_join(w->bundle, "log");
	AUTO_FREE char *path = xasprintf("%s/%s.txt", dir, party_name(p));
	return dir_make(dir, e) < 0 ? -1 : file_write_text(path, log, e);
}

static int refuse(struct worker *w, enum party p, struct err *e)
{
	const struct build *b = &w->builds[p];
	if (p == PARTY_ORACLE)
		worker_record(w, "judge_fault", json_string("build"));
	return err_set(e, ERR_INPUT, "the %s does not build: %s: %s%s%.*s",
		       p == PARTY_ORACLE ? "judge" : party_name(p), reason_name(b->verdict.reason),
		       b->verdict.detail, b->log && b->log[0] ? "\n" : "", LOG_EXCERPT,
		       b->log ? b->log : "");
}

/* Also where it is its own candidate. Nothing else may come compiled, and of nothing else the text
 * may be sealed. */
static bool is_reference(const struct worker *w, enum party p, const char *source)
{
	struct digest mine = { "" };
	struct digest its = { "" };
	struct err ignored = { 0 };
	AUTO_FREE char *reference = source_of(w, PARTY_REFERENCE);
	if (p != PARTY_CANDIDATE)
		return p == PARTY_REFERENCE;
	return file_exists(reference) && digest_file(source, &mine, &ignored) == 0 &&
	       digest_file(reference, &its, &ignored) == 0 && str_equal(mine.hex, its.hex);
}

/* A module that is the reference's own candidate may call what a reference may. */
static enum build_role role_of(const struct worker *w, enum party p, const char *source)
{
	const bool is_module = str_equal(w->task.reference_language, "python");
	return is_module && is_reference(w, p, source) ? BUILD_REFERENCE : rows[p].role;
}

static int build_party(struct worker *w, enum party p, const char *source, struct err *e)
{
	struct build *b = &w->builds[p];
	AUTO_FREE char *scratch = path_join(w->bundle, "work");
	AUTO_FREE char *out_dir = path_join(scratch, party_name(p));
	struct build_spec spec = {
		.task = &w->task,
		.role = role_of(w, p, source),
		/* A reference is its own candidate when it is timed first. */
		.language = is_reference(w, p, source) ? w->task.reference_language : NULL,
		.source_path = source,
		.out_dir = out_dir,
		.nr_layouts = layouts_of(w, p),
		.nr_copies = copies_of(w, p),
		.layout_seed = rng_derive(w->job.seed % LAYOUT_FAMILIES, party_name(p)),
		.default_build = p == PARTY_REFERENCE ? w->task.reference_build : NULL,
		.kit_dir = w->kit_dir,
		.cache_dir = w->cache_dir,
		.takes_object = is_reference(w, p, source),
		.symbol = w->task.reference_symbol,
		.hides_text = w->job.is_sealed && is_reference(w, p, source),
		.accept_weak = w->job.accept_weak_sandbox,
	};
	if (build_run(b, &spec, e) < 0)
		return err_wrap(e, "build the %s", party_name(p));
	record(w, p);
	if (save_log(w, p, e) < 0)
		return -1;
	if (b->verdict.state == VERDICT_NONE)
		return 0;
	if (p != PARTY_CANDIDATE)
		return refuse(w, p, e);
	w->result.verdict = b->verdict;
	return 0;
}

int parties_listing(const struct worker *w, size_t from, size_t max_bytes, struct listing *out,
		    struct err *e)
{
	AUTO_FREE char *scratch = path_join(w->bundle, "work");
	AUTO_FREE char *out_dir = path_join(scratch, party_name(PARTY_REFERENCE));
	const struct build_spec spec = { .out_dir = out_dir,
					 .kit_dir = w->kit_dir,
					 .accept_weak = w->job.accept_weak_sandbox };
	return listing_of_build(&spec, from, max_bytes, out, e);
}

/* The candidate first: one that may not run saves the others' time. */
int parties_build(struct worker *w, struct err *e)
{
	static const enum party order[] = { PARTY_CANDIDATE, PARTY_REFERENCE, PARTY_ORACLE };
	AUTO_SPEND(w, build_ns);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		progress_print("build", i, ARRAY_LEN(order));
		AUTO_FREE char *source = source_of(w, order[i]);
		if (!is_needed(w, order[i], source))
			continue;
		if (build_party(w, order[i], source, e) < 0)
			return -1;
		if (w->result.verdict.state != VERDICT_NONE)
			return 0;
	}
	progress_print("build", ARRAY_LEN(order), ARRAY_LEN(order));
	return 0;
}
