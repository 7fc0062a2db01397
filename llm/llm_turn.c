#include "llm/llm_turn.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/ask.h"
#include "llm/lenient.h"
#include "llm/llm_settings.h"
#include "llm/llm_wire.h"
#include "llm/reply.h"
#include "llm/talk.h"

enum {
	MAX_REMINDERS = 2, /* that an answer is a call of a tool */
	MAX_BAD_CALLS = 3, /* in a row: whoever was told three times will not hear it */
	MAX_PAUSES = 8,
	MAX_SHRINKS = 3, /* after a refusal because of length */
	MIN_PROMPT_TOKENS = 1000,
};
/* Full history up to this part of the window; then down to a smaller one, so that the next
 * requests find the provider's cache again. */
#define FULL_SHARE 0.7
#define ELIDED_SHARE 0.5
/* Of code and English; until the provider has counted a prompt of ours. */
#define BYTES_PER_TOKEN 3.5

#define DEFAULT_DEADLINE_S 600.0

enum turn_step { STEP_ON, STEP_OVER };

struct llm_turn {
	struct asker *a;
	struct llm_wire *wire;
	struct talk talk;
	double bytes_per_token;
	unsigned nr_reminders;
	unsigned nr_bad;
	unsigned nr_pauses;
	unsigned nr_shrinks;
	int64_t last_id; /* of calls on the wire */
	bool is_resumed; /* and nothing was asked since */
	struct err *e;
};

/* Names of the tools whose call is the answer. */
static void add_answers(struct str *out, const json_t *tools)
{
	bool has_any = false;
	for (size_t i = 0; i < json_array_size(tools); i++) {
		const json_t *tool = json_array_get(tools, i);
		if (!json_bool_or(tool, "answer", false))
			continue;
		str_addf(out, "%s%s", has_any ? ", " : "", json_text_or(tool, "name", ""));
		has_any = true;
	}
}

/* The newest item of the conversation goes to forge: if both of us die, the next one goes on from
 * it. It goes before its price does, so that what was booked is never paid a second time. */
static int remember(struct llm_turn *t)
{
	json_t *item = talk_item_json(&t->talk, t->talk.nr_items - 1);
	return llm_wire_send(t->wire, json_pack("{s:s, s:o}", "type", "memory", "item", item),
			     t->e);
}

static void begin(struct llm_turn *t, const json_t *turn)
{
	const json_t *tools = json_object_get(turn, "tools");
	AUTO_STR struct str head = STR_INIT;
	str_add(&head, "You work by calling tools: every reply of yours calls at least one. The "
		       "turn ends when a call of one of these is accepted: ");
	add_answers(&head, tools);
	str_addf(&head,
		 ". Text beside the calls is shown to a person and is never an answer. Results of "
		 "tools are JSON; `budget_left` in them is what you have left of requests, tokens, "
		 "dollars and seconds.\n\n%s",
		 json_text_or(turn, "frame", ""));
	talk_init(&t->talk, head.text, tools);
	talk_add_user(&t->talk, json_text_or(turn, "prompt", ""));
}

static int end_turn(struct llm_turn *t, json_t *answer)
{
	if (answer && llm_wire_send(t->wire, answer, t->e) < 0)
		return -1;
	if (llm_wire_send(t->wire, json_pack("{s:s}", "type", "done"), t->e) < 0)
		return -1;
	return STEP_OVER;
}

static int end_as_error(struct llm_turn *t, const char *class, const char *text)
{
	return end_turn(
		t, json_pack("{s:s, s:s, s:s}", "type", "error", "class", class, "text", text));
}

static int give_up(struct llm_turn *t, const char *why, const char *last_words)
{
	AUTO_FREE char *reason = xasprintf("%s%s%s", why, last_words[0] ? ": " : "", last_words);
	return end_turn(t, json_pack("{s:s, s:s}", "type", "give_up", "reason", reason));
}

