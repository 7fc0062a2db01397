#include "mcp/mcp_calls.h"

/* A call that lasts is answered in time all the same: clients give up after a minute. What is still
 * measured by then is "running", and who calls the same again goes on waiting for the same message,
 * so that nothing is measured twice. Only an answer of the turn may not be sent twice by mistake:
 * it stays in the mailbox for the forge that takes the run up again. */

#include <stdlib.h>
#include <string.h>

#include "agent/tool_table.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/fit.h"

#define S_NS UINT64_C(1000000000)
/* Clients' own limits begin at 60 s. */
enum { CALL_S = 45, ANSWER_S = 20, MAX_CALLS = 64, MAX_LEFT = 16 };
/* Often enough to keep a client's idle timer from running out. */
#define PROGRESS_NS (2 * S_NS)

size_t mcp_calls_max(void)
{
	return MAX_CALLS;
}

json_t *mcp_tool_error(const char *text)
{
	return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", fit_text(text),
			 "isError", 1);
}

json_t *mcp_tool_result(const struct mcp *m, json_t *obj, bool is_error)
{
	json_t *shown = fit_result(obj, m->spec.mailbox);
	AUTO_FREE char *text = json_line(shown);
	json_decref(obj);
	return json_pack("{s:[{s:s, s:s}], s:o, s:b}", "content", "type", "text", "text", text,
			 "structuredContent", shown, "isError", is_error);
}

static uint64_t patience_ns(const struct mcp_call *call)
{
	double asked_s = json_real_or(call->args, "max_s", CALL_S);
	if (call->tool->is_answer)
		return ANSWER_S * S_NS;
	return (uint64_t)((asked_s < CALL_S ? asked_s : CALL_S) * (double)S_NS);
}

void mcp_call_begin(struct mcp *m, const struct mcp_call *call)
{
	m->calls = xreallocarray(m->calls, m->nr_calls + 1, sizeof(*m->calls));
	struct mcp_call *mine = &m->calls[m->nr_calls++];
	*mine = *call;
	mine->until_ns = mine->since_ns + patience_ns(mine);
}

struct mcp_call *mcp_call_left(struct mcp *m, const struct tool_spec *t, const json_t *args)
{
	for (size_t i = 0; i < m->nr_calls; i++) {
		struct mcp_call *call = &m->calls[i];
		if (!call->id && call->tool == t && call->mail[0] && json_equal(call->args, args))
			return call;
	}
	return NULL;
}

static void call_release(struct mcp_call *call)
{
	json_decref(call->args);
	json_decref(call->id);
	json_decref(call->token);
}

static void drop(struct mcp *m, size_t at)
{
	call_release(&m->calls[at]);
	m->nr_calls--;
	memmove(&m->calls[at], &m->calls[at + 1], (m->nr_calls - at) * sizeof(*m->calls));
}

/* Answers that forge has not taken stay; whatever else is in the mailbox is no longer wanted. */
static void withdraw(const struct mcp *m, const struct mcp_call *call)
{
	if (call->mail[0] && !call->tool->is_answer)
		mailbox_withdraw(m->spec.mailbox, call->mail);
}

void mcp_cancel(struct mcp *m, const json_t *id)
{
	for (size_t i = 0; id && i < m->nr_calls; i++) {
		if (!m->calls[i].id || !json_equal(m->calls[i].id, id))
			continue;
		withdraw(m, &m->calls[i]);
		drop(m, i);
		return;
	}
}

/* To whom it may concern: without an id nobody waits, and the call goes on as one left behind. */
static void send_result(struct mcp *m, const struct mcp_call *call, json_t *result)
{
	const struct mcp_ask ask = { .era = call->era, .id = call->id };
	if (call->id)
		mcp_send_result(m, &ask, false, result);
	else
		json_decref(result);
}

/* What forge said in words that a tool's caller reads: an outcome, no type and no id. */
static json_t *told_by(const json_t *reply, bool *is_error)
{
	json_t *obj = json_copy((json_t *)(uintptr_t)reply);
	const char *type = json_text_or(reply, "type", "");
	const char *outcome = json_text_or(reply, "outcome", "");
	bool is_result = str_equal(type, "tool_result");
	if (!is_result)
		json_object_set_new(obj, "outcome", json_string(type));
	*is_error = is_result ? str_equal(outcome, "refused") || str_equal(outcome, "failed")
			      : !str_equal(type, "accepted");
	json_object_del(obj, "type");
	json_object_del(obj, "id");
	return obj;
}

/* `refused`: why forge did not take it; NULL: it did, or will. */
static void note_answer(struct mcp *m, const struct mcp_call *call, const char *refused)
{
	free(m->refused);
	m->refused = refused && !call->id ? xstrdup(refused) : NULL;
	m->answered_turn = refused ? 0 : call->turn;
}

