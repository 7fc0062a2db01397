#include "engine/generate.h"

/* An attempt is judged by a calibration with the kernel in the reference's place: held against the
 * judge on every case. A refused one goes back with what its author may know: which visible case
 * is off, where and how far, never an expected value, and of held-out shapes only that one is off.
 */

#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/alignment.h"
#include "engine/engine_in.h"
#include "engine/turns.h"
#include "model/result.h"

enum { MAX_SOURCE_BYTES = 4 << 20 };

static int add_text(json_t *data, const char *key, const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_SOURCE_BYTES, &text, e) < 0)
		return -1;
	json_object_set_new(data, key, json_string(text.text));
	return 0;
}

/* Kernels that were refused; a judge that gave no answer refused none. */
static unsigned nr_refused(const struct engine *g)
{
	return g->state.judge.nr_misaligned - g->state.judge.nr_faults;
}

static json_t *turn_data(const struct engine *g, struct err *e)
{
	AUTO_JSON json_t *data = json_pack("{s:[], s:n}", "errors", "previous");
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *description = path_join(task, "description.md");
	AUTO_FREE char *previous = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	if (add_text(data, "description", description, e) < 0)
		return NULL;
	if (!nr_refused(g))
		return json_incref(data);
	if (add_text(data, "previous", previous, e) < 0)
		return NULL;
	json_object_set_new(data, "errors", json_pack("[s]", g->state.judge.misaligned_text));
	return json_incref(data);
}

static int keep(struct engine *g, unsigned attempt, const char *text, struct err *e)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	const struct digest digest = digest_text(text);
	if (file_write_text(path, text, e) < 0)
		return -1;
	return engine_event(g, EVENT_reference_written, e, "{s:i, s:s}", "attempt", (int)attempt,
			    "source", digest.hex);
}

int generate_reference(struct engine *g, struct err *e)
{
	unsigned attempt = nr_refused(g) + 1;
	if (!task_is_generated(&g->task) || g->state.reference.nr_written >= attempt)
		return 0;
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_FREE char *purpose = xasprintf("generate-%u", attempt);
	AUTO_JSON json_t *data = turn_data(g, e);
	const struct turn_spec turn = {
		.role = AGENT_STUDENT, .kind = TURN_GENERATE, .purpose = purpose, .data = data
	};
	if (!data || turn_ask(g, &turn, &answer, e) < 0)
		return -1;
	if (answer.kind == ANSWER_SUBMIT)
		return keep(g, attempt, answer.text, e);
	return err_set(e, ERR_CHILD,
		       "the task has no reference and the student wrote none (%s: %.200s); put one "
		       "into the task, or name another student",
		       answer_kind_name(answer.kind), answer.text);
}

int generate_refuse(struct engine *g, const struct result *result, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (result) {
		str_add(&text, "the kernel does not compute what the judge computes:\n");
		alignment_add_cases(&g->task, result, &text);
	} else {
		alignment_add_reason(&g->task, e->text,
				     "the kernel fails on a shape that is not shown", &text);
	}
	*e = (struct err){ 0 };
	return engine_event(g, EVENT_judge_misaligned, e, "{s:i, s:s}", "attempt",
			    (int)g->state.judge.nr_misaligned + 1, "text", text.text);
}
