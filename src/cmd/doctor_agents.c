#include "cmd/doctor_agents.h"

/* Two sorts of profiles stand behind drivers: programs (agent/launch.h) and providers of models
 * (agent/provider.h). A row asks the same code that starts the agent in a run, so that what is
 * called there is there. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/key.h"
#include "agent/launch.h"
#include "agent/provider.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/str.h"
#include "base/table.h"
#include "base/untrusted.h"
#include "cmd/price_table.h"
#include "model/prices.h"
#include "model/task_agents.h"
#include "report/usage_text.h"
#include "sys/proc.h"

#define VERSION_DEADLINE_NS (UINT64_C(10) * 1000 * 1000 * 1000)
#define LIVE_DEADLINE_S 120.0
enum { MAX_VERSION_BYTES = 80, MAX_WHY_BYTES = 400 };

static const char live_prompt[] =
	"This is a test of the connection and no task. Look at nothing and write nothing: call the "
	"tool give_up at once, with the reason \"reached\".";

/* The first reason stands. */
static void refuse(json_t *row, const char *why)
{
	AUTO_STR struct str text = STR_INIT;
	if (!json_bool_or(row, "can_run", false))
		return;
	untrusted_line(&text, why, MAX_WHY_BYTES);
	json_object_set_new(row, "can_run", json_false());
	json_object_set_new(row, "why", json_string(text.text));
}

/* What else it takes. */
static void note(json_t *row, const char *what, const char *value)
{
	if (json_bool_or(row, "can_run", false))
		json_object_set_new(row, "why", json_sprintf("%s%s", what, value));
}

static json_t *row_of(const struct agent_ops *ops, const char *profile)
{
	return json_pack("{s:s, s:s?, s:b, s:s, s:n, s:n, s:[], s:n}", "driver", ops->name,
			 "profile", profile, "can_run", 1, "why", "", "program", "version", "keys",
			 "live");
}

static bool is_key(const char *name)
{
	return str_ends(name, "KEY") || str_ends(name, "TOKEN");
}

static bool add_key(json_t *row, const char *name)
{
	struct err ignored = { 0 };
	AUTO_FREE char *value = key_find(name, &ignored);
	json_array_append_new(json_object_get(row, "keys"),
			      json_pack("{s:s, s:b}", "name", name, "is_set", value != NULL));
	return value;
}

/* Any one of its keys will do. */
static void check_keys(json_t *row, const char *const *names, size_t nr)
{
	AUTO_STR struct str why = STR_INIT;
	bool has_any = false;
	size_t nr_keys = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!is_key(names[i]))
			continue;
		has_any |= add_key(row, names[i]);
		str_addf(&why, "%s%s", nr_keys++ ? " or " : "no key: set ", names[i]);
	}
	str_add(&why, " in the environment or in local.env");
	if (nr_keys && !has_any)
		refuse(row, why.text);
}

/* First line of what it says; empty where it says nothing. */
static void read_version(const struct launch *l, const char *program, struct str *out)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err ignored = { 0 };
	strv_add(&argv, program);
	for (size_t i = 0; i < l->nr_version_arguments; i++)
		strv_add(&argv, l->version_arguments[i]);
	const struct proc_spec spec = { .argv = (const char *const *)argv.items,
					.deadline_ns = VERSION_DEADLINE_NS };
	if (!l->nr_version_arguments || proc_run(&r, &spec, &ignored) < 0 || !proc_result_is_ok(&r))
		return;
	AUTO_FREE char *line = xstrndup(r.out.text, strcspn(r.out.text, "\n"));
	untrusted_line(out, line, MAX_VERSION_BYTES);
}

static void check_version(json_t *row, const struct launch *l, const char *program)
{
	AUTO_STR struct str version = STR_INIT;
	AUTO_STR struct str why = STR_INIT;
	read_version(l, program, &version);
	if (version.len)
		json_object_set_new(row, "version", json_string(version.text));
	if (!l->min_version || !version.len || launch_version_fits(version.text, l->min_version))
		return;
	str_addf(&why, "it says version %s; at least %s is needed", version.text, l->min_version);
	refuse(row, why.text);
}

static json_t *check_program(const struct agent_ops *ops, const char *name)
{
	json_t *row = row_of(ops, name);
	AUTO_LAUNCH struct launch l = { 0 };
	struct err why = { 0 };
	if (launch_load(&l, name, ops->name, &why) < 0) {
		refuse(row, why.text);
		return row;
	}
	AUTO_FREE char *program = launch_program(&l, &why);
	if (!program) {
		refuse(row, why.text);
	} else {
		json_object_set_new(row, "program", json_string(program));
		check_version(row, &l, program);
	}
	check_keys(row, l.env, l.nr_env);
	return row;
}

