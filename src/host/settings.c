#include "host/settings.h"

#include "base/err.h"
#include "base/local_env.h"
#include "base/mem.h"

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
