#include "engine/turns.h"

/* Order of writes: the answer's file, then agent_turn with the file's digest. A crash before the
 * event repeats the turn; a crash after it reads the file. */

#include <unistd.h>

#include "agent/agent_ops.h"
#include "agent/memory.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/budget.h"
#include "engine/control.h"
#include "engine/engine_in.h"
#include "engine/knowledge.h"
#include "engine/prompts.h"
#include "engine/student_build.h"
#include "engine/teacher_tools.h"
#include "engine/turn_data.h"
#include "engine/turn_usage.h"
#include "model/task_agents.h"

char *turn_ablation_purpose(unsigned call)
{
	return xasprintf("ablation-%04u", call);
}

/* Names of one turn's files below agents/. */
struct turn_files {
	char *answer;     /* below the run directory */
	char *transcript; /* below the run directory */
	char *memory;     /* whole: what the agent told to go on from, while the turn is open */
};

static void files_release(struct turn_files *f)
{
	free(f->answer);
	free(f->transcript);
	free(f->memory);
}

/* Turns of the student that this turn has asked for: a teacher that asks again after a crash has
 * the number that it had before them. */
static unsigned nr_within(const struct engine *g, const char *purpose)
{
	unsigned nr = 0;
	for (size_t i = 0; i < g->state.nr_tools; i++) {
		const struct state_tool *t = &g->state.tools[i];
		AUTO_FREE char *asked = turn_ablation_purpose(t->number);
		nr += str_equal(t->purpose, purpose) && run_state_turn(&g->state, asked);
	}
	return nr;
}

static struct turn_files files_of(const struct engine *g, const struct turn_spec *spec)
{
	unsigned nr = (unsigned)g->state.nr_turns + 1 - nr_within(g, spec->purpose);
	const char *role = agent_role_name(spec->role);
	const char *dir = rundir_name(RUNDIR_AGENTS);
	return (struct turn_files){
		.answer = xasprintf("%s%04u-%s-%s.answer.json", dir, nr, role, spec->purpose),
		.transcript = xasprintf("%s%04u-%s-%s.jsonl", dir, nr, role, spec->purpose),
		.memory = xasprintf("%s/%s%04u-%s-%s.memory.jsonl", g->run_dir, dir, nr, role,
				    spec->purpose),
	};
}

static json_t *answer_to_json(const struct agent_answer *a)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:O?, s:s, s:s}", "kind",
			 answer_kind_name(a->kind), "text", a->text, "note", a->note, "value",
			 a->value, "predicted", a->predicted, "agent", a->name, "version",
			 a->version);
}

static const char *kept_text(struct agent_answer *a, const json_t *doc, const char *key)
{
	const char *text = json_text_or(doc, key, NULL);
	return text ? arena_strdup(&a->arena, text) : NULL;
}

static enum answer_kind kind_of(const char *name)
{
	for (int k = ANSWER_JUDGE; k <= ANSWER_ERROR; k++)
		if (str_equal(answer_kind_name((enum answer_kind)k), name))
			return (enum answer_kind)k;
	return ANSWER_ERROR;
}

/* The answer of a turn that an earlier session recorded. */
static int reread(const struct engine *g, const struct state_turn *turn, struct agent_answer *a,
		  struct err *e)
{
	AUTO_FREE char *path = path_join(g->run_dir, turn->file);
	struct digest now;
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (!str_equal(now.hex, turn->digest))
		return err_set(e, ERR_CONFLICT, "%s: changed after it was recorded", path);
	AUTO_JSON json_t *doc = json_read_file(path, e);
	if (!doc)
		return -1;
	*a = (struct agent_answer){ .kind = kind_of(json_text_or(doc, "kind", "")) };
	a->text = kept_text(a, doc, "text");
	a->note = kept_text(a, doc, "note");
	a->value = kept_text(a, doc, "value");
	a->name = kept_text(a, doc, "agent");
	a->version = kept_text(a, doc, "version");
	json_t *predicted = json_object_get(doc, "predicted");
	a->predicted = json_is_object(predicted) ? json_incref(predicted) : NULL;
	return 0;
}

