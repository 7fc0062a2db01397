#include "engine/dispatch.h"

/* dispatch_considered holds the whole plan, so that a resumed run writes the same file; what
 * follows it are the steps of any round. */

#include "agent/agent.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "build/directive.h"
#include "engine/budget.h"
#include "engine/decide.h"
#include "engine/dispatch_plan.h"
#include "engine/engine_in.h"
#include "engine/fate.h"
#include "engine/jobs.h"
#include "engine/round.h"
#include "model/combine.h"

enum { MAX_SOURCE_BYTES = 1 << 20 };
/* A candidate without a directive is built like this (docs/format/kernel.md). */
static const char plain_build[] = "gcc -O2";
static const char kind[] = "dispatch";

static int read_kernel(const struct engine *g, unsigned number, struct str *text, struct err *e)
{
	AUTO_FREE char *path = rundir_round(g->run_dir, number, "kernel.c");
	if (file_read(path, MAX_SOURCE_BYTES, text, e) < 0)
		return -1;
	const struct digest now = digest_bytes(text->text, text->len);
	if (str_equal(now.hex, run_state_round(&g->state, number)->source))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: changed after it was measured; it is not combined",
		       path);
}

/* "gcc -O3 -march=native", or NULL where the source can not be read. */
static const char *build_of(const struct engine *g, unsigned number, struct arena *a)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_DIRECTIVE struct directive d = { 0 };
	struct err ignored = { 0 };
	if (read_kernel(g, number, &text, &ignored) < 0)
		return NULL;
	if (directive_parse(&d, text.text, plain_build, g->task.threads).state != VERDICT_NONE)
		return NULL;
	AUTO_FREE char *build = directive_text(&d);
	return arena_strdup(a, build);
}

static const char *const *all_builds(const struct engine *g, struct arena *a)
{
	const char **builds = arena_array(a, g->state.nr_rounds + 1, sizeof(*builds));
	for (size_t i = 0; i < g->state.nr_rounds; i++)
		if (g->state.rounds[i].outcome == ROUND_KEPT)
			builds[i] = build_of(g, (unsigned)i + 1, a);
	return builds;
}

static void find(const struct engine *g, const char *const *builds, struct arena *a,
		 struct dispatch_plan *p)
{
	const struct dispatch_spec spec = { .state = &g->state,
					    .bar = fate_best_speedup(g),
					    .builds = builds };
	dispatch_plan_find(&spec, a, p);
}

static double expected_s(const struct engine *g)
{
	return job_expected_s(g, SCREEN_REPLICATES) + job_expected_s(g, DECIDE_REPLICATES);
}

double dispatch_reserve_s(const struct engine *g)
{
	AUTO_ARENA struct arena scratch = { 0 };
	struct dispatch_plan p;
	if (g->state.is_control || g->state.dispatch.is_considered)
		return 0;
	find(g, NULL, &scratch, &p);
	return p.nr ? expected_s(g) : 0;
}

static json_t *parts_json(const struct dispatch_plan *p)
{
	json_t *parts = json_array();
	for (size_t part = 0; part < p->nr; part++) {
		json_t *shapes = json_array();
		for (size_t i = 0; part && i < p->nr_shapes; i++)
			if (p->part_of[i] == part)
				json_array_append_new(shapes, json_string(p->shapes[i]));
		json_array_append_new(parts, json_pack("{s:i, s:o}", "round", (int)p->rounds[part],
						       "shapes", shapes));
	}
	return parts;
}

/* "round 3 at short, odd; round 5 at all other sizes" */
static void describe(const struct dispatch_plan *p, struct str *text)
{
	for (size_t part = 1; part < p->nr; part++) {
		const char *joint = " at ";
		str_addf(text, "round %u", p->rounds[part]);
		for (size_t i = 0; i < p->nr_shapes; i++) {
			if (p->part_of[i] != part)
				continue;
			str_addf(text, "%s%s", joint, p->shapes[i]);
			joint = ", ";
		}
		str_add(text, "; ");
	}
	str_addf(text, "round %u at all other sizes", p->rounds[0]);
}

