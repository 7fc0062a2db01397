#include "agent/cli_turn.h"

/* Who is asked again: an agent whose server was busy, after a while; one that hit a limit, when it
 * resets; one that crashed, once and afresh, for a turn needs no memory. Nobody else: a key that is
 * refused is refused again. An answer that was taken ends the turn whatever comes after it. */

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "agent/cli_agent.h"
#include "agent/cli_prompt.h"
#include "agent/cli_resume.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "sys/proc.h"

/* An agent sums up after its answer, and then tells what it used. forge waits a minute. */
#define ANSWERED_GRACE_NS (45 * NS_PER_S)
#define INTERRUPT_GRACE_NS (5 * NS_PER_S)
#define EOF_GRACE_NS (5 * NS_PER_S)
#define TERM_GRACE_NS (5 * NS_PER_S)
#define STEP_NS (10 * NS_PER_MS)
/* 1, 4, 16 s; a limit whose reset nobody told is waited for that much longer. */
#define RETRY_FIRST_NS NS_PER_S
#define LIMIT_FACTOR 15

enum { MAX_RETRIES = 3, MAX_CRASHES = 1, SHOWN_STDERR_LEN = 300, UUID_BYTES = 16 };

static const char go_on[] = "You were interrupted by a failure of the connection. Go on.";

static json_t *usage_of(const struct cli *c, const struct cli_tokens *t)
{
	json_t *u = json_object();
	const struct {
		const char *key;
		uint64_t count;
		bool is_told;
	} rows[] = {
		{ "requests", t->requests, t->requests > 0 },
		{ "input", t->input, t->has_tokens },
		{ "cache_read", t->cache_read, t->has_tokens },
		{ "cache_write_5m", t->cache_write, t->has_tokens },
		{ "cache_write_1h", 0, t->has_tokens },
		{ "output", t->output, t->has_tokens },
		{ "reasoning", t->reasoning, t->has_tokens && t->reasoning },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].is_told)
			json_object_set_new(u, rows[i].key,
					    json_integer((json_int_t)rows[i].count));
	if (t->has_usd)
		json_object_set_new(u, "usd", json_real(t->usd));
	/* Who does not say which model answered was asked for this one. */
	const char *model = c->model ? c->model : c->launch.model;
	if (model)
		json_object_set_new(u, "model", json_string(model));
	if (c->launch.provider)
		json_object_set_new(u, "provider", json_string(c->launch.provider));
	return u;
}

static void tell_usage(struct cli *c, const struct cli_tokens *t)
{
	json_t *line = usage_of(c, t);
	json_object_set_new(line, "type", json_string("usage"));
	c->has_told_usage = true;
	cli_push(c, line);
}

/* A prompt whose use nobody told makes the whole a lower bound: an empty usage says so. */
static void finish(struct cli *c)
{
	json_t *usage = c->is_usage_known ? usage_of(c, &c->used) : json_object();
	if (c->is_usage_known)
		json_object_set_new(usage, "whole", json_true());
	else if (c->used.has_tokens && !c->has_told_usage)
		tell_usage(c, &c->used);
	c->state = CLI_IDLE;
	cli_push(c, json_pack("{s:s, s:o}", "type", "done", "usage", usage));
}

/* `class` decides what forge does with it (docs/format/agent-wire.md). */
static void finish_as_error(struct cli *c, const char *class, const char *text, int64_t retry_at_s)
{
	AUTO_STR struct str whole = STR_INIT;
	str_addf(&whole, "%s: ", c->launch.name);
	untrusted_block(&whole, text,
			0); /* the end of its stderr may begin inside of a character */
	json_t *line =
		json_pack("{s:s, s:s, s:s}", "type", "error", "class", class, "text", whole.text);
	if (retry_at_s > 0)
		json_object_set_new(line, "retry_at", json_integer(retry_at_s));
	cli_push(c, line);
	finish(c);
}

static void new_session(struct cli *c)
{
	unsigned char b[UUID_BYTES];
	c->has_session = false;
	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		BUG("no random bytes");
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	free(c->session);
	c->session =
		xasprintf("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			  b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
			  b[12], b[13], b[14], b[15]);
}

/* Does a further prompt find the session of the one before? */
static bool has_session(const struct cli *c)
{
	if (c->ops->keeps_process)
		return c->child && !c->is_eof && !c->is_broken;
	return c->has_session && c->launch.nr_more_arguments;
}

