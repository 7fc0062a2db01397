#include "agent/agent_ops.h"

/* A model behind an API: forge-llm, which stands beside forge, in the agents' box with the network
 * and one key. Two rows, for the two formats; which one is spoken is a member of the settings. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/agent_box.h"
#include "agent/key.h"
#include "agent/provider.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/str.h"
#include "model/task_agents.h"
#include "sys/proc.h"

#define WRITE_DEADLINE_NS (30 * NS_PER_S)
#define STOP_GRACE_NS (2 * NS_PER_S)

enum { SHOWN_STDERR_LEN = 300 };

struct llm {
	struct agent_link link;
	struct agent_box box;
};

static void llm_stop(struct agent_link **link)
{
	struct llm *l = (struct llm *)*link;
	if (l->box.child) {
		child_stop(l->box.child, STOP_GRACE_NS, NULL);
		child_free(&l->box.child);
	}
	free(l);
	*link = NULL;
}

static int load_profile(struct provider *p, const char *driver,
			const struct agent_settings *settings, struct err *e)
{
	const char *name =
		settings && settings->profile ? settings->profile : provider_default(driver);
	if (provider_load(p, name, e) < 0)
		return -1;
	if (str_equal(p->format, driver))
		return 0;
	return err_set(e, ERR_INPUT, "provider profile \"%s\" is for the driver %s, not %s", name,
		       p->format, driver);
}

/* "NAME=value" of the one key, or NULL where there is none to be had. */
static int find_key(const char *name, char **out, struct err *e)
{
	*out = NULL;
	if (!name)
		return 0;
	AUTO_FREE char *key = key_find(name, e);
	if (!key)
		return -1;
	*out = xasprintf("%s=%s", name, key);
	return 0;
}

/* What forge-llm is started with: its settings, and "NAME=value" of its key or NULL. */
static json_t *prepare(const struct agent_ops *ops, const struct agent_settings *settings,
		       char **key, struct err *e)
{
	AUTO_PROVIDER struct provider p = { 0 };
	const char *key_env = NULL;
	*key = NULL;
	if (load_profile(&p, ops->name, settings, e) < 0)
		return NULL;
	AUTO_JSON json_t *out = provider_settings(&p, settings, &key_env, e);
	return out && find_key(key_env, key, e) == 0 ? json_incref(out) : NULL;
}

static int llm_check(const struct agent_ops *ops, const struct agent_settings *settings,
		     struct err *e)
{
	AUTO_FREE char *key = NULL;
	AUTO_JSON json_t *prepared = prepare(ops, settings, &key, e);
	return prepared ? 0 : -1;
}

static int start_box(struct llm *l, const struct agent_spec *spec, const char *settings,
		     const char *key, struct err *e)
{
	AUTO_FREE char *program =
		spec->program ? xstrdup(spec->program) : sibling_path("forge-llm");
	const char *const arguments[] = { "--settings", settings, NULL };
	const char *const env[] = { key, NULL };
	const struct agent_start start = { .program = program, .arguments = arguments, .env = env };
	if (!file_exists(program))
		return err_set(e, ERR_INPUT, "%s: not there; is forge installed whole?", program);
	int status = agent_box_start(&l->box, spec, &start, e);
	l->link.workspace = l->box.workspace;
	return status;
}

static int llm_start(struct agent_link **out, const struct agent_spec *spec,
		     const struct agent_turn *turn, struct err *e)
{
	AUTO_FREE char *key = NULL;
	AUTO_JSON json_t *settings = prepare(spec->ops, spec->settings, &key, e);
	(void)turn;
	if (!settings)
		return -1;
	AUTO_FREE char *text = json_line(settings);
	struct llm *l = xcalloc(1, sizeof(*l));
	*out = &l->link;
	if (start_box(l, spec, text, key, e) == 0)
		return 0;
	llm_stop(out);
	return -1;
}

static int llm_write_line(struct agent_link *link, const char *line, struct err *e)
{
	return child_write_line(((struct llm *)link)->box.child, line, WRITE_DEADLINE_NS, e);
}

static int llm_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns, struct err *e)
{
	int got = child_read_line(((struct llm *)link)->box.child, line, wait_ns, e);
	if (got > 0)
		return LINK_LINE;
	if (got == 0)
		return LINK_END;
	return e->kind == ERR_TIMEOUT ? LINK_LATE : -1;
}

static void llm_describe_end(struct agent_link *link, struct str *out)
{
	const char *text = child_stderr(((struct llm *)link)->box.child);
	size_t len = strlen(text);
	if (len)
		str_addf(out, "; it said: %s",
			 len > SHOWN_STDERR_LEN ? text + len - SHOWN_STDERR_LEN : text);
}

const struct agent_ops agent_openai_chat = {
	.name = "openai-chat",
	.runs_in_box = true,
	.thinks = true,
	.needs_network = true,
	.needs_file_tools = true,
	.check = llm_check,
	.start = llm_start,
	.write_line = llm_write_line,
	.read_line = llm_read_line,
	.describe_end = llm_describe_end,
	.stop = llm_stop,
};

const struct agent_ops agent_anthropic = {
	.name = "anthropic",
	.runs_in_box = true,
	.thinks = true,
	.needs_network = true,
	.needs_file_tools = true,
	.check = llm_check,
	.start = llm_start,
	.write_line = llm_write_line,
	.read_line = llm_read_line,
	.describe_end = llm_describe_end,
	.stop = llm_stop,
};