static int record(struct engine *g, bool is_offered, const struct dispatch_plan *p,
		  const char *text, struct err *e)
{
	const struct dispatch_plan none = { 0 };
	return engine_event(g, EVENT_dispatch_considered, e, "{s:b, s:s, s:o, s:o}", "offered",
			    is_offered, "text", text, "expected", json_number(p->expected), "parts",
			    parts_json(is_offered ? p : &none));
}

/* One that would gain, and why it is not there. */
static int refuse(struct engine *g, const struct dispatch_plan *p, const char *why, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	describe(p, &text);
	str_addf(&text, " would reach about %.3gx, but %s", p->expected, why);
	return record(g, false, p, text.text, e);
}

/* Where no combination of kernels that are built alike pays, but one of others would. */
static int refuse_builds(struct engine *g, const struct dispatch_plan *p, const char *const *builds,
			 struct err *e)
{
	AUTO_STR struct str why = STR_INIT;
	str_add(&why, "one file has one build directive, and theirs differ:");
	for (size_t i = 0; i < p->nr; i++) {
		const char *build = builds[p->rounds[i] - 1];
		str_addf(&why, "%s %s", i ? "," : "", build ? build : "unreadable");
	}
	return refuse(g, p, why.text, e);
}

/* The parts as they were recorded, as indices of the task's shapes. */
static void fill_part_of(const struct engine *g, size_t *part_of)
{
	const struct state_dispatch *d = &g->state.dispatch;
	for (size_t part = 0; part < d->nr_parts; part++)
		for (size_t i = 0; i < g->task.shapes.nr; i++)
			for (size_t j = 0; j < d->parts[part].shapes.nr; j++)
				if (str_equal(d->parts[part].shapes.items[j],
					      g->task.shapes.items[i].name))
					part_of[i] = part;
}

struct sources {
	struct arena arena;
	struct combine_part parts[DISPATCH_MAX_PARTS];
	size_t nr;
	const char *build;
};

static int read_sources(const struct engine *g, const unsigned *rounds, size_t nr,
			struct sources *s, struct err *e)
{
	*s = (struct sources){ .nr = nr };
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str text = STR_INIT;
		if (read_kernel(g, rounds[i], &text, e) < 0)
			return -1;
		s->parts[i] = (struct combine_part){
			.name = arena_printf(&s->arena, "round %u", rounds[i]),
			.source = arena_strdup(&s->arena, text.text),
		};
	}
	s->build = build_of(g, rounds[0], &s->arena);
	return 0;
}

static int combine(const struct engine *g, const unsigned *rounds, size_t nr, const size_t *part_of,
		   struct str *text, struct err *e)
{
	struct sources s;
	int rc = read_sources(g, rounds, nr, &s, e);
	const struct combine_spec spec = { .task = &g->task,
					   .build = s.build,
					   .parts = s.parts,
					   .nr_parts = s.nr,
					   .part_of = part_of };
	if (rc == 0)
		rc = combine_write(&spec, text, e);
	arena_release(&s.arena);
	return rc;
}

/* Can it be written at all? */
static bool can_combine(const struct engine *g, const struct dispatch_plan *p, struct err *why)
{
	AUTO_ARENA struct arena scratch = { 0 };
	AUTO_STR struct str text = STR_INIT;
	size_t *part_of = arena_array(&scratch, g->task.shapes.nr + 1, sizeof(*part_of));
	for (size_t i = 0; i < g->task.shapes.nr; i++)
		for (size_t j = 0; j < p->nr_shapes; j++)
			if (str_equal(g->task.shapes.items[i].name, p->shapes[j]))
				part_of[i] = p->part_of[j];
	return combine(g, p->rounds, p->nr, part_of, &text, why) == 0;
}