static int start_process(struct cli *c, struct err *e)
{
	const struct launch *l = &c->launch;
	bool is_old = c->is_resuming || has_session(c);
	bool is_more = is_old && l->nr_more_arguments;
	if (c->child)
		cli_turn_stop_process(c);
	if (!is_old)
		new_session(c);
	ndjson_release(&c->lines);
	ndjson_init(&c->lines);
	c->is_broken = false;
	return cli_box_start(&c->box, is_more ? l->more_arguments : l->arguments,
			     is_more ? l->nr_more_arguments : l->nr_arguments, c->session,
			     &c->child, e);
}

static int ask(struct cli *c, const char *prompt, struct err *e)
{
	bool is_running = c->ops->keeps_process && has_session(c);
	if (file_write_text(c->box.prompt_outside, prompt, e) < 0)
		return -1;
	if (!is_running && start_process(c, e) < 0)
		return err_wrap(e, "start %s", c->launch.program);
	c->state = CLI_ASKED;
	c->is_interrupted = false;
	str_clear(&c->said);
	c->ops->ask(c, prompt);
	return 0;
}

/* After a failure: the session goes on, or the turn begins anew. */
static void ask_later(struct cli *c, uint64_t delay_ns)
{
	c->state = CLI_WAITING;
	c->wake_ns = clock_mono_ns() + delay_ns;
}

static void wake(struct cli *c)
{
	struct err why = { 0 };
	AUTO_FREE char *resume = c->is_resuming ? cli_prompt_resume(c) : NULL;
	const char *prompt = has_session(c) ? go_on : c->prompt;
	if (ask(c, resume ? resume : prompt, &why) < 0)
		finish_as_error(c, cli_error_name(CLI_ERROR_CRASH), why.text, 0);
}

int cli_turn_begin(struct cli *c, const json_t *turn, struct err *e)
{
	double deadline_s = json_real_or(c->mail.turn, "deadline_s", 0);
	c->deadline_ns = deadline_s > 0 ? clock_mono_ns() + (uint64_t)(deadline_s * 1e9) : 0;
	free(c->prompt);
	c->prompt = cli_prompt_whole(c);
	if (!cli_resume_take(c, turn))
		return ask(c, c->prompt, e);
	AUTO_FREE char *prompt = cli_prompt_resume(c);
	cli_log(c, "it is asked to go on in its session %s", c->session);
	return ask(c, prompt, e);
}

int cli_turn_ask_again(struct cli *c, const char *why, struct err *e)
{
	AUTO_FREE char *short_text =
		xasprintf("This turn has no answer yet: %s. Answer it now, as the turn says.", why);
	AUTO_FREE char *long_text = xasprintf("%s\n\n%s", c->prompt, short_text);
	return ask(c, has_session(c) ? short_text : long_text, e);
}

static void interrupt(struct cli *c)
{
	if (c->is_interrupted || !c->child)
		return;
	c->is_interrupted = true;
	if (c->ops->interrupt)
		c->ops->interrupt(c);
	else
		cli_close_input(c);
}

void cli_turn_tick(struct cli *c)
{
	uint64_t now = clock_mono_ns();
	if (c->state == CLI_WAITING && now >= c->wake_ns)
		wake(c);
	if (c->state != CLI_ASKED || !c->answered_ns || now - c->answered_ns < ANSWERED_GRACE_NS)
		return;
	interrupt(c);
	if (now - c->answered_ns < ANSWERED_GRACE_NS + INTERRUPT_GRACE_NS)
		return;
	c->ops->cut(c);
	c->is_usage_known = false;
	finish(c);
}

static void add_used(struct cli *c, const struct cli_tokens *t)
{
	struct cli_tokens *u = &c->used;
	if (!t->has_tokens && !t->has_usd)
		c->is_usage_known = false;
	if (t->is_partial)
		cli_log(c, "its totals contradict each other: the larger reading counts");
	u->has_usd = c->nr_ends ? u->has_usd && t->has_usd : t->has_usd;
	u->has_tokens |= t->has_tokens;
	u->requests += t->requests;
	u->input += t->input;
	u->cache_read += t->cache_read;
	u->cache_write += t->cache_write;
	u->output += t->output;
	u->reasoning += t->reasoning;
	u->usd += t->usd;
	c->nr_ends++;
}

