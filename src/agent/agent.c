#include "agent/agent.h"

/* One conversation: hello, ready, turn, log lines, one answer, done. Reads wait in short steps, so
 * that a stop signal is seen at once whatever the agent does. A malformed answer gets one repair
 * request: models slip in format more often than in substance, and a second slip is no slip. An
 * answer that came as a tool call was called accepted: it stands, whatever happens after. */

#include <string.h>

#include "agent/agent_box.h"
#include "agent/agent_ops.h"
#include "agent/answer.h"
#include "agent/calls.h"
#include "agent/frame.h"
#include "agent/memory.h"
#include "agent/meter.h"
#include "agent/tool_table.h"
#include "agent/transcript.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "base/untrusted.h"

/* A process that can not say ready within this time never will (docs/format/agent-wire.md). */
#define READY_DEADLINE_NS (30 * NS_PER_S)
#define READ_STEP_NS (100 * NS_PER_MS)
/* An agent whose answer was accepted may sum up and tell what it used. */
#define DONE_GRACE_NS (60 * NS_PER_S)
/* In a row: whoever was told three times what is wrong will not hear it. */
enum { MAX_BAD_CALLS = 3 };
/* Later than any clock here shows, with room to be put off. */
#define NEVER_NS (UINT64_MAX / 2)
/* An answer that the last call bought is on its way when its usage is told. */
#define SPENT_DEADLINE_NS (2 * NS_PER_S)

/* As of other budgets (engine/budget.c): a model that hears it can still answer. */
#define SCARCE_SHARE 0.2

enum { MAX_REPAIRS = 1, MAX_REPAIR_BYTES = 1000 };

static const char late_note[] = "little of the turn's time is left: answer now, with the best you "
				"have";

const char *agent_role_name(enum agent_role role)
{
	return role == AGENT_TEACHER ? "teacher" : "student";
}

const char *turn_kind_name(enum turn_kind kind)
{
	static const char *const names[] = { "judge", "reconnaissance", "curriculum", "revision",
					     "round", "ablation",       "goal",       "generate" };
	return names[kind];
}

bool turn_kind_parse(const char *name, enum turn_kind *kind)
{
	for (int k = TURN_JUDGE; k <= TURN_GENERATE; k++) {
		*kind = (enum turn_kind)k;
		if (str_equal(turn_kind_name(*kind), name))
			return true;
	}
	return false;
}

struct talk {
	const struct agent_spec *spec;
	const struct agent_turn *turn;
	struct agent_answer *answer;
	struct agent_link *link;
	struct transcript transcript;
	struct memory memory;
	struct agent_quota quota;
	struct meter meter;
	struct str spent;     /* why the turn must end: a budget is used up */
	uint64_t deadline_ns; /* monotonic */
	double deadline_s;    /* of the turn, as it was told; 0: none */
	uint64_t tools_ns;    /* that calls took */
	unsigned nr_bad;      /* calls in a row */
	bool has_done;
	bool has_answer;
	bool is_accepted;  /* and the agent was told so */
	bool is_repairing; /* after a request, until the next answer */
};

static bool is_stopped(const struct talk *t)
{
	return t->spec->stop && *t->spec->stop;
}

/* The turn ends here as an error; also when `kind` is ANSWER_STOPPED. */
static void end_as(struct talk *t, enum answer_kind kind, const char *text)
{
	if (t->is_accepted)
		return;
	answer_clear(t->answer);
	t->answer->kind = kind;
	t->answer->text = arena_strdup(&t->answer->arena, text);
}

static void end_as_gone(struct talk *t, const char *what)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text, what);
	if (t->spec->ops->describe_end)
		t->spec->ops->describe_end(t->link, &text);
	end_as(t, ANSWER_ERROR, text.text);
}

static bool send_json(struct talk *t, const json_t *obj)
{
	struct err why = { 0 };
	AUTO_FREE char *line = json_line(obj);
	transcript_add(&t->transcript, "to", line);
	if (t->spec->ops->write_line(t->link, line, &why) == 0)
		return true;
	end_as_gone(t, why.text);
	return false;
}

/* An answer that was given stands. */
static void end_as_spent(struct talk *t)
{
	if (!t->has_answer)
		end_as(t, ANSWER_ERROR, t->spent.text);
}

