#include "host/settings.h"

#include "base/err.h"
#include "base/local_env.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"

static const struct {
	const char *name;
	const char *option;
	const char *text;
} rows[] = {
#define SETTING(name, option, text) [SET_##name] = { #name, option, text },
#include "host/settings.def"
#undef SETTING
};

int settings_load(struct settings *s, struct err *e)
{
	*s = (struct settings){ 0 };
	for (int i = 0; i < SET_NR; i++)
		if (local_env_find(rows[i].name, &s->value[i], e) < 0)
			return -1;
	return 0;
}

/* Names of ours and of keys share the file; these beginnings are settings'. */
static bool is_like_one(const char *name)
{
	return str_starts(name, "FK_") || str_starts(name, "REMOTE_") ||
	       str_starts(name, "SPOOL_") || str_starts(name, "SLURM_");
}

static bool is_one(const char *name)
{
	for (int i = 0; i < SET_NR; i++)
		if (str_equal(rows[i].name, name))
			return true;
	return false;
}

int settings_check(struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	const char *known[SET_NR];
	if (local_env_names(&names, e) < 0)
		return -1;
	for (int i = 0; i < SET_NR; i++)
		known[i] = rows[i].name;
	for (size_t i = 0; i < names.nr; i++) {
		const char *name = names.items[i];
		if (!is_like_one(name) || is_one(name))
			continue;
		const char *near = opt_nearest(name, known, SET_NR);
		return err_set(e, ERR_INPUT,
			       "%s:%zu: there is no setting %.60s%s%s%s "
			       "docs/format/host.md lists them",
			       LOCAL_ENV_NAME, i + 1, name, near ? "; did you mean " : "",
			       near ? near : "", near ? "?" : ";");
	}
	return 0;
}

void settings_release(struct settings *s)
{
	for (int i = 0; i < SET_NR; i++)
		free(s->value[i]);
	*s = (struct settings){ 0 };
}

const char *setting_name(enum setting s)
{
	return rows[s].name;
}

const char *setting_option(enum setting s)
{
	return rows[s].option;
}

const char *setting_or(const struct settings *s, enum setting which, const char *otherwise)
{
	return s->value[which] ? s->value[which] : otherwise;
}

int setting_need(const struct settings *s, enum setting which, const char *who, struct err *e)
{
	if (s->value[which])
		return 0;
	return err_set(e, ERR_INPUT, "%s needs %s (%s): set it in the environment or in %s", who,
		       rows[which].name, rows[which].text, LOCAL_ENV_NAME);
}