/* Seconds until it may be asked again; negative: never within this turn. */
static double delay_s(const struct cli *c, const struct cli_event *end)
{
	double now_s = (double)clock_wall_ns() * 1e-9;
	double first_s = (double)RETRY_FIRST_NS * 1e-9;
	double wait_s = first_s * (double)(1u << (2 * c->nr_retries));
	if (end->error == CLI_ERROR_RATE_LIMIT)
		wait_s *= LIMIT_FACTOR;
	if (end->retry_at_s > 0)
		wait_s = (double)end->retry_at_s - now_s + 1;
	else if (end->retry_in_s > 0)
		wait_s = (double)end->retry_in_s;
	wait_s = wait_s < first_s ? first_s : wait_s;
	double left_s = c->deadline_ns ? ((double)c->deadline_ns - (double)clock_mono_ns()) * 1e-9
				       : wait_s + 1;
	return wait_s < left_s ? wait_s : -1;
}

static void add_reset(struct str *text, const struct cli_event *end)
{
	char when[32];
	if (end->retry_at_s <= 0)
		return;
	clock_format_wall((uint64_t)end->retry_at_s * NS_PER_S, when);
	str_addf(text, "; the limit is lifted at %s", when);
}

static bool is_passing(enum cli_error error)
{
	return error == CLI_ERROR_RATE_LIMIT || error == CLI_ERROR_OVERLOADED ||
	       error == CLI_ERROR_SERVER || error == CLI_ERROR_NETWORK;
}

static bool may_retry(struct cli *c, const struct cli_event *end)
{
	if (is_passing(end->error))
		return c->nr_retries++ < MAX_RETRIES;
	if (end->error != CLI_ERROR_CRASH && end->error != CLI_ERROR_PROTOCOL)
		return false;
	return c->nr_crashes++ < MAX_CRASHES;
}

/* Its session is gone, or it can not be taken up: nothing was done yet. */
static bool is_no_resume(const struct cli *c, enum cli_error error)
{
	return c->is_resuming && !is_passing(error) && error != CLI_ERROR_AUTH &&
	       error != CLI_ERROR_BILLING;
}

/* Without a session nothing was asked of a model. */
static void finish_as_no_resume(struct cli *c, const char *text)
{
	AUTO_STR struct str whole = STR_INIT;
	untrusted_block(&whole, text, 0);
	c->state = CLI_IDLE;
	cli_push(c, json_pack("{s:s, s:s, s:s}", "type", "error", "class", "resume", "text",
			      whole.text));
	cli_push(c, json_pack("{s:s, s:{s:i, s:i, s:i}}", "type", "done", "usage", "requests", 0,
			      "input", 0, "output", 0));
}

static void take_failure(struct cli *c, const struct cli_event *end)
{
	double wait_s = delay_s(c, end);
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "%s: %s", cli_error_name(end->error), end->text ? end->text : "");
	if (is_no_resume(c, end->error)) {
		finish_as_no_resume(c, text.text);
		return;
	}
	add_reset(&text, end);
	if (wait_s < 0 || !may_retry(c, end)) {
		finish_as_error(c, cli_error_name(end->error), text.text, end->retry_at_s);
		return;
	}
	cli_log(c, "%s; asked again in %.0f s", text.text, wait_s);
	/* One that does not speak its protocol gets a new process; it is stopped when that begins.
	 */
	c->is_broken |= !is_passing(end->error);
	c->has_session &= !c->is_broken;
	ask_later(c, (uint64_t)(wait_s * 1e9));
}

static void end_prompt(struct cli *c, const struct cli_event *end)
{
	if (c->state != CLI_ASKED)
		return;
	add_used(c, &end->tokens);
	if (c->is_stopping) {
		c->state = CLI_IDLE;
		return;
	}
	if (mailbox_link_is_answered(&c->mail)) {
		finish(c);
		return;
	}
	switch (end->stop) {
	case CLI_STOP_ERROR:
		take_failure(c, end);
		return;
	case CLI_STOP_BUDGET:
	case CLI_STOP_CONTEXT:
	case CLI_STOP_REFUSAL:
		finish_as_error(c, cli_stop_name(end->stop), "it stopped before its answer", 0);
		return;
	case CLI_STOP_MAX_TURNS:
	case CLI_STOP_MAX_TOKENS:
	case CLI_STOP_CANCELLED:
		cli_log(c, "it stopped: %s", cli_stop_name(end->stop));
		finish(c);
		return;
	case CLI_STOP_DONE:
		finish(c);
		return;
	}
}

void cli_end_turn(struct cli *c, const struct cli_event *end)
{
	end_prompt(c, end);
}