static void end_as_late(struct talk *t)
{
	if (t->spent.len)
		end_as_spent(t);
	else
		end_as(t, ANSWER_ERROR, "the agent did not answer in time");
}

/* The next line, or false with the turn ended. */
static bool next_line(struct talk *t, struct str *line)
{
	for (;;) {
		struct err why = { 0 };
		str_clear(line);
		int got = t->spec->ops->read_line(t->link, line, READ_STEP_NS, &why);
		if (is_stopped(t))
			return end_as(t, ANSWER_STOPPED, "stopped"), false;
		if (agent_quota_is_broken(&t->quota, t->spec->workspace))
			return end_as(t, ANSWER_ERROR, "the agent filled its workspace"), false;
		if (got == LINK_LINE) {
			transcript_add(&t->transcript, "from", line->text);
			return true;
		}
		if (got == LINK_END)
			return end_as_gone(t, "the agent ended in the middle of its turn"), false;
		if (got < 0)
			return end_as(t, ANSWER_ERROR, why.text), false;
		if (clock_mono_ns() > t->deadline_ns)
			return end_as_late(t), false;
	}
}

static void show_log(struct talk *t, const char *text)
{
	if (t->spec->see_log && text[0])
		t->spec->see_log(t->spec->ctx, text);
}

/* The next JSON object with a type; other lines are log lines. NULL: malformed (`e`) or the turn
 * ended (answer->kind is set). */
static json_t *next_object(struct talk *t, struct err *e)
{
	AUTO_STR struct str line = STR_INIT;
	while (next_line(t, &line)) {
		if (line.text[0] == '{')
			return json_read_text(line.text, line.len, "your line", e);
		show_log(t, line.text);
	}
	return NULL;
}

static bool say_hello(struct talk *t)
{
	AUTO_JSON json_t *hello =
		json_pack("{s:s, s:i, s:s, s:s}", "type", "hello", "version", 1, "role",
			  agent_role_name(t->spec->role), "workspace", t->link->workspace);
	return send_json(t, hello);
}

static bool take_ready(struct talk *t)
{
	for (;;) {
		struct err why = { 0 };
		AUTO_JSON json_t *obj = next_object(t, &why);
		if (!obj && t->answer->kind != ANSWER_NONE)
			return false;
		if (!obj)
			return end_as(t, ANSWER_ERROR, why.text), false;
		if (!str_equal(json_text_or(obj, "type", ""), "ready"))
			continue;
		t->answer->name = arena_strdup(&t->answer->arena, json_text_or(obj, "name", "?"));
		t->answer->version =
			arena_strdup(&t->answer->arena, json_text_or(obj, "version", "?"));
		meter_take_names(&t->meter, obj);
		return true;
	}
}

double agent_deadline_s(const struct agent_ops *ops)
{
	return ops && ops->thinks ? AGENT_MODEL_DEADLINE_S : AGENT_DEADLINE_S;
}

/* 0: none. */
static double deadline_s_of(const struct agent_spec *spec)
{
	if (spec->ops->is_patient)
		return 0;
	return spec->deadline_s > 0 ? spec->deadline_s : agent_deadline_s(spec->ops);
}

static bool send_turn(struct talk *t)
{
	double deadline_s = deadline_s_of(t->spec);
	uint64_t now_ns = clock_mono_ns();
	t->deadline_s = deadline_s;
	t->deadline_ns = deadline_s > 0 ? now_ns + (uint64_t)(deadline_s * 1e9) : NEVER_NS;
	json_t *data = t->turn->data ? frame_data(t->turn->data) : json_object();
	AUTO_JSON json_t *turn =
		json_pack("{s:s, s:i, s:s, s:s, s:s, s:f, s:s, s:o, s:o}", "type", "turn", "id",
			  (int)t->turn->id, "kind", turn_kind_name(t->turn->kind), "purpose",
			  t->turn->purpose ? t->turn->purpose : "", "prompt",
			  t->turn->prompt ? t->turn->prompt : "", "deadline_s", deadline_s, "frame",
			  frame_note, "data", data, "tools",
			  tools_to_json(t->turn->kind, t->spec->ops->needs_file_tools));
	if (t->spec->resume)
		json_object_set(turn, "memory", (json_t *)(uintptr_t)t->spec->resume);
	if (t->spec->resume && t->spec->spent)
		json_object_set_new(turn, "spent", usage_to_json(t->spec->spent));
	return send_json(t, turn);
}