/* An embedded or own program that stands beside this one. */
static void check_sibling(json_t *row, const char *name)
{
	AUTO_FREE char *path = sibling_path(name);
	AUTO_STR struct str why = STR_INIT;
	str_addf(&why, "%s does not stand beside forge: the installation is incomplete", name);
	if (file_exists(path))
		json_object_set_new(row, "program", json_string(path));
	else
		refuse(row, why.text);
}

static json_t *check_provider(const struct agent_ops *ops, const char *name)
{
	json_t *row = row_of(ops, name);
	AUTO_PROVIDER struct provider p = { 0 };
	struct err why = { 0 };
	check_sibling(row, "forge-llm");
	if (provider_load(&p, name, &why) < 0)
		refuse(row, why.text);
	else if (p.key_env)
		check_keys(row, &p.key_env, 1);
	else
		note(row, "if its server answers at ", p.base_url);
	return row;
}

static bool is_of_driver(const struct agent_ops *ops, const char *name, bool is_program)
{
	AUTO_LAUNCH struct launch l = { 0 };
	AUTO_PROVIDER struct provider p = { 0 };
	struct err ignored = { 0 };
	AUTO_FREE char *path = is_program ? launch_find(name, &ignored) : NULL;
	if (!is_program)
		return provider_load(&p, name, &ignored) == 0 && str_equal(p.format, ops->name);
	/* A file that can not be read is shown with the driver of its name. */
	if (!path || launch_read(&l, path, &ignored) < 0)
		return str_equal(name, ops->name);
	return str_equal(l.driver, ops->name);
}

/* Appends the rows of a driver's profiles; their number. */
static size_t add_profiles(json_t *rows, const struct agent_ops *ops, const struct strv *names,
			   bool is_program)
{
	size_t before = json_array_size(rows);
	for (size_t i = 0; i < names->nr; i++)
		if (is_of_driver(ops, names->items[i], is_program))
			json_array_append_new(rows, is_program
							    ? check_program(ops, names->items[i])
							    : check_provider(ops, names->items[i]));
	return json_array_size(rows) - before;
}

static json_t *check_plain(const struct agent_ops *ops)
{
	json_t *row = row_of(ops, NULL);
	if (ops == &agent_tuner)
		check_sibling(row, "forge-tuner");
	return row;
}

static json_t *live_result(const struct agent_answer *a)
{
	AUTO_STR struct str usage = STR_INIT;
	AUTO_STR struct str text = STR_INIT;
	text_usage(&a->usage, &usage);
	untrusted_line(&text, a->text ? a->text : "", MAX_WHY_BYTES);
	return json_pack("{s:b, s:s, s:s, s:s, s:f, s:o, s:s}", "answered",
			 a->kind != ANSWER_ERROR && a->kind != ANSWER_STOPPED, "answer",
			 answer_kind_name(a->kind), "text", text.text, "model", a->model, "seconds",
			 a->seconds, "usage", usage_to_json(&a->usage), "usage_text", usage.text);
}

static json_t *not_asked(const char *why)
{
	return json_pack("{s:b, s:s, s:s}", "answered", 0, "answer", "error", "text", why);
}

static json_t *ask_in(const char *dir, const struct agent_ops *ops,
		      const struct agent_settings *settings)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_JSON json_t *data = json_object();
	struct err why = { 0 };
	AUTO_PRICES struct prices prices = { 0 };
	const struct agent_spec spec = { .ops = ops,
					 .role = AGENT_STUDENT,
					 .settings = settings,
					 .prices = &prices,
					 .workspace = dir,
					 .run_name = "doctor",
					 .deadline_s = LIVE_DEADLINE_S };
	const struct agent_turn turn = {
		.id = 1, .kind = TURN_GOAL, .purpose = "doctor", .prompt = live_prompt, .data = data
	};
	log_info("asking %s %s", ops->name, settings->profile);
	if (price_table_load(&prices, &why) == 0 && agent_ask(&spec, &turn, &answer, &why) == 0)
		return live_result(&answer);
	return not_asked(why.text);
}

