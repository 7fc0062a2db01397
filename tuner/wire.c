#include "tuner/wire.h"

/* A turn that can not be answered is an answer of type "error"; only a line that is no JSON ends
 * the conversation. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/version.h"
#include "model/promote.h"
#include "tuner/origin.h"
#include "tuner/say.h"
#include "tuner/student.h"
#include "tuner/teacher.h"
#include "tuner/tools.h"
#include "tuner/ttask.h"

enum { MAX_LINE_BYTES = 8 << 20 };

struct wire {
	FILE *in;
	FILE *out;
	const char *role; /* of the table below; NULL: hello has not said it yet */
	char *line;       /* the last one read */
	size_t cap;
	int nr_calls; /* of tools */
};

/* What an answer has to go by. */
struct turn {
	const json_t *data;
	struct say say;
	struct tools tools;
};

static int send_line(const struct wire *w, json_t *obj, struct err *e)
{
	AUTO_FREE char *line = json_line(obj);
	if (fprintf(w->out, "%s\n", line) < 0 || fflush(w->out) != 0)
		return err_errno(e, ERR_SYSTEM, "write an answer");
	return 0;
}

static json_t *error_answer(const char *text)
{
	return json_pack("{s:s, s:s}", "type", "error", "text", text);
}

/* The reference, or what it was made of, promoted to fp64: no independent judge, which forge tells
 * its user. */
static json_t *judge(struct turn *t, struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STR struct str out = STR_INIT;
	struct tuner_task task;
	struct origin origin;
	const char *reference = json_text_or(t->data, "reference", NULL);
	if (!reference)
		return json_pack("{s:s, s:s}", "type", "give_up", "reason",
				 "the tuner can only promote a reference, and was given none");
	if (tuner_task_read(&task, t->data, &a, e) < 0)
		return NULL;
	origin_find(&origin, reference, &task, &a);
	if (promote_source(origin.source, "reference", &out, e) < 0)
		return NULL;
	return json_pack("{s:s, s:s}", "type", "judge", "source", out.text);
}

static json_t *curriculum(struct turn *t, struct err *e)
{
	return teacher_curriculum(t->data, &t->say, e);
}

static json_t *revision(struct turn *t, struct err *e)
{
	return teacher_revision(t->data, &t->say, &t->tools, e);
}

static json_t *round_row(struct turn *t, struct err *e)
{
	return student_round(t->data, e);
}

static json_t *ablation(struct turn *t, struct err *e)
{
	return student_ablation(t->data, e);
}

static const struct {
	const char *role;
	const char *kind;
	json_t *(*answer)(struct turn *t, struct err *e);
} turns[] = {
	{ "teacher", "judge", judge },       { "teacher", "curriculum", curriculum },
	{ "teacher", "revision", revision }, { "student", "round", round_row },
	{ "student", "ablation", ablation },
};

/* A line that can not be written is no reason to stop: the answer will fail the same way. */
static void send_log(void *ctx, const char *text)
{
	struct err ignored = { 0 };
	AUTO_JSON json_t *line = json_pack("{s:s, s:s}", "type", "log", "text", text);
	if (line)
		send_line(ctx, line, &ignored);
}

/* 1: w->line holds the next line that starts with "{"; 0: there is none any more. */
static int next_line(struct wire *w, size_t *len, struct err *e)
{
	for (;;) {
		ssize_t got = getline(&w->line, &w->cap, w->in);
		if (got < 0)
			return ferror(w->in) ? err_errno(e, ERR_SYSTEM, "read a line") : 0;
		if (got > MAX_LINE_BYTES)
			return err_set(e, ERR_INPUT, "a line is longer than 8 MiB");
		*len = (size_t)got;
		if (w->line[0] == '{')
			return 1;
	}
}

/* Lines of types that are not known here are passed over, as everywhere on the wire. */
static json_t *read_result(struct wire *w, int id)
{
	struct err ignored = { 0 };
	size_t len;
	while (next_line(w, &len, &ignored) == 1) {
		json_t *obj = json_read_text(w->line, len, "line", &ignored);
		if (!obj)
			return NULL;
		if (str_equal(json_text_or(obj, "type", ""), "tool_result") &&
		    json_int_or(obj, "id", -1) == id)
			return obj;
		json_decref(obj);
	}
	return NULL;
}

