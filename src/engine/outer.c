#include "engine/outer.h"

/* The teacher comes back when rounds bring no new best for a while (stall), no row is ready
 * (exhausted) or a milestone's rows are done and its gate does not close (gate), while the goal is
 * not reached and entries are left. An entry without a new version leaves the course as it is;
 * after one at an exhausted course the loop ends. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/budget.h"
#include "engine/course.h"
#include "engine/diagnose.h"
#include "engine/engine_in.h"
#include "engine/publish.h"
#include "engine/recon.h"
#include "engine/teacher_digest.h"
#include "engine/turn_data.h"

enum { MAX_TEXT_BYTES = 1 << 20 };

static unsigned max_of(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* The round after which nothing has got better, nor been changed by the teacher. */
static unsigned last_change(const struct run_state *s)
{
	unsigned round = 0;
	if (s->nr_bests)
		round = max_of(round, s->bests[s->nr_bests - 1].round);
	if (s->nr_curricula)
		round = max_of(round, s->curricula[s->nr_curricula - 1].after_round);
	if (s->nr_metas)
		round = max_of(round, s->metas[s->nr_metas - 1].after_round);
	return round;
}

bool outer_is_goal_reached(const struct run_state *s)
{
	const struct state_best *best = run_state_best(s);
	return best && best->estimate.speedup >= s->reference.ratio;
}

static bool has_just_left(const struct run_state *s)
{
	if (!s->nr_metas)
		return false;
	const struct state_meta *m = &s->metas[s->nr_metas - 1];
	return m->answer && m->after_round == s->nr_rounds && !m->to_version;
}

/* A gate of the version in force that rounds since the teacher's last entry failed to close. */
static bool is_gate_stuck(const struct engine *g)
{
	const struct run_state *s = &g->state;
	unsigned since = s->nr_metas ? s->metas[s->nr_metas - 1].after_round : 0;
	for (size_t i = 0; i < s->nr_gates; i++) {
		const struct state_gate *gate = &s->gates[i];
		bool is_open = gate->result == GATE_FAIL || gate->result == GATE_ERROR;
		if (gate->curriculum == g->course_version && is_open &&
		    course_last_round(s, gate->milestone) > since)
			return true;
	}
	return false;
}

/* It would not be asked: an entry without a turn is none. */
static bool is_teacher_spent(const struct engine *g)
{
	const struct budget_of teacher = { limits_scope_name(LIMITS_TEACHER), "" };
	const struct usage nothing = { 0 };
	AUTO_STR struct str why = STR_INIT;
	return budget_is_spent(g, &teacher, &nothing, &why);
}

const char *outer_trigger(const struct engine *g, bool is_exhausted)
{
	const struct run_state *s = &g->state;
	bool is_stalled = s->stall > 0 && (int64_t)(s->nr_rounds - last_change(s)) >= s->stall;
	if (outer_is_goal_reached(s) || (int64_t)s->nr_metas >= s->max_meta || has_just_left(s) ||
	    is_teacher_spent(g))
		return NULL;
	if (is_exhausted)
		return "exhausted";
	if (is_gate_stuck(g))
		return "gate";
	return is_stalled ? "stall" : NULL;
}

const char *outer_open(const struct engine *g)
{
	const struct run_state *s = &g->state;
	if (!s->nr_metas || s->metas[s->nr_metas - 1].answer)
		return NULL;
	return s->metas[s->nr_metas - 1].trigger;
}

static int begin(struct engine *g, const char *trigger, struct err *e)
{
	unsigned number = (unsigned)g->state.nr_metas + 1;
	AUTO_FREE char *relative = xasprintf("%sm%u.json", rundir_name(RUNDIR_DIGEST), number);
	AUTO_FREE char *path = path_join(g->run_dir, relative);
	if (diagnose(g, number, e) < 0)
		return -1;
	AUTO_JSON json_t *digest = teacher_digest_make(g);
	if (json_write_file(path, digest, e) < 0)
		return -1;
	return engine_event(g, EVENT_teacher_entered, e, "{s:i, s:s, s:s, s:i, s:I}", "number",
			    (int)number, "trigger", trigger, "digest", relative, "after_round",
			    (int)g->state.nr_rounds, "from_version", (json_int_t)g->course_version);
}

static json_t *text_of(const char *path)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (file_read(path, MAX_TEXT_BYTES, &text, &ignored) < 0)
		return json_null();
	json_t *value = json_stringn(text.text, text.len);
	return value ? value : json_null();
}

static json_t *revision_data(struct engine *g, const struct state_meta *m, struct err *e)
{
	AUTO_FREE char *digest_path = path_join(g->run_dir, m->digest_path);
	AUTO_FREE char *course_path = path_join(g->run_dir, run_state_curriculum(&g->state)->path);
	AUTO_JSON json_t *data = turn_data_teacher(g, g->task.reference_is_source, e);
	AUTO_JSON json_t *digest = json_read_file(digest_path, e);
	if (!data || !digest)
		return NULL;
	json_t *profile = json_deep_copy(g->state.reference.profile);
	json_object_set_new(data, "profile", profile ? profile : json_object());
	json_object_set_new(data, "times", turn_data_times(g));
	json_object_set_new(data, "curriculum", text_of(course_path));
	json_object_set(data, "digest", digest);
	json_object_set_new(data, "trigger", json_string(m->trigger));
	if (recon_recall(g, data, e) < 0)
		return NULL;
	return json_incref(data);
}

static int leave(struct engine *g, const char *answer, const char *text, long version,
		 struct err *e)
{
	return engine_event(g, EVENT_teacher_left, e, "{s:s, s:s, s:I}", "answer", answer, "text",
			    text, "to_version", (json_int_t)version);
}

static const char *answer_name(int done)
{
	return done ? "curriculum" : "give_up";
}

/* Was the version of this entry published before forge died? */
static bool is_published(const struct run_state *s)
{
	const struct state_meta *m = &s->metas[s->nr_metas - 1];
	return run_state_curriculum(s)->version > m->from_version;
}

int outer_enter(struct engine *g, const char *trigger, struct err *e)
{
	if (!outer_open(g) && begin(g, trigger, e) < 0)
		return -1;
	const struct state_meta m = g->state.metas[g->state.nr_metas - 1];
	AUTO_STR struct str why = STR_INIT;
	int done = 1;
	if (!is_published(&g->state)) {
		AUTO_JSON json_t *data = revision_data(g, &m, e);
		AUTO_FREE char *purpose = xasprintf("revision-%u", m.number);
		const struct publish_spec spec = {
			.kind = TURN_REVISION, .purpose = purpose, .reason = m.trigger, .data = data
		};
		if (!data)
			return -1;
		done = publish(g, &spec, &why, e);
	}
	if (done < 0)
		return -1;
	long version = done ? run_state_curriculum(&g->state)->version : 0;
	return leave(g, answer_name(done), why.text, version, e);
}