static void finish(struct mcp *m, size_t at, const json_t *reply)
{
	struct mcp_call *call = &m->calls[at];
	bool is_error = false;
	json_t *told = told_by(reply, &is_error);
	if (call->tool->is_answer)
		note_answer(m, call, is_error ? json_text_or(told, "text", "refused") : NULL);
	send_result(m, call, mcp_tool_result(m, told, is_error));
	drop(m, at);
}

/* What a call that was left behind gets lies in the mailbox until somebody asks for it. */
static bool is_left(const struct mcp_call *call)
{
	return !call->id && !call->tool->is_answer;
}

/* The oldest call that nobody asks for any more makes room. */
static void forget_oldest(struct mcp *m)
{
	size_t nr = 0;
	size_t oldest = m->nr_calls;
	for (size_t i = m->nr_calls; i-- > 0;) {
		if (!is_left(&m->calls[i]))
			continue;
		nr++;
		oldest = i;
	}
	if (nr <= MAX_LEFT)
		return;
	withdraw(m, &m->calls[oldest]);
	m->calls[oldest].mail[0] = 0;
}

/* Its caller is told that it goes on, and is free to call again. */
static void leave_behind(struct mcp *m, struct mcp_call *call)
{
	const char *text = call->tool->is_answer
				   ? "it is in the mailbox and forge takes it as soon as it works "
				     "on the run; do not send it again, call wait"
				   : "still under way; call the same again with the same "
				     "arguments for its answer";
	json_t *told = json_pack("{s:s, s:s}", "outcome", "running", "text", text);
	if (call->tool->is_answer)
		note_answer(m, call, NULL);
	send_result(m, call, mcp_tool_result(m, told, false));
	json_decref(call->id);
	json_decref(call->token);
	call->id = call->token = NULL;
	forget_oldest(m);
}

static void tell_progress(struct mcp *m, struct mcp_call *call, uint64_t now_ns)
{
	if (!call->token || now_ns - call->told_ns < PROGRESS_NS)
		return;
	double passed_s = (double)(now_ns - call->since_ns) / (double)S_NS;
	AUTO_JSON json_t *params =
		json_pack("{s:O, s:f, s:s}", "progressToken", call->token, "progress", passed_s,
			  "message", "seconds since the call");
	rpc_add_notification(&m->out, "notifications/progress", params);
	call->told_ns = now_ns;
}

/* True: the call is gone. */
static bool look_after_wait(struct mcp *m, size_t at, uint64_t now_ns)
{
	struct mcp_call *call = &m->calls[at];
	json_t *told = mcp_wait_look(m);
	if (!told && now_ns < call->until_ns)
		return false;
	if (!told)
		told = json_pack("{s:s, s:s}", "outcome", "running", "text",
				 "forge is still at work; call wait again");
	send_result(m, call, mcp_tool_result(m, told, false));
	drop(m, at);
	return true;
}

static bool look_after_mail(struct mcp *m, size_t at, uint64_t now_ns)
{
	struct mcp_call *call = &m->calls[at];
	struct err why = { 0 };
	json_t *found = NULL;
	if (is_left(call))
		return false;
	int got = mailbox_fetch(m->spec.mailbox, call->mail, &found, &why);
	AUTO_JSON json_t *reply = found;
	if (got > 0) {
		finish(m, at, reply);
		return true;
	}
	if (got < 0) {
		send_result(m, call, mcp_tool_error(why.text));
		drop(m, at);
		return true;
	}
	if (call->id && now_ns >= call->until_ns)
		leave_behind(m, call);
	return false;
}

static bool look_after(struct mcp *m, size_t at, uint64_t now_ns)
{
	bool is_wait = str_equal(m->calls[at].tool->name, "wait");
	if (!is_wait && !m->calls[at].mail[0]) {
		drop(m, at); /* somebody took it up again, or it was forgotten */
		return true;
	}
	if (is_wait ? look_after_wait(m, at, now_ns) : look_after_mail(m, at, now_ns))
		return true;
	tell_progress(m, &m->calls[at], now_ns);
	return false;
}

void mcp_tick(struct mcp *m, uint64_t now_ns)
{
	size_t at = 0;
	while (at < m->nr_calls)
		at += !look_after(m, at, now_ns);
}

bool mcp_is_busy(const struct mcp *m)
{
	for (size_t i = 0; i < m->nr_calls; i++)
		if (!is_left(&m->calls[i]))
			return true;
	return false;
}

void mcp_release(struct mcp *m)
{
	for (size_t i = 0; i < m->nr_calls; i++) {
		withdraw(m, &m->calls[i]);
		call_release(&m->calls[i]);
	}
	free(m->calls);
	free(m->refused);
	str_release(&m->out);
	*m = (struct mcp){ .out = STR_INIT };
}