/* Ask for the answer again, or end the turn when that was done before. */
static bool repair(struct talk *t, const char *what)
{
	if (t->is_accepted)
		return true;
	if (t->spent.len)
		return end_as(t, ANSWER_ERROR, t->spent.text), false;
	if (t->answer->nr_repairs >= MAX_REPAIRS) {
		AUTO_FREE char *text = xasprintf("malformed twice: %s", what);
		return end_as(t, ANSWER_ERROR, text), false;
	}
	t->answer->nr_repairs++;
	answer_clear(t->answer);
	t->has_answer = false;
	t->is_repairing = true;
	AUTO_STR struct str shown = STR_INIT;
	untrusted_line(&shown, what, MAX_REPAIR_BYTES);
	AUTO_JSON json_t *ask = json_pack("{s:s, s:i, s:s}", "type", "repair", "id",
					  (int)t->turn->id, "text", shown.text);
	return send_json(t, ask);
}

/* The call that passed a budget is the last one; what it bought is waited for, for a moment. */
static bool take_usage(struct talk *t, const json_t *line)
{
	bool was_spent = t->spent.len > 0;
	AUTO_STR struct str why = STR_INIT;
	if (!meter_take_line(&t->meter, line, &why))
		return true;
	if (was_spent || t->has_answer)
		return end_as_spent(t), false;
	uint64_t last_ns = clock_mono_ns() + SPENT_DEADLINE_NS;
	str_add(&t->spent, why.text);
	t->deadline_ns = last_ns < t->deadline_ns ? last_ns : t->deadline_ns;
	return true;
}

static bool take_answer(struct talk *t, const json_t *obj)
{
	struct err why = { 0 };
	if (t->has_answer)
		return repair(t, "more than one answer in a turn");
	if (answer_take(t->answer, t->turn->kind, obj, &why) < 0)
		return repair(t, why.text);
	t->has_answer = true;
	t->is_repairing = false;
	return true;
}

/* Of the turn's own time; one who is patient has no end. */
static void add_seconds_left(const struct talk *t, json_t *left)
{
	uint64_t now_ns = clock_mono_ns();
	if (t->deadline_ns >= NEVER_NS)
		return;
	double left_s = t->deadline_ns > now_ns ? (double)(t->deadline_ns - now_ns) * 1e-9 : 0;
	json_object_set_new(left, "seconds", json_integer((json_int_t)left_s));
	if (left_s < SCARCE_SHARE * t->deadline_s)
		json_object_set_new(left, "note", json_string(late_note));
}

/* A model can not see what it has used, and spends better what it knows to be little. */
static void add_left(const struct talk *t, json_t *result)
{
	const struct agent_ops *ops = t->spec->ops;
	if (t->is_accepted || !(ops->thinks || ops->is_patient))
		return;
	json_t *told = t->spec->tell_left ? t->spec->tell_left(t->spec->ctx) : NULL;
	json_t *left = told ? told : json_object();
	add_seconds_left(t, left);
	if (json_object_size(left))
		json_object_set(result, "budget_left", left);
	json_decref(left);
}

static bool send_result(struct talk *t, const json_t *call, const json_t *said)
{
	AUTO_JSON json_t *result = frame_data(said);
	json_t *id = json_object_get(call, "id");
	json_object_set_new(result, "type", json_string("tool_result"));
	json_object_set_new(result, "frame", json_string(frame_note));
	json_object_set(result, "id", id ? id : json_null());
	add_left(t, result);
	return send_json(t, result);
}

static void mark_accepted(struct talk *t)
{
	uint64_t grace_ns = clock_mono_ns() + DONE_GRACE_NS;
	t->has_answer = t->is_accepted = true;
	t->is_repairing = false;
	if (t->deadline_ns > grace_ns)
		t->deadline_ns = grace_ns;
}

/* False: that was one too many. */
static bool count_call(struct talk *t, const struct call_end *end)
{
	t->nr_bad = end->is_bad ? t->nr_bad + 1 : 0;
	if (t->nr_bad < MAX_BAD_CALLS || t->spec->ops->is_patient)
		return true;
	AUTO_FREE char *text = xasprintf("%u calls in a row that can not be taken; the last: %s",
					 t->nr_bad, json_text_or(end->said, "text", ""));
	return end_as(t, ANSWER_ERROR, text), false;
}

