#include "agent/mailbox_link.h"

/* One message at a time is on its way: the conversation answers calls in the order they come, and
 * what waits in the folder waits well there. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"

void mailbox_link_close(struct mailbox_link *m)
{
	if (m->run_name)
		mailbox_close(&m->box);
	json_decref(m->turn);
	strv_release(&m->said);
	free(m->run_name);
	*m = (struct mailbox_link){ .box = MAILBOX_INIT };
}

void mailbox_link_say(struct mailbox_link *m, const char *line)
{
	strv_add(&m->said, line);
}

void mailbox_link_say_ready(struct mailbox_link *m, const char *name, const char *version)
{
	AUTO_JSON json_t *ready =
		json_pack("{s:s, s:s, s:s}", "type", "ready", "name", name, "version", version);
	AUTO_FREE char *line = json_line(ready);
	mailbox_link_say(m, line);
}

/* "round-0007": 7; 0: no turn of a round. */
static unsigned round_of(const json_t *turn)
{
	const char *purpose = json_text_or(turn, "purpose", "");
	return str_starts(purpose, "round-") ? (unsigned)strtoul(purpose + 6, NULL, 10) : 0;
}

json_t *mailbox_state_doc(const struct mailbox_state *s)
{
	unsigned round = round_of(s->turn);
	json_t *doc = json_pack("{s:s, s:s, s:I, s:s, s:b}", "run", s->run_name, "role", s->role,
				"turn", (json_int_t)json_int_or(s->turn, "id", 0), "state",
				s->state, "ends_with_turn", s->ends_with_turn);
	json_object_set_new(doc, "round", round ? json_integer(round) : json_null());
	json_object_set_new(doc, "last", s->last ? json_deep_copy(s->last) : json_null());
	return doc;
}

static int tell(struct mailbox_link *m, const char *state, struct err *e)
{
	const json_t *data = json_object_get(m->turn, "data");
	const struct mailbox_state now = { .run_name = m->run_name,
					   .role = m->role,
					   .turn = m->turn,
					   .state = state,
					   .last = json_object_get(data, "feedback"),
					   .ends_with_turn = m->is_one_turn };
	AUTO_JSON json_t *doc = mailbox_state_doc(&now);
	return mailbox_tell(&m->box, doc, e);
}

int mailbox_link_open(struct mailbox_link *m, const struct agent_spec *spec, const char *dir,
		      struct err *e)
{
	m->role = agent_role_name(spec->role);
	m->is_one_turn = !spec->ops->is_patient;
	m->run_name = xstrdup(spec->run_name ? spec->run_name : "");
	if (!m->link.workspace)
		m->link.workspace = spec->workspace ? spec->workspace : "";
	if (mailbox_open(&m->box, dir, e) < 0)
		return -1;
	return mailbox_has_state(&m->box) ? 0 : tell(m, "between", e);
}

static int offer(struct mailbox_link *m, json_t *line, struct err *e)
{
	json_decref(m->turn);
	m->turn = json_incref(line);
	json_object_del(m->turn, "type");
	json_object_del(m->turn, "memory"); /* the driver's, as is what it was paid for */
	json_object_del(m->turn, "spent");
	json_object_set_new(m->turn, "role", json_string(m->role));
	if (mailbox_offer(&m->box, m->turn, e) < 0)
		return -1;
	return tell(m, "open", e);
}

static int reply(struct mailbox_link *m, json_t *said, struct err *e)
{
	int rc = mailbox_reply(&m->box, m->pending, said, e);
	m->pending[0] = 0;
	return rc;
}

static int reply_malformed(struct mailbox_link *m, const json_t *result, struct err *e)
{
	AUTO_JSON json_t *said = json_pack("{s:s, s:s}", "type", "malformed", "text",
					   json_text_or(result, "text", ""));
	return reply(m, said, e);
}

