#include "cmd/hand_turn.h"

#include <stdlib.h>
#include <string.h>

#include "agent/mailbox.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "cmd/hand.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "store/rundir.h"

enum { MAX_TEXT_BYTES = 4 << 20 };

static const char box_name[] = ".forge";

int hand_turn_check_role(const char *role, struct err *e)
{
	if (!role || str_equal(role, "teacher") || str_equal(role, "student"))
		return 0;
	return err_set(e, ERR_USAGE, "--role %s: it is teacher or student", role);
}

static bool has_turn(const char *dir)
{
	struct err ignored = { 0 };
	AUTO_JSON json_t *turn = NULL;
	return mailbox_turn(dir, &turn, &ignored) == 0;
}

static int refuse_run(const char *run, const char *role, struct err *e)
{
	if (role)
		return err_set(e, ERR_CONFLICT, "%s: no turn of the %s is open", run, role);
	return err_set(
		e, ERR_INPUT,
		"%s: no role has been played by hand here yet; [agents] student = \"manual\" in "
		"a task.toml asks for it, and forge run comes to its first turn",
		run);
}

static int find_in_run(const char *run, const char *role, struct str *dir, struct err *e)
{
	AUTO_FREE char *student = rundir_mailbox(run, "student");
	AUTO_FREE char *teacher = rundir_mailbox(run, "teacher");
	if (need_run(run, e) < 0)
		return -1;
	const char *found = file_is_dir(student) ? student : teacher;
	if (role)
		found = str_equal(role, "student") ? student : teacher;
	else if (!has_turn(student) && has_turn(teacher))
		found = teacher;
	str_add(dir, found);
	return file_is_dir(found) ? 0 : refuse_run(run, role, e);
}

int hand_turn_find(const char *run, const char *role, struct str *dir, struct err *e)
{
	const char *named = getenv("FORGE_MAILBOX");
	if (run)
		return find_in_run(run, role, dir, e);
	if (!named || !*named)
		named = file_is_dir(box_name) ? box_name : NULL;
	if (!named)
		return err_set(e, ERR_USAGE,
			       "which run? name its directory; FORGE_MAILBOX names a mailbox, and "
			       "there is no %s here",
			       box_name);
	str_add(dir, named);
	return 0;
}

json_t *hand_turn_text(const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_TEXT_BYTES, &text, e) < 0)
		return NULL;
	json_t *value = json_stringn(text.text, text.len);
	if (!value)
		err_set(e, ERR_INPUT, "%s: not UTF-8", path);
	return value;
}

static int call(const struct hand_turn *h, json_t **reply, struct err *e)
{
	AUTO_STR struct str dir = STR_INIT;
	const struct tool_spec *tool = tool_find(h->tool);
	if (hand_turn_find(h->run, h->role, &dir, e) < 0 || tool_check(tool, h->args, e) < 0)
		return -1;
	AUTO_JSON json_t *line = tool_to_line(tool, h->args);
	if (mailbox_call(dir.text, line, h->timeout_s, reply, e) == 0)
		return 0;
	if (e->kind != ERR_TIMEOUT)
		return -1;
	return err_wrap(e,
			"the answer is in the mailbox and stays there until 'forge run %s' takes "
			"it",
			h->run ? h->run : "RUNDIR");
}

int hand_turn_answer(const struct hand_turn *h, struct err *e)
{
	AUTO_JSON json_t *reply = NULL;
	if (call(h, &reply, e) < 0)
		return -1;
	bool is_accepted = str_equal(json_text_or(reply, "type", ""), "accepted");
	if (h->is_json)
		hand_print_json(reply);
	if (!is_accepted)
		return err_set(e, ERR_INPUT, "%s", json_text_or(reply, "text", "not taken"));
	if (h->is_json)
		return 0;
	term_print("accepted as the answer of turn %lld\n",
		   (long long)json_int_or(reply, "turn", 0));
	term_print("  forge wait%s%s\n", h->run ? " " : "", h->run ? h->run : "");
	return 0;
}

static void add_speedup(const json_t *speedup, struct str *out)
{
	if (!json_is_object(speedup))
		return;
	str_addf(out, ", %s: %.4g times as fast as the reference [%.4g, %.4g]",
		 json_text_or(speedup, "call", "?"), json_real_or(speedup, "ratio", 0),
		 json_real_or(speedup, "low", 0), json_real_or(speedup, "high", 0));
}

static void add_text(const char *separator, const char *text, struct str *out)
{
	if (!text[0])
		return;
	str_add(out, separator);
	untrusted_line(out, text, 0);
}

/* Where it is wrong, and how much. */
static void add_verdict(const json_t *verdict, struct str *out)
{
	const char *state = json_text_or(verdict, "state", "");
	add_text(", ", state, out);
	if (str_equal(state, "pass"))
		return;
	add_text(" ", json_text_or(verdict, "reason", ""), out);
	add_text(" at ", json_text_or(verdict, "shape", ""), out);
	add_text("/", json_text_or(verdict, "group", ""), out);
	add_text(": ", json_text_or(verdict, "detail", ""), out);
}

void hand_turn_verdict(const json_t *last, struct str *out)
{
	const json_t *verdict = json_object_get(last, "verdict");
	if (!json_is_object(last))
		return;
	str_addf(out, "round %lld", (long long)json_int_or(last, "round", 0));
	add_text(" ", json_text_or(last, "decision", ""), out);
	add_text(": ", json_text_or(last, "outcome", ""), out);
	add_verdict(verdict, out);
	add_speedup(json_object_get(last, "speedup"), out);
	add_text("; ", json_text_or(last, "text", ""), out);
	str_add(out, "\n");
}