static int record(struct engine *g, const struct turn_spec *spec, const struct agent_answer *a,
		  const struct turn_files *files, struct err *e)
{
	AUTO_FREE char *path = path_join(g->run_dir, files->answer);
	AUTO_JSON json_t *doc = answer_to_json(a);
	struct digest digest;
	if (json_write_file(path, doc, e) < 0 || digest_file(path, &digest, e) < 0)
		return -1;
	json_t *body = turn_usage_body(g, spec, a);
	json_object_set_new(body, "answer", json_string(answer_kind_name(a->kind)));
	json_object_set_new(body, "file", json_string(files->answer));
	json_object_set_new(body, "digest", json_string(digest.hex));
	json_object_set_new(body, "repairs", json_integer(a->nr_repairs));
	json_object_set_new(body, "transcript", json_string(files->transcript));
	const char *driver = spec->role == AGENT_TEACHER ? g->task.teacher : g->task.student;
	if (agent_driver(driver)->is_patient)
		json_object_set_new(body, "waited_s", json_real(a->waited_s));
	const char *where = __FILE__ ":" EVENTLOG_TEXT(__LINE__);
	if (engine_event_at(g, EVENT_agent_turn, body, where, e) < 0)
		return -1;
	return turn_usage_settle(g, spec, a, e);
}

/* What callbacks of a conversation need. */
struct in_turn {
	struct engine *g;
	const struct turn_spec *spec;
	bool is_patient;
	uint64_t idle_ns; /* since when the turn waits for the agent */
	unsigned nr_built;
	struct turn_meter meter;
	struct err why; /* of a tool call that could not be answered, or an event not written */
};

static json_t *answer_call(struct in_turn *in, const json_t *call)
{
	if (in->spec->role == AGENT_STUDENT)
		return student_build(in->g, call, &in->nr_built, &in->why);
	return teacher_tools_call(in->g, in->spec->purpose, call, &in->why);
}

/* What a person thought before it asked is no budget either. */
static json_t *call_tool(void *ctx, const json_t *call)
{
	struct in_turn *in = ctx;
	if (in->is_patient)
		in->g->waiting_s += (double)(clock_mono_ns() - in->idle_ns) * 1e-9;
	json_t *said = answer_call(in, call);
	in->idle_ns = clock_mono_ns();
	return said;
}

static bool spend(void *ctx, const struct usage *more, struct str *why)
{
	struct in_turn *in = ctx;
	return turn_usage_spend(&in->meter, more, why, &in->why);
}

static json_t *tell_left(void *ctx)
{
	return turn_usage_left(&((struct in_turn *)ctx)->meter);
}

static void show_log(void *ctx, const char *text)
{
	struct engine *g = ((struct in_turn *)ctx)->g;
	if (g->hooks.see_agent)
		g->hooks.see_agent(g->hooks.ctx, text);
	else
		engine_say(g, "%s", text);
}

/* Where an agent was when forge was stopped in the middle of its turn. */
struct resume {
	json_t *memory; /* owned */
	struct usage spent;
};

static void resume_release(struct resume *r)
{
	json_decref(r->memory);
}
#define AUTO_RESUME __attribute__((cleanup(resume_release)))

/* A turn that starts has an empty workspace: what it needs is in the turn. */
static int empty_workspace(const char *path, struct err *e)
{
	if (tree_remove(path, e) < 0)
		return -1;
	return dir_make(path, e);
}

static const struct agent_ops *driver_of(const struct engine *g, enum agent_role role)
{
	return agent_driver(role == AGENT_TEACHER ? g->task.teacher : g->task.student);
}

/* The whole turn as a text for a model, a sentence for who reads the data. */
static int write_prompt(const struct engine *g, const struct turn_spec *spec, const json_t *data,
			struct str *prompt, struct err *e)
{
	const struct agent_ops *ops = driver_of(g, spec->role);
	if (!ops)
		return err_set(e, ERR_INPUT, "no agent driver for the %s",
			       agent_role_name(spec->role));
	if (!ops->takes_rows_only)
		return prompt_render(&g->task, spec->kind, data, prompt, e);
	str_add(prompt, prompt_sentence(spec->kind));
	return 0;
}