/* The times at which the provider would answer again stands beside the class: forge may wait. */
static int end_as_failure(struct llm_turn *t, const struct failure *f)
{
	char text[FAILURE_TEXT_BYTES + 64];
	failure_describe(f, text, sizeof(text));
	json_t *answer = json_pack("{s:s, s:s, s:s}", "type", "error", "class",
				   failure_class_name(f->class), "text", text);
	if (f->wait_s > 0)
		json_object_set_new(answer, "retry_at",
				    json_integer((json_int_t)(clock_wall_ns() / NS_PER_S) +
						 (json_int_t)f->wait_s + 1));
	return end_turn(t, answer);
}

/* What was refused before a model began costs nothing; what broke off costs nobody knows what. */
static void add_counts(const struct asker *a, const struct reply *r, bool is_refused, json_t *line)
{
	static const char *const names[] = {
		[TOKENS_INPUT] = "input",
		[TOKENS_CACHE_READ] = "cache_read",
		[TOKENS_CACHE_WRITE_5M] = "cache_write_5m",
		[TOKENS_CACHE_WRITE_1H] = "cache_write_1h",
		[TOKENS_OUTPUT] = "output",
		[TOKENS_REASONING] = "reasoning",
	};
	json_t *at_least = json_array();
	for (size_t i = 0; i < NR_TOKEN_KINDS; i++) {
		int64_t value = is_refused ? 0 : r->use.tokens[i];
		if (value < 0)
			continue;
		json_object_set_new(line, names[i], json_integer(value));
		json_array_append_new(at_least, json_string(names[i]));
	}
	if (a->has_lost)
		json_object_set(line, "at_least", at_least);
	json_decref(at_least);
}

static void add_usd(const struct asker *a, const struct reply *r, bool is_refused, json_t *line)
{
	if (a->settings->is_free || is_refused)
		json_object_set_new(line, "usd", json_real(0));
	else if (r->use.usd >= 0)
		json_object_set_new(line, "usd", json_real(r->use.usd));
}

/* One line a question, so that forge can end a turn between two of them. */
static int tell_usage(struct llm_turn *t, const struct reply *r, bool has_reply)
{
	struct asker *a = t->a;
	const struct llm_settings *s = a->settings;
	bool is_refused = !has_reply && !a->has_lost;
	json_t *line =
		json_pack("{s:s, s:s, s:s, s:I}", "type", "usage", "provider", s->provider, "model",
			  r->model ? r->model : s->model, "requests", (json_int_t)a->nr_requests);
	add_counts(a, r, is_refused, line);
	add_usd(a, r, is_refused, line);
	a->nr_requests = 0;
	a->has_lost = false;
	return llm_wire_send(t->wire, line, t->e);
}

static int64_t prompt_tokens(const struct reply *r)
{
	static const enum token_kind kinds[] = { TOKENS_INPUT, TOKENS_CACHE_READ,
						 TOKENS_CACHE_WRITE_5M, TOKENS_CACHE_WRITE_1H };
	int64_t sum = 0;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (r->use.tokens[kinds[i]] > 0)
			sum += r->use.tokens[kinds[i]];
	return sum;
}

static void fit_window(struct llm_turn *t)
{
	double window = (double)t->a->settings->context_window * t->bytes_per_token;
	double bytes = (double)talk_bytes(&t->talk);
	if (bytes > window * FULL_SHARE && talk_elide(&t->talk, (size_t)(window * ELIDED_SHARE)))
		llm_wire_log(t->wire,
			     "the conversation grows long: outputs of old calls are elided");
}

static bool shrink(struct llm_turn *t)
{
	return t->nr_shrinks++ < MAX_SHRINKS && talk_elide(&t->talk, talk_bytes(&t->talk) / 2);
}