/* State and turn change before the client is told: what it does next must find them changed. */
static int reply_accepted(struct mailbox_link *m, struct err *e)
{
	unsigned round = round_of(m->turn);
	AUTO_JSON json_t *said = json_pack(
		"{s:s, s:O, s:s}", "type", "accepted", "turn", json_object_get(m->turn, "id"),
		"text",
		"this is the answer of the turn; what comes of it is told with the next turn");
	if (round)
		json_object_set_new(said, "round", json_integer(round));
	m->is_answered = true;
	if (tell(m, "between", e) < 0 || mailbox_offer(&m->box, NULL, e) < 0 ||
	    reply(m, said, e) < 0)
		return -1;
	return mailbox_refuse_all(&m->box, "this turn has its answer; it is over", e);
}

static int take_result(struct mailbox_link *m, json_t *result, struct err *e)
{
	bool is_accepted = str_equal(json_text_or(result, "outcome", ""), "accepted");
	if (!m->pending[0])
		return 0;
	if (is_accepted)
		return reply_accepted(m, e);
	if (m->is_pending_answer)
		return reply_malformed(m, result, e);
	json_object_del(result, "id");
	return reply(m, result, e);
}

int mailbox_link_write(struct mailbox_link *m, const char *line, struct err *e)
{
	AUTO_JSON json_t *obj = json_read_text(line, strlen(line), "line", e);
	const char *type = json_text_or(obj, "type", "");
	if (!obj)
		return -1;
	if (str_equal(type, "turn"))
		return offer(m, obj, e);
	if (str_equal(type, "tool_result"))
		return take_result(m, obj, e);
	return str_equal(type, "hello") ? 0 : 1;
}

static void take_said(struct mailbox_link *m, struct str *line)
{
	str_add(line, m->said.items[m->nr_read++]);
}

/* The tool of a message that would end the turn, or NULL. */
static const struct tool_spec *answer_tool(const json_t *line)
{
	const char *type = json_text_or(line, "type", "");
	bool is_call = str_equal(type, "tool");
	const struct tool_spec *t =
		is_call ? tool_find(json_text_or(line, "tool", "")) : tool_of_answer(type);
	return t && t->is_answer ? t : NULL;
}

/* Why this message can not be taken, or NULL. */
static char *objection(const struct mailbox_link *m, const json_t *line)
{
	const json_t *meant = json_object_get(line, "turn");
	const json_t *open = json_object_get(m->turn, "id");
	bool is_call = str_equal(json_text_or(line, "type", ""), "tool");
	if (m->is_answered)
		return xstrdup("this turn has its answer; it is over");
	if (meant && !json_equal(meant, open))
		return xasprintf("it is meant for another turn; turn %lld is open now",
				 (long long)json_integer_value(open));
	if (!is_call && !answer_tool(line))
		return xstrdup("\"type\" is neither \"tool\" nor the type of an answer, such as "
			       "\"submit\"");
	return NULL;
}

/* The message as a tool call of the wire. */
static void add_call(struct mailbox_link *m, json_t *line, struct str *out)
{
	const struct tool_spec *answer = answer_tool(line);
	json_object_del(line, "turn");
	json_object_set_new(line, "id", json_integer(++m->nr_calls));
	json_object_set_new(line, "type", json_string("tool"));
	if (answer)
		json_object_set_new(line, "tool", json_string(answer->name));
	m->is_pending_answer = answer != NULL;
	AUTO_FREE char *text = json_line(line);
	str_add(out, text);
}

static int take_mail(struct mailbox_link *m, struct mail *mail, struct str *line, struct err *e)
{
	AUTO_FREE char *why = objection(m, mail->line);
	memcpy(m->pending, mail->id, sizeof(m->pending));
	if (!why) {
		add_call(m, mail->line, line);
		return LINK_LINE;
	}
	AUTO_JSON json_t *said = json_pack("{s:s, s:s}", "type", "malformed", "text", why);
	return reply(m, said, e) < 0 ? -1 : LINK_LATE;
}

int mailbox_link_read(struct mailbox_link *m, struct str *line, uint64_t wait_ns, struct err *e)
{
	struct mail mail = { .line = NULL };
	if (m->nr_read < m->said.nr) {
		take_said(m, line);
		return LINK_LINE;
	}
	if (m->pending[0] || !m->turn)
		return LINK_LATE;
	int got = mailbox_take(&m->box, &mail, wait_ns, e);
	if (got <= 0)
		return got < 0 ? -1 : LINK_LATE;
	got = take_mail(m, &mail, line, e);
	json_decref(mail.line);
	return got;
}