/* The conversation itself; trouble of a callback is ours. */
static int talk(struct in_turn *in, const struct agent_spec *how, const struct agent_turn *turn,
		struct agent_answer *answer, struct err *e)
{
	struct engine *g = in->g;
	in->is_patient = how->ops->is_patient;
	in->idle_ns = clock_mono_ns();
	if (agent_ask(how, turn, answer, e) < 0)
		return -1;
	if (in->is_patient && answer->kind == ANSWER_STOPPED)
		g->waited_s += answer->waited_s;
	if (in->why.kind == ERR_NONE || g->is_stopped)
		return 0;
	*e = in->why;
	return -1;
}

/* Afresh, or where `resume` (else NULL) says that the agent was. */
static int converse(struct engine *g, const struct turn_spec *spec, const struct turn_files *files,
		    const struct resume *resume, struct agent_answer *answer, struct err *e)
{
	bool is_teacher = spec->role == AGENT_TEACHER;
	const struct state_usage *usage =
		is_teacher ? &g->state.teacher_usage : &g->state.student_usage;
	AUTO_FREE char *agents = engine_path(g, RUNDIR_AGENTS);
	AUTO_FREE char *workspace = xasprintf("%s/%s-work", agents, agent_role_name(spec->role));
	AUTO_FREE char *home = xasprintf("%s/%s-home", agents, agent_role_name(spec->role));
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *record_dir = path_join(task, "replay");
	AUTO_FREE char *transcript = path_join(g->run_dir, files->transcript);
	AUTO_FREE char *mailbox = rundir_mailbox(g->run_dir, agent_role_name(spec->role));
	AUTO_JSON json_t *data = turn_data_whole(g, spec->data);
	AUTO_FREE char *knowledge = NULL;
	AUTO_STR struct str prompt = STR_INIT;
	if (write_prompt(g, spec, data, &prompt, e) < 0 ||
	    (!is_teacher && knowledge_lay_out(g, data, &knowledge, e) < 0))
		return -1;
	struct in_turn in = { .g = g, .spec = spec, .meter = { .g = g, .spec = spec } };
	const char *driver = is_teacher ? g->task.teacher : g->task.student;
	const struct agent_settings settings = task_agent_settings(&g->task, driver, is_teacher);
	const struct budget_of of = budget_of_turn(g, agent_role_name(spec->role), spec->purpose);
	const struct agent_spec how = {
		.ops = driver_of(g, spec->role),
		.settings = &settings,
		.role = spec->role,
		.workspace = workspace,
		.home = home,
		.knowledge = knowledge,
		.record_dir = record_dir,
		.transcript = transcript,
		.memory = files->memory,
		.resume = resume ? resume->memory : NULL,
		.spent = resume ? &resume->spent : NULL,
		.deadline_s =
			budget_turn_deadline_s(g, &of, agent_deadline_s(agent_driver(driver))),
		.stop = g->hooks.stop_signal,
		.see_log = show_log,
		.run_name = path_base(g->run_dir),
		.mailbox = mailbox,
		.call_tool = is_teacher && !spec->has_tools ? NULL : call_tool,
		.prices = g->hooks.prices,
		.spend = spend,
		.tell_left = tell_left,
		.ctx = &in,
	};
	const struct agent_turn turn = { .id = usage->turns + 1,
					 .kind = spec->kind,
					 .purpose = spec->purpose,
					 .prompt = prompt.text,
					 .data = data };
	if (turn_usage_begin(&in.meter, how.ops, resume != NULL, e) < 0 ||
	    (!resume && empty_workspace(workspace, e) < 0))
		return -1;
	return talk(&in, &how, &turn, answer, e);
}

/* The year 2100: no provider means it. */
#define NEVER_S INT64_C(4102444800)