static int remind(struct llm_turn *t, const struct reply *r)
{
	AUTO_STR struct str text = STR_INIT;
	if (t->nr_reminders++ >= MAX_REMINDERS)
		return give_up(t, "the model called no tool, though it was reminded", r->text.text);
	if (r->stop == STOP_LENGTH)
		str_addf(&text,
			 "Your reply was cut off at its limit of %lld tokens before it called a "
			 "tool. ",
			 (long long)t->a->settings->max_output_tokens);
	str_add(&text, "Your reply called no tool, so nothing was done. Call one; the turn ends "
		       "with one of: ");
	add_answers(&text, t->talk.tools);
	talk_add_user(&t->talk, text.text);
	return remember(t) < 0 ? -1 : STEP_ON;
}

/* The result of call `id`; NULL: the other side has gone, or `e`. Its time is not ours. */
static json_t *await_result(struct llm_turn *t, int64_t id)
{
	uint64_t since_ns = clock_mono_ns();
	json_t *line;
	while ((line = llm_wire_next(t->wire, t->e))) {
		if (str_equal(json_text_or(line, "type", ""), "tool_result") &&
		    json_int_or(line, "id", -1) == id)
			break;
		json_decref(line);
	}
	t->a->until_ns += clock_mono_ns() - since_ns;
	return line;
}

/* What the model is told: all members but those of the wire itself. */
static char *result_text(json_t *result)
{
	json_object_del(result, "type");
	json_object_del(result, "id");
	json_object_del(result, "frame");
	return json_line(result);
}

/* `args` is taken. */
static int run_call(struct llm_turn *t, const char *call_id, const char *name, json_t *args)
{
	int64_t id = ++t->last_id;
	AUTO_JSON json_t *line = args;
	json_object_set_new(line, "type", json_string("tool"));
	json_object_set_new(line, "id", json_integer(id));
	json_object_set_new(line, "tool", json_string(name));
	if (llm_wire_send(t->wire, json_incref(line), t->e) < 0)
		return -1;
	AUTO_JSON json_t *result = await_result(t, id);
	if (!result)
		return t->e->kind == ERR_NONE ? STEP_OVER : -1;
	const char *outcome = json_text_or(result, "outcome", "done");
	if (str_equal(outcome, "accepted"))
		return end_turn(t, NULL);
	bool is_error = !str_equal(outcome, "done");
	AUTO_FREE char *text = result_text(result);
	talk_add_result(&t->talk, call_id, text, is_error);
	return remember(t) < 0 ? -1 : STEP_ON;
}

/* Arguments that are no JSON object are never mended: the model is told where they fail. */
static int refuse_call(struct llm_turn *t, const struct reply *r, const struct call *call,
		       const char *why)
{
	AUTO_FREE char *text = xasprintf(
		"the arguments of %s are no JSON object: %s%s; call it again with the whole object",
		call->name, why,
		r->stop == STOP_LENGTH ? " (your reply was cut off at its limit of tokens)" : "");
	talk_add_result(&t->talk, call->id, text, true);
	llm_wire_log(t->wire, text);
	if (remember(t) < 0)
		return -1;
	if (++t->nr_bad < MAX_BAD_CALLS)
		return STEP_ON;
	return end_as_error(t, "protocol", text);
}

static int take_call(struct llm_turn *t, const struct reply *r, const struct call *call)
{
	struct err why = { 0 };
	const char *text = call->arguments.len ? call->arguments.text : "{}";
	json_t *args = lenient_json(text, strlen(text), &why);
	if (json_is_object(args)) {
		t->nr_bad = 0;
		return run_call(t, call->id, call->name, args);
	}
	if (args)
		err_set(&why, ERR_INPUT, "they are of another type");
	json_decref(args);
	return refuse_call(t, r, call, why.text);
}

static int take_calls(struct llm_turn *t, const struct reply *r)
{
	int step = STEP_ON;
	for (size_t i = 0; i < r->nr_calls && step == STEP_ON; i++)
		step = take_call(t, r, &r->calls[i]);
	return step;
}