static json_t *ask_live(const json_t *row, const char *model)
{
	char dir[] = "/tmp/forge-doctor-XXXXXX";
	struct err why = { 0 };
	const struct agent_ops *ops = agent_driver(json_text_or(row, "driver", ""));
	const struct agent_settings settings = { .profile = json_text_or(row, "profile", ""),
						 .model = model };
	if (!json_bool_or(row, "can_run", false))
		return not_asked(json_text_or(row, "why", ""));
	if (!mkdtemp(dir))
		return not_asked("no folder can be made in /tmp");
	AUTO_FREE char *workspace = path_join(dir, "workspace");
	json_t *said = dir_make(workspace, &why) == 0 ? ask_in(workspace, ops, &settings)
						      : not_asked(why.text);
	if (tree_remove(dir, &why) < 0)
		log_warn("%s", why.text);
	return said;
}

/* "PROFILE" or "PROFILE=MODEL". */
static int ask_one(json_t *rows, const char *named, struct err *e)
{
	size_t len = strcspn(named, "=");
	AUTO_FREE char *name = xstrndup(named, len);
	const char *model = named[len] ? named + len + 1 : NULL;
	bool is_found = false;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		if (!str_equal(json_text_or(row, "profile", ""), name))
			continue;
		json_object_set_new(row, "live", ask_live(row, model));
		is_found = true;
	}
	if (is_found)
		return 0;
	return err_set(e, ERR_USAGE,
		       "doctor: --live %s: no such profile; forge doctor --agents lists them",
		       name);
}

static int ask_named(json_t *rows, const char *live, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	strv_split(&names, live, ",");
	for (size_t i = 0; i < names.nr; i++)
		if (ask_one(rows, names.items[i], e) < 0)
			return -1;
	return 0;
}

static json_t *check_all(struct err *e)
{
	json_t *rows = json_array();
	AUTO_STRV struct strv programs = { 0 };
	AUTO_STRV struct strv providers = { 0 };
	if (launch_names(&programs, e) < 0 || provider_names(&providers, e) < 0) {
		json_decref(rows);
		return NULL;
	}
	for (size_t i = 0; agent_driver_at(i); i++) {
		const struct agent_ops *ops = agent_driver_at(i);
		size_t nr = add_profiles(rows, ops, &programs, true);
		nr += add_profiles(rows, ops, &providers, false);
		if (!nr)
			json_array_append_new(rows, check_plain(ops));
	}
	return rows;
}

json_t *doctor_agents(const char *live, struct err *e)
{
	AUTO_JSON json_t *rows = check_all(e);
	if (!rows || (live && ask_named(rows, live, e) < 0))
		return NULL;
	return json_incref(rows);
}

static void add_state(struct table *t, const json_t *row)
{
	const json_t *live = json_object_get(row, "live");
	const char *version = json_text_or(row, "version", "");
	const char *why = json_text_or(row, "why", "");
	if (!json_bool_or(row, "can_run", false))
		table_addf(t, "NO: %s", why);
	else if (!json_is_object(live))
		table_addf(t, "yes%s%s%s%s", version[0] ? ", " : "", version, why[0] ? ", " : "",
			   why);
	else if (json_bool_or(live, "answered", false))
		table_addf(t, "yes, it answered %s in %.1f s: %s", json_text_or(live, "answer", ""),
			   json_real_or(live, "seconds", 0), json_text_or(live, "usage_text", ""));
	else
		table_addf(t, "NO: it was asked and failed: %s", json_text_or(live, "text", ""));
}

static void add_keys(struct table *t, const json_t *keys)
{
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < json_array_size(keys); i++) {
		const json_t *key = json_array_get(keys, i);
		if (json_bool_or(key, "is_set", false))
			str_addf(&text, "%s%s", text.len ? ", " : "",
				 json_text_or(key, "name", ""));
	}
	table_add(t, text.len ? text.text : "-");
}

void doctor_agents_print(const json_t *rows, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	size_t i;
	json_t *row;
	table_init(&t, "llll");
	table_line(&t, "driver\tprofile\tkeys that are set\tcan it run");
	json_array_foreach(rows, i, row)
	{
		table_add(&t, json_text_or(row, "driver", ""));
		table_add(&t, json_text_or(row, "profile", "-"));
		add_keys(&t, json_object_get(row, "keys"));
		add_state(&t, row);
	}
	str_add(out, "agents\n");
	table_print(&t, "  ", out);
}

bool doctor_agents_answered(const json_t *rows)
{
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		const json_t *live = json_object_get(row, "live");
		if (json_is_object(live) && !json_bool_or(live, "answered", false))
			return false;
	}
	return true;
}
