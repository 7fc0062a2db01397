#include "agent/cli_agent.h"

/* One loop serves three sources: the mailbox, the program's output and the clock. What they say
 * becomes wire lines, which forge reads one at a time. Retries, the end of a turn and how a program
 * is stopped are in cli_turn.c. */

#include <poll.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/cli_turn.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "model/task_agents.h"
#include "sys/proc.h"

#define SEND_DEADLINE_NS (30 * NS_PER_S)
#define STEP_NS (20 * NS_PER_MS)

enum { SHOWN_STDERR_LEN = 300, MAX_LOG_BYTES = 4000, MAX_RECORD_BYTES = 64 << 20 };

void cli_push(struct cli *c, json_t *line)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *raw = json_line(line);
	str_add(&text, raw);
	cli_box_mask(&c->box, &text);
	mailbox_link_say(&c->mail, text.text);
	json_decref(line);
}

void cli_log(struct cli *c, const char *fmt, ...)
{
	va_list ap;
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str shown = STR_INIT;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	untrusted_line(&shown, text.text, MAX_LOG_BYTES);
	cli_push(c, json_pack("{s:s, s:s}", "type", "log", "text", shown.text));
}

/* A flood is no record: what it lacks is told in it. */
static bool is_recorded(struct cli *c, size_t len)
{
	if (c->recorded_bytes > MAX_RECORD_BYTES)
		return false;
	c->recorded_bytes += len;
	if (c->recorded_bytes > MAX_RECORD_BYTES)
		transcript_add(&c->record, "note", "the record of this turn ends here: it is full");
	return c->recorded_bytes <= MAX_RECORD_BYTES;
}

static void record(struct cli *c, const char *direction, const char *line)
{
	AUTO_STR struct str text = STR_INIT;
	if (!is_recorded(c, strlen(line)))
		return;
	str_add(&text, line);
	cli_box_mask(&c->box, &text);
	transcript_add(&c->record, direction, text.text);
}

/* A program that does not take it ends soon, or says why; its end is what counts. */
void cli_send(struct cli *c, const char *line)
{
	struct err why = { 0 };
	record(c, "to", line);
	if (c->child && child_write_line(c->child, line, SEND_DEADLINE_NS, &why) < 0)
		cli_log(c, "%s", why.text);
}

void cli_close_input(struct cli *c)
{
	if (c->child)
		child_close_stdin(c->child);
}

static void see_item(void *ctx, const struct ndjson_item *item)
{
	struct cli *c = ctx;
	if (item->kind != NDJSON_WARNING && item->kind != NDJSON_BROKEN)
		record(c, "from", item->text);
	if (item->kind == NDJSON_OBJECT)
		c->ops->take(c, item->obj);
	else
		cli_log(c, "%s", item->text);
	if (item->kind == NDJSON_BROKEN)
		cli_turn_break(c, CLI_ERROR_PROTOCOL, item->text);
}

static void take_bytes(struct cli *c, const struct str *bytes)
{
	if (!c->ops->is_text) {
		ndjson_feed(&c->lines, bytes->text, bytes->len, see_item, c);
		return;
	}
	record(c, "from", bytes->text);
	c->ops->take_text(c, bytes->text, bytes->len);
}

bool cli_take_output(struct cli *c)
{
	AUTO_STR struct str bytes = STR_INIT;
	if (!c->child || c->is_eof)
		return false;
	int got = child_take_output(c->child, &bytes);
	if (got == 1)
		take_bytes(c, &bytes);
	c->is_eof = got == 0;
	if (c->is_eof && !c->ops->is_text)
		ndjson_end(&c->lines, see_item, c);
	return got != 2;
}

static void rest(const struct cli *c)
{
	struct pollfd fd = { .fd = c->child ? child_fd(c->child) : -1, .events = POLLIN };
	poll(&fd, 1, (int)(STEP_NS / NS_PER_MS));
}

static int read_mail(struct cli *c, struct str *line, struct err *e)
{
	int got = mailbox_link_read(&c->mail, line, 0, e);
	if (got == LINK_LINE)
		cli_box_mask(&c->box, line);
	return got;
}

/* What a program wrote to the mailbox before its end is looked at before its end is. */
static int step(struct cli *c, struct str *line, bool *is_idle, struct err *e)
{
	*is_idle = !cli_take_output(c);
	int got = read_mail(c, line, e);
	if (got != LINK_LATE)
		return got;
	if (c->is_eof && c->child)
		cli_turn_gone(c);
	cli_turn_tick(c);
	if (!agent_quota_is_broken(&c->home_quota, c->box.config_outside))
		return LINK_LATE;
	return err_set(e, ERR_CHILD, "the agent filled its folder of configuration");
}

static bool has_lines(const struct cli *c)
{
	return c->mail.nr_read < c->mail.said.nr;
}

