#include "agent/agent_ops.h"

/* Recorded answers: line N of RECORD_DIR/ROLE.jsonl answers turn N. No process and no clock, so a
 * campaign with it is deterministic: same record and same seed, same events. It goes through the
 * same conversation as a child does. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_RECORD_BYTES = 64 << 20 };

struct replay {
	struct agent_link link;
	char *dir;
	json_t *items; /* what is left to say: objects, or strings sent raw */
	size_t next;
};

static const char done_line[] = "{\"type\":\"done\"}";

/* Line number `id` (from 1) of a text, or an empty one. */
static void pick_line(const struct str *text, unsigned id, struct str *out)
{
	const char *at = text->text;
	for (unsigned i = 1; at && i < id; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (at)
		str_add_len(out, at, strcspn(at, "\n"));
}

/* "source_file" and "toml_file" are read in place of the text they stand for. */
static int inline_file(const struct replay *r, json_t *item, const char *member, struct err *e)
{
	AUTO_FREE char *key = xasprintf("%s_file", member);
	const char *name = json_text_or(item, key, NULL);
	if (!name)
		return 0;
	AUTO_FREE char *path = path_join(r->dir, name);
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_RECORD_BYTES, &text, e) < 0)
		return -1;
	json_object_set_new(item, member, json_stringn(text.text, text.len));
	json_object_del(item, key);
	return 0;
}

static int add_item(struct replay *r, const json_t *item, struct err *e)
{
	json_t *copy = json_deep_copy(item);
	json_array_append_new(r->items, copy);
	if (!json_is_object(copy))
		return 0;
	return inline_file(r, copy, "source", e) < 0 ? -1 : inline_file(r, copy, "toml", e);
}

static int add_row(struct replay *r, const json_t *row, struct err *e)
{
	const json_t *lines = json_object_get(row, "lines");
	for (size_t i = 0; i < json_array_size(lines); i++)
		if (add_item(r, json_array_get(lines, i), e) < 0)
			return -1;
	if (lines)
		return 0;
	if (add_item(r, row, e) < 0)
		return -1;
	json_array_append_new(r->items, json_string(done_line));
	return 0;
}

static int load_row(struct replay *r, const char *path, unsigned id, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str line = STR_INIT;
	if (file_read(path, MAX_RECORD_BYTES, &text, e) < 0)
		return -1;
	pick_line(&text, id, &line);
	if (!line.len)
		str_add(&line, "{\"type\":\"give_up\",\"reason\":\"the record ends here\"}");
	AUTO_FREE char *doc = xasprintf("%s line %u", path, id);
	AUTO_JSON json_t *row = json_read_text(line.text, line.len, doc, e);
	return row ? add_row(r, row, e) : -1;
}

static void replay_stop(struct agent_link **link)
{
	struct replay *r = (struct replay *)*link;
	json_decref(r->items);
	free(r->dir);
	free(r);
	*link = NULL;
}

static int replay_start(struct agent_link **out, const struct agent_spec *spec,
			const struct agent_turn *turn, struct err *e)
{
	if (!spec->record_dir)
		return err_set(e, ERR_INPUT, "there is no folder of recorded answers");
	AUTO_FREE char *name = xasprintf("%s.jsonl", agent_role_name(spec->role));
	AUTO_FREE char *path = path_join(spec->record_dir, name);
	struct replay *r = xcalloc(1, sizeof(*r));
	*r = (struct replay){ .link.workspace = spec->workspace ? spec->workspace : "",
			      .dir = xstrdup(spec->record_dir),
			      .items = json_array() };
	json_array_append_new(r->items, json_pack("{s:s, s:s, s:s}", "type", "ready", "name",
						  "replay", "version", "1"));
	*out = &r->link;
	if (load_row(r, path, turn->id, e) == 0)
		return 0;
	replay_stop(out);
	return -1;
}

static int replay_write_line(struct agent_link *link, const char *line, struct err *e)
{
	(void)link;
	(void)line;
	(void)e;
	return 0;
}

/* {"sleep_s": x}: true while it lasts. */
static bool is_sleeping(json_t *item, uint64_t wait_ns)
{
	double left_s = json_real_or(item, "sleep_s", 0);
	double step_s = (double)wait_ns * 1e-9;
	if (left_s <= 0)
		return false;
	clock_sleep_ns(wait_ns);
	json_object_set_new(item, "sleep_s", json_real(left_s - step_s));
	return true;
}

static int replay_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns,
			    struct err *e)
{
	struct replay *r = (struct replay *)link;
	(void)e;
	json_t *item = json_array_get(r->items, r->next);
	if (!item)
		return LINK_END;
	if (json_object_get(item, "sleep_s")) {
		r->next += !is_sleeping(item, wait_ns);
		return LINK_LATE;
	}
	r->next++;
	if (json_is_string(item)) {
		str_add(line, json_string_value(item));
		return LINK_LINE;
	}
	AUTO_FREE char *text = json_line(item);
	str_add(line, text);
	return LINK_LINE;
}

const struct agent_ops agent_replay = {
	.name = "replay",
	.is_paid_elsewhere = true,
	.start = replay_start,
	.write_line = replay_write_line,
	.read_line = replay_read_line,
	.stop = replay_stop,
};