static json_t *call_tool(void *ctx, const json_t *call)
{
	struct wire *w = ctx;
	struct err ignored = { 0 };
	AUTO_JSON json_t *whole = json_deep_copy(call);
	int id = ++w->nr_calls;
	json_object_set_new(whole, "type", json_string("tool"));
	json_object_set_new(whole, "id", json_integer(id));
	return send_line(w, whole, &ignored) < 0 ? NULL : read_result(w, id);
}

static json_t *answer_turn(struct wire *w, const json_t *turn)
{
	const char *kind = json_text_or(turn, "kind", "");
	const json_t *data = json_object_get(turn, "data");
	struct turn t = { .data = data,
			  .say = { .text = send_log, .ctx = w },
			  .tools = { .call = call_tool, .ctx = w } };
	tools_read(&t.tools, json_object_get(data, "tools"));
	for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
		struct err e = { 0 };
		bool is_ours = str_equal(turns[i].role, w->role);
		if (!is_ours || strcmp(turns[i].kind, kind) != 0)
			continue;
		json_t *answer = turns[i].answer(&t, &e);
		return answer ? answer : error_answer(e.text);
	}
	AUTO_FREE char *text = xasprintf("a %s has no answer to a turn of kind \"%s\"",
					 w->role ? w->role : "nobody", kind);
	return error_answer(text);
}

static int serve_turn(struct wire *w, const json_t *turn, struct err *e)
{
	AUTO_JSON json_t *answer = answer_turn(w, turn);
	AUTO_JSON json_t *done =
		json_pack("{s:s, s:{s:i, s:i}}", "type", "done", "usage", "tokens", 0, "usd", 0);
	if (!answer)
		return err_set(e, ERR_INPUT, "an answer could not be written as JSON");
	return send_line(w, answer, e) < 0 ? -1 : send_line(w, done, e);
}

static const char *find_role(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(turns); i++)
		if (strcmp(turns[i].role, name) == 0)
			return turns[i].role;
	return NULL;
}

static int serve_hello(struct wire *w, const json_t *hello, struct err *e)
{
	int64_t version = json_int_or(hello, "version", 0);
	const char *role = find_role(json_text_or(hello, "role", w->role ? w->role : ""));
	AUTO_JSON json_t *ready = json_pack("{s:s, s:s, s:s}", "type", "ready", "name",
					    "forge-tuner", "version", FORGE_VERSION);
	if (version != 1)
		return err_set(e, ERR_INPUT, "version %lld of the wire is not spoken here",
			       (long long)version);
	if (!role || (w->role && strcmp(role, w->role) != 0))
		return err_set(e, ERR_INPUT, "hello asks for a role that is not ours");
	w->role = role;
	return send_line(w, ready, e);
}

/* A malformed answer can only be our own fault, and would come out the same again. */
static int serve_repair(const struct wire *w, const json_t *repair, struct err *e)
{
	AUTO_JSON json_t *answer = error_answer(json_text_or(repair, "text", "refused"));
	AUTO_JSON json_t *done = json_pack("{s:s}", "type", "done");
	return send_line(w, answer, e) < 0 ? -1 : send_line(w, done, e);
}

static int serve_line(struct wire *w, const char *line, size_t len, struct err *e)
{
	AUTO_JSON json_t *obj = json_read_text(line, len, "line", e);
	if (!obj)
		return -1;
	const char *type = json_text_or(obj, "type", "");
	if (strcmp(type, "hello") == 0)
		return serve_hello(w, obj, e);
	if (strcmp(type, "turn") == 0)
		return serve_turn(w, obj, e);
	if (strcmp(type, "repair") == 0)
		return serve_repair(w, obj, e);
	return 0;
}

int wire_serve(FILE *in, FILE *out, const char *role, struct err *e)
{
	struct wire w = { .in = in, .out = out, .role = role };
	size_t len;
	int rc;
	while ((rc = next_line(&w, &len, e)) == 1) {
		if (serve_line(&w, w.line, len, e) < 0) {
			rc = -1;
			break;
		}
	}
	free(w.line);
	return rc;
}