int cli_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns, struct err *e)
{
	struct cli *c = (struct cli *)link;
	uint64_t until_ns = clock_mono_ns() + wait_ns;
	for (;;) {
		bool is_idle = false;
		/* Nothing is asked and all was said: no answer will come. */
		if (c->prompt && c->state == CLI_IDLE && !has_lines(c))
			return LINK_END;
		int got = step(c, line, &is_idle, e);
		if (got != LINK_LATE || clock_mono_ns() >= until_ns)
			return got;
		if (is_idle && !has_lines(c))
			rest(c);
	}
}

static void take_hello(struct cli *c)
{
	json_t *ready = json_pack("{s:s, s:s, s:s}", "type", "ready", "name", c->launch.name,
				  "version", c->version.text);
	if (c->launch.provider)
		json_object_set_new(ready, "provider", json_string(c->launch.provider));
	cli_push(c, ready);
}

int cli_write_line(struct agent_link *link, const char *line, struct err *e)
{
	struct cli *c = (struct cli *)link;
	AUTO_JSON json_t *obj = json_read_text(line, strlen(line), "a line of the wire", e);
	if (!obj)
		return -1;
	const char *type = json_text_or(obj, "type", "");
	int got = mailbox_link_write(&c->mail, line, e);
	if (got < 0)
		return -1;
	if (str_equal(type, "hello"))
		return take_hello(c), 0;
	if (str_equal(type, "turn"))
		return cli_turn_begin(c, obj, e);
	if (mailbox_link_is_answered(&c->mail) && !c->answered_ns)
		c->answered_ns = clock_mono_ns();
	return str_equal(type, "repair") ? cli_turn_ask_again(c, json_text_or(obj, "text", ""), e)
					 : 0;
}

void cli_describe_end(struct agent_link *link, struct str *out)
{
	struct cli *c = (struct cli *)link;
	AUTO_STR struct str text = STR_INIT;
	str_add(&text, c->child ? child_stderr(c->child) : "");
	cli_box_mask(&c->box, &text);
	if (text.len)
		str_addf(out, "; it said: %s",
			 text.len > SHOWN_STDERR_LEN ? text.text + text.len - SHOWN_STDERR_LEN
						     : text.text);
}

static void open_record(struct cli *c)
{
	const char *path = c->spec->transcript;
	size_t len = path ? strlen(path) : 0;
	if (path && str_ends(path, ".jsonl"))
		len -= strlen(".jsonl");
	AUTO_FREE char *own = path ? xasprintf("%.*s.cli.jsonl", (int)len, path) : NULL;
	transcript_open(&c->record, own, c->spec->resume != NULL);
}

int cli_check(const struct agent_ops *ops, const struct agent_settings *settings, struct err *e)
{
	AUTO_LAUNCH struct launch l = { 0 };
	const char *name = settings && settings->profile ? settings->profile : ops->name;
	if (launch_load(&l, name, ops->name, e) < 0 || launch_adapt(&l, settings, e) < 0)
		return -1;
	AUTO_FREE char *program = launch_program(&l, e);
	return program ? 0 : -1;
}

static int prepare(struct cli *c, struct err *e)
{
	const struct agent_settings *task = c->spec->settings;
	const char *name = task && task->profile ? task->profile : c->ops->driver;
	if (launch_load(&c->launch, name, c->ops->driver, e) < 0 ||
	    launch_adapt(&c->launch, task, e) < 0 ||
	    cli_box_open(&c->box, c->spec, &c->launch, e) < 0)
		return -1;
	c->mail.link.workspace = c->box.workspace;
	if (mailbox_link_open(&c->mail, c->spec, c->box.mailbox_outside, e) < 0)
		return -1;
	return cli_box_version(&c->box, &c->version, e);
}

int cli_start(struct agent_link **out, const struct cli_ops *ops, const struct agent_spec *spec,
	      struct err *e)
{
	struct cli *c = xcalloc(1, sizeof(*c));
	*c = (struct cli){ .ops = ops,
			   .spec = spec,
			   .is_usage_known = true,
			   .version = STR_INIT,
			   .said = STR_INIT };
	ndjson_init(&c->lines);
	c->home_quota.looked_ns = clock_mono_ns();
	c->home_quota.max_bytes = spec->workspace_bytes;
	*out = &c->mail.link;
	if (prepare(c, e) < 0) {
		cli_stop(out);
		return -1;
	}
	c->stream = ops->new_stream(c, (struct cli_sink){ cli_turn_see, c });
	open_record(c);
	return 0;
}

void cli_stop(struct agent_link **link)
{
	struct cli *c = (struct cli *)*link;
	cli_turn_stop_process(c);
	mailbox_link_close(&c->mail);
	if (c->stream)
		c->ops->free_stream(c->stream);
	transcript_close(&c->record);
	ndjson_release(&c->lines);
	cli_box_release(&c->box);
	launch_release(&c->launch);
	free(c->prompt);
	free(c->session);
	free(c->model);
	str_release(&c->version);
	str_release(&c->said);
	free(c);
	*link = NULL;
}