static int offer(struct engine *g, const struct dispatch_plan *p, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	struct err why = { 0 };
	if (budget_left_to_confirm_s(g) < expected_s(g))
		return refuse(g, p, "no time is left to measure it", e);
	if (!can_combine(g, p, &why))
		return refuse(g, p, why.text, e);
	describe(p, &text);
	str_addf(&text, ": about %.3gx is to be expected, the best kernel alone has %.3gx",
		 p->expected, fate_best_speedup(g));
	return record(g, true, p, text.text, e);
}

static int consider(struct engine *g, struct err *e)
{
	AUTO_ARENA struct arena scratch = { 0 };
	struct dispatch_plan any;
	struct dispatch_plan alike;
	find(g, NULL, &scratch, &any);
	if (!any.nr)
		return record(g, false, &any,
			      "no kernels are faster together than the best of them by more than "
			      "the noise floor",
			      e);
	const char *const *builds = all_builds(g, &scratch);
	find(g, builds, &scratch, &alike);
	return alike.nr ? offer(g, &alike, e) : refuse_builds(g, &any, builds, e);
}

static void describe_parts(const struct state_dispatch *d, struct str *text)
{
	for (size_t part = 1; part < d->nr_parts; part++) {
		str_addf(text, "round %u at", d->parts[part].round);
		for (size_t i = 0; i < d->parts[part].shapes.nr; i++)
			str_addf(text, "%s %s", i ? "," : "", d->parts[part].shapes.items[i]);
		str_add(text, "; ");
	}
	str_addf(text, "round %u otherwise", d->parts[0].round);
}

static int start(struct engine *g, struct err *e)
{
	const struct state_dispatch *d = &g->state.dispatch;
	AUTO_STR struct str value = STR_INIT;
	describe_parts(d, &value);
	return engine_event(g, EVENT_round_started, e,
			    "{s:i, s:s, s:s, s:s, s:s, s:I, s:i, s:b, s:s}", "round",
			    (int)g->state.nr_rounds + 1, "decision", kind, "milestone", kind,
			    "what", "one kernel for each size", "value", value.text, "curriculum",
			    (json_int_t)g->course_version, "base", (int)d->parts[0].round, "replay",
			    false, "kind", kind);
}

int dispatch_write(struct engine *g, struct agent_answer *answer, struct err *e)
{
	const struct state_dispatch *d = &g->state.dispatch;
	AUTO_STR struct str text = STR_INIT;
	AUTO_ARENA struct arena scratch = { 0 };
	unsigned rounds[DISPATCH_MAX_PARTS];
	size_t *part_of = arena_array(&scratch, g->task.shapes.nr + 1, sizeof(*part_of));
	if (d->nr_parts > DISPATCH_MAX_PARTS)
		return err_set(e, ERR_INPUT, "dispatch_considered names %zu parts", d->nr_parts);
	for (size_t i = 0; i < d->nr_parts; i++)
		rounds[i] = d->parts[i].round;
	fill_part_of(g, part_of);
	if (combine(g, rounds, d->nr_parts, part_of, &text, e) < 0)
		return -1;
	answer->kind = ANSWER_SUBMIT;
	answer->text = arena_strdup(&answer->arena, text.text);
	answer->note = "written by forge";
	answer->predicted = json_pack("{s:o}", "speedup", json_number(d->expected));
	return 0;
}

/* What decides about it is what decides about any candidate. */
static int decide(struct engine *g, unsigned number, struct err *e)
{
	if (decide_unfinished(g) != number && decide_pick(g) != number)
		return 0;
	return decide_go(g, number, e);
}

int dispatch_go(struct engine *g, struct err *e)
{
	if (g->state.is_control || g->state.confirm.is_done)
		return 0;
	if (!g->state.dispatch.is_considered && consider(g, e) < 0)
		return -1;
	if (!g->state.dispatch.is_offered)
		return 0;
	if (!g->state.dispatch.round && start(g, e) < 0)
		return -1;
	unsigned number = g->state.dispatch.round;
	if (run_state_round(&g->state, number)->outcome == ROUND_OPEN && round_go(g, number, e) < 0)
		return -1;
	return decide(g, number, e);
}