/* A call that gives the answer asks for nothing more. */
static bool may_call(struct talk *t, const json_t *call)
{
	const struct tool_spec *tool = tool_find(json_text_or(call, "tool", ""));
	if (tool && tool->is_answer)
		return true;
	if (!t->spent.len && !meter_take_call(&t->meter, &t->spent))
		return true;
	end_as_spent(t);
	return false;
}

/* Calls are answered one at a time, in the order they come. */
static bool take_call(struct talk *t, const json_t *call)
{
	if (!may_call(t, call))
		return false;
	uint64_t since_ns = clock_mono_ns();
	struct call_end end = call_take(t->spec, t->turn, t->answer, t->has_answer, call);
	AUTO_JSON json_t *said = end.said;
	uint64_t took_ns = clock_mono_ns() - since_ns;
	t->tools_ns += took_ns;
	t->deadline_ns += took_ns;
	if (!said)
		return end_as(t, ANSWER_STOPPED, "stopped in a tool call"), false;
	if (end.is_accepted)
		mark_accepted(t);
	return send_result(t, call, said) && count_call(t, &end);
}

/* False: the turn is over. The done of an answer that is being repaired is no end. */
static bool take_object(struct talk *t, const json_t *obj)
{
	const char *type = json_text_or(obj, "type", "");
	if (str_equal(type, "log"))
		return show_log(t, json_text_or(obj, "text", "")), true;
	if (str_equal(type, "memory"))
		return memory_add(&t->memory, json_object_get(obj, "item")), true;
	if (str_equal(type, "tool"))
		return take_call(t, obj);
	if (str_equal(type, "usage"))
		return take_usage(t, obj);
	if (answer_kind_parse(type) != ANSWER_NONE)
		return take_answer(t, obj);
	if (!str_equal(type, "done"))
		return true;
	t->has_done = true;
	meter_take_done(&t->meter, json_object_get(obj, "usage"));
	if (t->has_answer)
		return false;
	return t->is_repairing ? true : repair(t, "done without an answer");
}

static void take_turn(struct talk *t)
{
	bool goes_on = true;
	while (goes_on) {
		struct err why = { 0 };
		AUTO_JSON json_t *obj = next_object(t, &why);
		if (obj)
			goes_on = take_object(t, obj);
		else if (why.kind == ERR_NONE)
			return;
		else
			goes_on = repair(t, why.text);
	}
}

static void converse(struct talk *t)
{
	t->deadline_ns = clock_mono_ns() + READY_DEADLINE_NS;
	if (!say_hello(t) || !take_ready(t) || !send_turn(t))
		return;
	take_turn(t);
	meter_end(&t->meter, t->has_done);
}

int agent_ask(const struct agent_spec *spec, const struct agent_turn *turn,
	      struct agent_answer *answer, struct err *e)
{
	uint64_t start_ns = clock_mono_ns();
	struct talk t = { .spec = spec,
			  .turn = turn,
			  .answer = answer,
			  .meter = { .spec = spec, .answer = answer },
			  .spent = STR_INIT };
	t.quota = (struct agent_quota){ .looked_ns = start_ns, .max_bytes = spec->workspace_bytes };
	*answer = (struct agent_answer){ .name = "", .version = "", .model = "", .provider = "" };
	if (spec->ops->start(&t.link, spec, turn, e) < 0)
		return err_wrap(e, "start agent %s", spec->ops->name);
	transcript_open(&t.transcript, spec->transcript, spec->resume != NULL);
	memory_open(&t.memory, spec->memory, spec->resume != NULL);
	converse(&t);
	spec->ops->stop(&t.link);
	transcript_close(&t.transcript);
	memory_close(&t.memory);
	str_release(&t.spent);
	uint64_t took_ns = clock_mono_ns() - start_ns;
	answer->seconds = (double)took_ns * 1e-9;
	answer->waited_s = (double)(took_ns - t.tools_ns) * 1e-9;
	return 0;
}

void agent_answer_release(struct agent_answer *answer)
{
	answer_clear(answer);
	arena_release(&answer->arena);
}