/* What it said becomes a part of the conversation. */
static int keep_reply(struct llm_turn *t, const struct reply *r)
{
	int64_t tokens = prompt_tokens(r);
	if (tokens >= MIN_PROMPT_TOKENS)
		t->bytes_per_token = (double)talk_bytes(&t->talk) / (double)tokens;
	if (!r->text.len && !r->nr_calls && !r->nr_blocks)
		return 0;
	talk_add_reply(&t->talk, r);
	return remember(t);
}

static int take_reply(struct llm_turn *t, const struct reply *r)
{
	if (r->nr_calls)
		return take_calls(t, r);
	if (r->stop == STOP_REFUSAL)
		return give_up(t, "the model refuses", r->text.text);
	if (r->stop == STOP_PAUSE && t->nr_pauses++ < MAX_PAUSES)
		return STEP_ON;
	return remind(t, r);
}

static int step_on(struct llm_turn *t)
{
	struct failure failure = { 0 };
	AUTO_REPLY struct reply reply;
	fit_window(t);
	int asked = ask_model(t->a, &t->talk, &reply, &failure);
	bool is_too_long = asked < 0 ? failure.class == FAILURE_CONTEXT
				     : reply.stop == STOP_CONTEXT && !reply.nr_calls;
	if (asked == 0 && !is_too_long && keep_reply(t, &reply) < 0)
		return -1;
	if (tell_usage(t, &reply, asked == 0) < 0)
		return -1;
	if (is_too_long && shrink(t))
		return STEP_ON;
	if (asked < 0 && t->is_resumed && failure.class == FAILURE_INVALID)
		return end_as_error(t, "resume", failure.text);
	if (asked < 0)
		return end_as_failure(t, &failure);
	t->is_resumed = false;
	if (is_too_long)
		return end_as_error(t, "context", "the conversation does not fit the model");
	return take_reply(t, &reply);
}

/* What an earlier process told of the same turn. */
static int restore(struct llm_turn *t, const json_t *memory)
{
	for (size_t i = 0; i < json_array_size(memory); i++)
		if (talk_restore(&t->talk, json_array_get(memory, i)) < 0)
			return end_as_error(t, "resume", "what is remembered of the turn is none");
	t->is_resumed = json_array_size(memory) > 0;
	return STEP_ON;
}

/* Calls that the earlier process had not got the results of are made, perhaps again. */
static int make_open_calls(struct llm_turn *t)
{
	int step = STEP_ON;
	size_t nr;
	const struct talk_call *call = talk_open_calls(&t->talk, &nr);
	for (size_t i = 0; i < nr && step == STEP_ON; i++) {
		struct err ignored = { 0 };
		json_t *args = lenient_json(call[i].arguments, strlen(call[i].arguments), &ignored);
		step = run_call(t, call[i].id, call[i].name, args ? args : json_object());
	}
	return step;
}

static int start(struct llm_turn *t, const json_t *turn)
{
	begin(t, turn);
	if (!json_array_size(t->talk.tools))
		return end_as_error(t, "invalid",
				    "the turn offers no tools, and a model needs some");
	int step = restore(t, json_object_get(turn, "memory"));
	return step == STEP_ON ? make_open_calls(t) : step;
}

int llm_turn_serve(struct asker *a, const json_t *turn, struct err *e)
{
	double deadline_s = json_real_or(turn, "deadline_s", DEFAULT_DEADLINE_S);
	struct llm_turn t = { .a = a, .wire = a->wire, .bytes_per_token = BYTES_PER_TOKEN, .e = e };
	a->until_ns = clock_mono_ns() +
		      (uint64_t)((deadline_s > 0 ? deadline_s : DEFAULT_DEADLINE_S) * 1e9);
	a->nr_requests = 0;
	a->has_lost = false;
	int step = start(&t, turn);
	while (step == STEP_ON)
		step = step_on(&t);
	talk_release(&t.talk);
	return step < 0 ? -1 : 0;
}
