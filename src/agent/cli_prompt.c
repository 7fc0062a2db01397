#include "agent/cli_prompt.h"

#include "agent/cli_agent.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

static void add_answer_names(const struct cli *c, struct str *out)
{
	const json_t *tools = json_object_get(c->mail.turn, "tools");
	size_t nr = 0;
	for (size_t i = 0; i < json_array_size(tools); i++) {
		const json_t *tool = json_array_get(tools, i);
		if (json_bool_or(tool, "answer", false))
			str_addf(out, "%s`%s`", nr++ ? ", " : "", json_text_or(tool, "name", ""));
	}
	if (!nr)
		str_add(out, "`submit`");
}

static void add_how_to_answer(const struct cli *c, struct str *out)
{
	if (c->ops->is_text) {
		str_addf(out,
			 "Your workspace is %s. Write your file there and answer this turn by the "
			 "command `forge submit FILE` (`forge turn` shows all of the turn), or "
			 "print "
			 "the whole file in one fenced code block at the very end.\n",
			 c->box.workspace);
		return;
	}
	str_addf(out,
		 "Your workspace is %s. The tools of the MCP server `forge` belong to this turn; "
		 "it is "
		 "answered by calling one of ",
		 c->box.workspace);
	add_answer_names(c, out);
	str_add(out, ", exactly once. What you say in words is read by nobody. When the call says "
		     "`accepted`, end your turn.\n");
}

char *cli_prompt_whole(const struct cli *c)
{
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "%s\n\n", json_text_or(c->mail.turn, "prompt", ""));
	add_how_to_answer(c, &text);
	return str_take(&text);
}

char *cli_prompt_resume(const struct cli *c)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text,
		"You were stopped in the middle of this turn, and it goes on now. Your workspace "
		"is as you left it; a call that you got no answer to may be made again. ");
	add_how_to_answer(c, &text);
	return str_take(&text);
}
