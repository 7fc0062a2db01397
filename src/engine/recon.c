#include "engine/recon.h"

/* Who reads rows only has a lab of its own, a record answers the turns that it was made of, and a
 * person looks when they like: the session is for models, whose every turn is a new memory. */

#include <string.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "engine/engine_in.h"
#include "engine/knowledge.h"
#include "engine/teacher_tools.h"
#include "engine/turns.h"

/* What the next session reads before it begins; more would be a log. */
enum { MAX_FINDINGS = 40, MAX_FINDING_BYTES = 600 };

static const char purpose[] = "reconnaissance";

static bool is_due(const struct engine *g, const json_t *tools)
{
	const struct agent_ops *teacher = agent_driver(g->task.teacher);
	return teacher && teacher->thinks && json_int_or(tools, "left", 0) > 0;
}

/* A mark of a list says nothing in one. */
static const char *without_mark(char *line)
{
	size_t len = strlen(line);
	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = 0;
	line += strspn(line, " \t");
	bool is_mark = (line[0] == '-' || line[0] == '*') && (!line[1] || line[1] == ' ');
	return is_mark ? line + 1 + strspn(line + 1, " ") : line;
}

json_t *recon_findings(const char *text)
{
	AUTO_STRV struct strv lines = { 0 };
	json_t *list = json_array();
	strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.nr && json_array_size(list) < MAX_FINDINGS; i++) {
		AUTO_STR struct str line = STR_INIT;
		untrusted_line(&line, without_mark(lines.items[i]), MAX_FINDING_BYTES);
		if (line.len)
			json_array_append_new(list, json_string(line.text));
	}
	return list;
}

static int ask(struct engine *g, json_t *data, struct agent_answer *answer, struct err *e)
{
	const struct turn_spec turn = { .role = AGENT_TEACHER,
					.kind = TURN_RECONNAISSANCE,
					.purpose = purpose,
					.data = data,
					.has_tools = true };
	if (knowledge_offer(g, data, e) < 0 || turn_ask(g, &turn, answer, e) < 0)
		return -1;
	if (answer->kind == ANSWER_FINDINGS)
		json_object_set_new(data, "findings", recon_findings(answer->text));
	return 0;
}

int recon_run(struct engine *g, json_t *data, struct err *e)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	json_t *tools = teacher_tools_offer(g);
	bool has_asked = run_state_turn(&g->state, purpose) != NULL;
	json_object_set_new(data, "tools", tools);
	if (!has_asked && !is_due(g, tools))
		return 0;
	if (ask(g, data, &answer, e) < 0)
		return -1;
	if (answer.kind == ANSWER_FINDINGS)
		return 0;
	return engine_warn_once(g, e, "the course is written without reconnaissance: %s: %s",
				answer_kind_name(answer.kind), answer.text);
}

int recon_recall(struct engine *g, json_t *data, struct err *e)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	return run_state_turn(&g->state, purpose) ? ask(g, data, &answer, e) : 0;
}
