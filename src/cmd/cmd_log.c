#include "cmd/cmd.h"

/* The events of a run: one line each, as the raw JSON, or one of them explained in full. Reading
 * verifies the hash chain, so `forge log` is also the way to check a log. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "cmd/event_json.h"
#include "cmd/hand.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "store/chaindir.h"
#include "store/eventlog.h"
#include "store/rundir.h"

enum { MAX_VALUE_SHOWN = 48, MAX_LINE_SHOWN = 160 };

struct log_view {
	bool is_json;
	int64_t explain; /* 0: all */
	bool was_found;
};

static void add_value(const json_t *value, struct str *out)
{
	AUTO_FREE char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS |
							 JSON_REAL_PRECISION(6));
	const char *text = json_is_string(value) ? json_string_value(value) : dump;
	AUTO_STR struct str shown = STR_INIT;
	untrusted_line(&shown, text, 0);
	bool is_long = shown.len > MAX_VALUE_SHOWN;
	size_t len = is_long ? MAX_VALUE_SHOWN : shown.len;
	while (is_long && (shown.text[len] & 0xc0) == 0x80)
		len--;
	str_addf(out, "%.*s%s", (int)len, shown.text, is_long ? "..." : "");
}

static void add_body(const json_t *body, struct str *out)
{
	const char *key;
	json_t *value;
	/* jansson's iterator wants a mutable object; it only reads. */
	json_object_foreach((json_t *)(uintptr_t)body, key, value)
	{
		if (out->len > MAX_LINE_SHOWN) {
			str_add(out, " ...");
			return;
		}
		str_addf(out, " %s=", key);
		add_value(value, out);
	}
}

static void print_line(const struct event *event)
{
	AUTO_STR struct str line = STR_INIT;
	str_addf(&line, "%5llu  %.19s  %-20s", (unsigned long long)event->seq, event->wall,
		 event->type_name);
	add_body(event->body, &line);
	term_print("%s\n", line.text);
}

static void explain(const struct event *event)
{
	AUTO_FREE char *body = json_dumps(event->body, JSON_INDENT(2) | JSON_SORT_KEYS);
	AUTO_STR struct str safe = STR_INIT;
	untrusted_json(&safe, body);
	term_print("event    %llu\n", (unsigned long long)event->seq);
	term_print("type     %s (version %lld)\n", event->type_name, (long long)event->version);
	term_print("meaning  %s\n", event->type == EVENT_UNKNOWN ? "of a later forge"
								 : event_type_text(event->type));
	term_print("time     %s\n", event->wall);
	term_print("written  %s\n", event->where);
	term_print("digest   %s\n", event->digest.hex);
	term_print("before   %s\n", event->prev.hex);
	term_put("body     ");
	term_put(safe.text);
	term_put("\n");
}

static int see(void *ctx, const struct event *event, struct err *e)
{
	struct log_view *view = ctx;
	(void)e;
	if (view->explain && event->seq != (uint64_t)view->explain)
		return 0;
	view->was_found = true;
	AUTO_JSON json_t *json = event_json(event);
	if (view->is_json)
		hand_print_json(json);
	else if (view->explain)
		explain(event);
	else
		print_line(event);
	return 0;
}

int cmd_log(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct log_view view = { 0 };
	const struct opt rows[] = {
		{ 0, "json", OPT_FLAG, NULL, "one JSON object a line", &view.is_json },
		{ 0, "explain", OPT_COUNT, "N", "event N in full, with the code that wrote it",
		  &view.explain },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	bool is_chain = chaindir_is_chain(rest.items[0]);
	if (!is_chain && need_run(rest.items[0], e) < 0)
		return -1;
	AUTO_FREE char *path = is_chain ? chaindir_path(rest.items[0], CHAINDIR_LOG)
					: rundir_path(rest.items[0], RUNDIR_EVENTS);
	if (eventlog_read(path, see, &view, e) < 0)
		return -1;
	if (view.explain && !view.was_found)
		return err_set(e, ERR_INPUT, "%s has no event %lld", path, (long long)view.explain);
	return 0;
}
