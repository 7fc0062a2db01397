#include "cmd/doctor_hosts.h"

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "base/table.h"
#include "base/untrusted.h"
#include "host/host.h"
#include "host/settings.h"

enum { MAX_TEXT_BYTES = 300 };

static json_t *row_of(const struct host_ops *ops, const char *chosen, bool asks)
{
	AUTO_STR struct str what = STR_INIT;
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	bool can_run = ops->check(asks, &what, &e) == 0;
	untrusted_line(&text, can_run ? what.text : e.text, MAX_TEXT_BYTES);
	return json_pack("{s:s, s:b, s:b, s:s}", "name", ops->name, "is_chosen",
			 str_equal(ops->name, chosen), "can_run", can_run, "text", text.text);
}

json_t *doctor_hosts(bool asks)
{
	AUTO_SETTINGS struct settings s = { 0 };
	struct err ignored = { 0 };
	json_t *rows = json_array();
	settings_load(&s, &ignored);
	const char *chosen = setting_or(&s, SET_FK_DELIVERY, host_local.name);
	for (size_t i = 0; host_at(i); i++)
		json_array_append_new(rows, row_of(host_at(i), chosen, asks));
	return rows;
}

void doctor_hosts_print(const json_t *rows, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	size_t i;
	json_t *row;
	table_init(&t, "lll");
	json_array_foreach(rows, i, row)
	{
		bool can_run = json_bool_or(row, "can_run", false);
		table_add(&t, json_text_or(row, "name", ""));
		table_add(&t, can_run ? "yes" : "NO");
		table_addf(&t, "%s%s", json_text_or(row, "text", ""),
			   json_bool_or(row, "is_chosen", false) ? " (FK_DELIVERY)" : "");
	}
	str_add(out, "hosts, where jobs can run\n");
	table_print(&t, "  ", out);
}
