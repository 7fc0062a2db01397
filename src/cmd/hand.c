#include "cmd/hand.h"

/* Candidates fail in public here: every case that failed is shown, not only the first. */

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/untrusted.h"
#include "cmd/host_pick.h"
#include "cmd/term.h"

/* One line that is drawn anew; hand_run takes it away before anything else is printed. */
static void show_progress(void *ctx, const struct run_state *state, const char *text)
{
	const struct term *term = ctx;
	(void)state;
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, text, 0);
	if (term->is_tty)
		fprintf(stderr, "\r%.*s\033[K", (int)term_width(STDERR_FILENO) - 1, line.text);
	else
		log_debug("%s", text);
}

static void show_wait(void *ctx, const struct run_state *state, const char *text)
{
	const struct term *term = ctx;
	if (term->is_tty)
		show_progress(ctx, state, text);
	else
		log_info("%s", text);
}

int hand_run(const struct engine_hand *hand, struct engine_answer *answer, struct err *e)
{
	struct engine_host host = { .accept_weak_sandbox = true };
	*answer = (struct engine_answer){ 0 };
	if (host_pick(&host, e) < 0)
		return -1;
	return hand_run_on(&host, hand, answer, e);
}

int hand_run_on(const struct engine_host *host, const struct engine_hand *hand,
		struct engine_answer *answer, struct err *e)
{
	struct term term = term_probe(STDERR_FILENO);
	const struct engine_hooks hooks = {
		.ctx = &term,
		.see_progress = show_progress,
		.see_wait = show_wait,
		.stop_signal = stop_signal_install(),
	};
	int rc = engine_by_hand(hand, host, &hooks, answer, e);
	fputs(term.is_tty ? "\r\033[K" : "", stderr);
	return rc;
}

char *hand_temp_dir(const char *purpose, struct err *e)
{
	const char *parent = getenv("TMPDIR");
	char *dir = xasprintf("%s/forge-%s-XXXXXX", parent && *parent ? parent : "/tmp", purpose);
	if (mkdtemp(dir))
		return dir;
	err_errno(e, ERR_SYSTEM, "make %s", dir);
	free(dir);
	return NULL;
}

void hand_temp_dir_remove(char **dir)
{
	struct err ignored = { 0 };
	if (*dir)
		tree_remove(*dir, &ignored);
	free(*dir);
	*dir = NULL;
}

int hand_need_file(const char *path, struct err *e)
{
	if (access(path, R_OK) < 0)
		return err_errno(e, ERR_INPUT, "open %s", path);
	return 0;
}

static void add_case(struct table *t, const struct case_result *c)
{
	bool is_pass = c->verdict.state == VERDICT_PASS;
	table_addf(t, "%s%s", c->shape, c->held_out ? " (held out)" : "");
	table_add(t, c->group);
	table_add(t, reason_name(c->verdict.reason));
	table_addf(t, "%.2e", c->max_err);
	table_addf(t, "%.2e", c->tolerance);
	table_add(t, is_pass ? "" : c->verdict.detail);
}

void hand_print_cases(const struct result *r, bool only_bad)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	table_init(&t, "lllrrl");
	table_line(&t, "shape\tgroup\tverdict\terror\ttolerance\t");
	for (size_t i = 0; i < r->nr_cases; i++)
		if (!only_bad || r->cases[i].verdict.state != VERDICT_PASS)
			add_case(&t, &r->cases[i]);
	if (t.cells.nr > t.nr_cols)
		table_print(&t, "  ", &out);
	term_put(out.text);
}

json_t *hand_cases_json(const struct result *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->nr_cases; i++) {
		const struct case_result *c = &r->cases[i];
		json_t *obj = json_object();
		json_object_set_new(obj, "shape", json_string(c->shape));
		json_object_set_new(obj, "group", json_string(c->group));
		json_object_set_new(obj, "held_out", json_boolean(c->held_out));
		json_object_set_new(obj, "verdict", verdict_to_json(&c->verdict));
		json_object_set_new(obj, "max_err", json_number(c->max_err));
		json_object_set_new(obj, "tolerance", json_number(c->tolerance));
		json_array_append_new(list, obj);
	}
	return list;
}

size_t hand_count_passed(const struct result *r)
{
	size_t nr = 0;
	for (size_t i = 0; i < r->nr_cases; i++)
		nr += r->cases[i].verdict.state == VERDICT_PASS;
	return nr;
}

void hand_print_json(const json_t *json)
{
	AUTO_FREE char *line = json_line(json);
	term_put(line);
	term_put("\n");
}
