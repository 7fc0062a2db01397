#include "engine/teacher_tools_in.h"

/* What a teacher may learn of a reference that it may not read: how it behaves, how long it takes
 * and what its instructions are. `run` and `disassemble` are jobs, so that a sealed reference is
 * opened where it always is; `time` and `profile` repeat what stage 3 measured. */

#include "base/err.h"
#include "base/json.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "engine/turn_data.h"
#include "model/result.h"

int tool_time(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	const struct state_reference *r = &c->g->state.reference;
	(void)e;
	json_object_set_new(o->members, "times", turn_data_times(c->g));
	json_object_set_new(o->members, "geomean_ns", json_number(r->geomean_ns));
	json_object_set_new(o->members, "floor", json_number(r->self.floor));
	return 0;
}

int tool_profile(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	json_t *profile = json_deep_copy(c->g->state.reference.profile);
	(void)e;
	json_object_set_new(o->members, "profile", profile ? profile : json_object());
	return 0;
}

static int read_answer(const struct result *result, struct tool_outcome *o, struct err *e)
{
	json_t *answer = json_object_get(result->doc, "inspection");
	if (!json_is_object(answer))
		return err_set(e, ERR_CHILD, "job %s: its result has no inspection", o->job);
	const char *refused = json_text_or(answer, "refused", NULL);
	if (!refused) {
		json_object_update(o->members, answer);
		return 0;
	}
	o->name = "failed";
	str_add(&o->text, refused);
	return 0;
}

static int inspect(const struct tool_call *c, const json_t *ask, struct tool_outcome *o,
		   struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	o->job = xasprintf("tool-%04u", c->number);
	const struct job_spec job = { .id = o->job,
				      .purpose = c->tool,
				      .kind = JOB_INSPECT,
				      .replicates = c->replicates,
				      .ask = ask,
				      .may_fail = true };
	if (job_run(c->g, &job, &result, e) < 0)
		return tool_job_failed(c, o, e);
	return read_answer(&result, o, e);
}

int tool_run(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	const char *shape = json_text_or(c->asked, "shape", NULL);
	json_t *inputs = json_object_get(c->asked, "inputs");
	if (!shape)
		return tool_refuse(o, "run needs \"shape\", the name of one that the task shows");
	if (inputs && !json_is_object(inputs))
		return tool_refuse(o, "\"inputs\" is an object: a generator for each argument");
	AUTO_JSON json_t *ask = json_pack("{s:s, s:O*}", "shape", shape, "inputs", inputs);
	return inspect(c, ask, o, e);
}

int tool_disassemble(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	int64_t from = json_int_or(c->asked, "from", 0);
	if (from < 0)
		return tool_refuse(o, "\"from\" is the number of an instruction, from 0");
	AUTO_JSON json_t *ask = json_pack("{s:I}", "from", (json_int_t)from);
	return inspect(c, ask, o, e);
}