/* Who could not be asked has not answered: nothing is recorded, and the same command asks again. */
static int check_reached(const struct turn_spec *spec, const struct agent_answer *a, struct err *e)
{
	char when[32] = "";
	if (!agent_answer_is_out_of_reach(a))
		return 0;
	if (a->retry_at_s > 0 && a->retry_at_s < NEVER_S)
		clock_format_wall((uint64_t)a->retry_at_s * NS_PER_S, when);
	return err_set(e, ERR_REMOTE, "the %s can not be asked: %s%s%s",
		       agent_role_name(spec->role), a->text, when[0] ? "; again from " : "", when);
}

/* Did an earlier session lose this turn, and is something known to go on from? */
static bool find_resume(const struct engine *g, const struct turn_spec *spec,
			const struct turn_files *files, struct resume *out)
{
	*out = (struct resume){ .memory = NULL };
	if (!run_state_is_lost(&g->state, agent_role_name(spec->role), spec->purpose, &out->spent))
		return false;
	out->memory = memory_load(files->memory);
	return out->memory != NULL;
}

/* Goes on where the agent was, and asks afresh where it can not. */
static int ask_on(struct engine *g, const struct turn_spec *spec, const struct turn_files *files,
		  struct agent_answer *answer, struct err *e)
{
	AUTO_RESUME struct resume resume;
	if (!find_resume(g, spec, files, &resume))
		return converse(g, spec, files, NULL, answer, e);
	engine_say(g, "%s: %s goes on where it was", agent_role_name(spec->role), spec->purpose);
	if (converse(g, spec, files, &resume, answer, e) < 0)
		return -1;
	if (!agent_answer_is_no_resume(answer))
		return 0;
	const struct usage before = answer->usage;
	engine_say(g, "%s: %s begins anew: %s", agent_role_name(spec->role), spec->purpose,
		   answer->text);
	agent_answer_release(answer);
	*answer = (struct agent_answer){ 0 };
	int rc = converse(g, spec, files, NULL, answer, e);
	usage_add(&answer->usage, &before);
	return rc;
}

static int ask_afresh(struct engine *g, const struct turn_spec *spec, struct agent_answer *answer,
		      struct err *e)
{
	struct turn_files files = files_of(g, spec);
	double waiting_s = g->waiting_s; /* of the turn that this one is asked in */
	int rc = ask_on(g, spec, &files, answer, e);
	if (rc == 0 && answer->kind == ANSWER_STOPPED)
		rc = engine_stop(g, e);
	if (rc == 0)
		rc = check_reached(spec, answer, e);
	if (rc < 0)
		turn_usage_lose(g, spec, answer);
	if (rc == 0)
		rc = record(g, spec, answer, &files, e);
	if (rc == 0)
		unlink(files.memory);
	g->waiting_s = waiting_s;
	files_release(&files);
	return rc;
}

int turn_ask(struct engine *g, const struct turn_spec *spec, struct agent_answer *answer,
	     struct err *e)
{
	const struct state_turn *turn = run_state_turn(&g->state, spec->purpose);
	*answer = (struct agent_answer){ 0 };
	if (turn)
		return reread(g, turn, answer, e);
	if (engine_is_stopped(g))
		return engine_stop(g, e);
	if (turn_usage_refuses(g, spec, answer))
		return 0;
	engine_say(g, "%s: %s", agent_role_name(spec->role), spec->purpose);
	return ask_afresh(g, spec, answer, e);
}

static int check_agent(const struct engine *g, enum agent_role role, struct err *e)
{
	bool is_teacher = role == AGENT_TEACHER;
	const char *driver = is_teacher ? g->task.teacher : g->task.student;
	const struct agent_ops *ops = agent_driver(driver);
	const struct agent_settings settings = task_agent_settings(&g->task, driver, is_teacher);
	if (!ops || !ops->check || ops->check(ops, &settings, e) == 0)
		return 0;
	return err_wrap(e, "%s %s", agent_role_name(role), driver);
}

int turn_agents_check(const struct engine *g, struct err *e)
{
	if (!control_is_goal_only(g) && check_agent(g, AGENT_TEACHER, e) < 0)
		return -1;
	return check_agent(g, AGENT_STUDENT, e);
}