static void set_text(char **slot, const char *text)
{
	if (!text || !text[0])
		return;
	free(*slot);
	*slot = xstrdup(text);
}

static void see_session(struct cli *c, const struct cli_event *event)
{
	c->has_session = true;
	c->is_resuming = false;
	set_text(&c->session, event->id);
	set_text(&c->model, event->name);
	cli_push(c, json_pack("{s:s, s:{s:s}}", "type", "memory", "item", "session", c->session));
}

void cli_turn_see(void *ctx, const struct cli_event *event)
{
	struct cli *c = ctx;
	const char *text = event->text ? event->text : "";
	switch (event->kind) {
	case CLI_SESSION:
		see_session(c, event);
		return;
	case CLI_TEXT:
		cli_log(c, "%s", text);
		return;
	case CLI_TOOL_START:
		cli_log(c, "tool %s", event->name ? event->name : "");
		return;
	case CLI_USAGE:
		set_text(&c->model, event->name);
		tell_usage(c, &event->tokens);
		return;
	case CLI_RETRY:
	case CLI_LIMIT:
	case CLI_WARNING:
		cli_log(c, "%s: %s", cli_event_name(event->kind), text);
		return;
	case CLI_REPLY:
		cli_send(c, text);
		return;
	case CLI_TURN_END:
		end_prompt(c, event);
		return;
	case CLI_THINK:
	case CLI_TOOL_END:
	case CLI_NR_EVENTS:
		return;
	}
}

/* How it ended; a program that closed its output and lives on is given a moment, then killed. */
static struct proc_result reap(struct cli *c, struct str *said)
{
	struct proc_result r = { 0 };
	uint64_t until_ns = clock_mono_ns() + EOF_GRACE_NS;
	while (!child_has_ended(c->child, &r) && clock_mono_ns() < until_ns)
		clock_sleep_ns(STEP_NS);
	child_stop(c->child, TERM_GRACE_NS, &r);
	str_add(said, child_stderr(c->child));
	child_free(&c->child);
	cli_box_mask(&c->box, said);
	return r;
}

static void take_crash(struct cli *c, const struct proc_result *r, const struct str *said)
{
	const char *tail = said->len > SHOWN_STDERR_LEN ? said->text + said->len - SHOWN_STDERR_LEN
							: said->text;
	AUTO_STR struct str how = STR_INIT;
	proc_result_describe(r, &how);
	AUTO_FREE char *text = xasprintf("it ended in the middle of its turn (%s)%s%s", how.text,
					 tail[0] ? "; it said: " : "", tail);
	const struct cli_event end = { .kind = CLI_TURN_END,
				       .stop = CLI_STOP_ERROR,
				       .text = text,
				       .error = cli_error_of_text(tail, CLI_ERROR_CRASH) };
	c->ops->cut(c);
	end_prompt(c, &end);
}

void cli_turn_gone(struct cli *c)
{
	AUTO_STR struct str said = STR_INIT;
	struct proc_result r = reap(c, &said);
	c->is_eof = false;
	if (c->state != CLI_ASKED || (c->ops->end && c->ops->end(c, r.exit_code)))
		return;
	take_crash(c, &r, &said);
}

void cli_turn_break(struct cli *c, enum cli_error error, const char *why)
{
	const struct cli_event end = {
		.kind = CLI_TURN_END, .stop = CLI_STOP_ERROR, .text = why, .error = error
	};
	c->ops->cut(c);
	end_prompt(c, &end);
}

/* Wait until it ended its turn, or its life. What it says meanwhile is read, or it would block. */
static void drain(struct cli *c, uint64_t grace_ns, bool until_idle)
{
	uint64_t until_ns = clock_mono_ns() + grace_ns;
	struct proc_result r;
	while (clock_mono_ns() < until_ns && !child_has_ended(c->child, &r)) {
		bool has_output = cli_take_output(c);
		if (until_idle && c->state != CLI_ASKED)
			return;
		if (!has_output)
			clock_sleep_ns(STEP_NS);
	}
}

void cli_turn_stop_process(struct cli *c)
{
	if (!c->child)
		return;
	c->is_stopping = true;
	if (c->state == CLI_ASKED && c->ops->interrupt) {
		interrupt(c);
		drain(c, INTERRUPT_GRACE_NS, true);
	}
	cli_close_input(c);
	drain(c, EOF_GRACE_NS, false);
	child_stop(c->child, TERM_GRACE_NS, NULL);
	child_free(&c->child);
	c->is_eof = false;
	c->is_stopping = false;
}
