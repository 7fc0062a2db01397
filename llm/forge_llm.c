/* The one program of forge that holds a key and speaks HTTPS: a model's tool loop behind the agent
 * wire. It runs no tool and sees no file; what the model calls goes to forge and comes back. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/version.h"
#include "llm/ask.h"
#include "llm/http.h"
#include "llm/llm_settings.h"
#include "llm/llm_turn.h"
#include "llm/llm_wire.h"

struct options {
	const char *settings;
	bool is_help;
	bool is_version;
};

static void print_help(const struct opt_table *table)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text,
		"usage: forge-llm --settings JSON\n\n"
		"A model behind the agent wire of forge, on stdin and stdout. The settings are "
		"those of\ndocs/format/providers.md; the key is in the environment variable that "
		"they name.\n\n");
	opt_print(table, &text);
	fputs(text.text, stdout);
}

static int parse_options(struct options *o, char **argv, struct err *e)
{
	AUTO_STRV struct strv rest = { 0 };
	const struct opt rows[] = {
		{ 0, "settings", OPT_TEXT, "JSON", "which model, where, and its dialect",
		  &o->settings },
		{ 'h', "help", OPT_FLAG, NULL, "show this help", &o->is_help },
		{ 0, "version", OPT_FLAG, NULL, "show the version", &o->is_version },
	};
	const struct opt_table table = { rows, ARRAY_LEN(rows) };
	if (opt_parse(&table, (const char *const *)argv, false, &rest, e) < 0)
		return -1;
	if (rest.nr)
		return err_set(e, ERR_USAGE, "forge-llm takes no operands");
	if (o->is_help)
		print_help(&table);
	if (o->is_version)
		printf("forge-llm %s\n", FORGE_VERSION);
	if (!o->is_help && !o->is_version && !o->settings)
		return err_set(e, ERR_USAGE, "forge-llm needs --settings; forge starts it");
	return 0;
}

static int serve_hello(const struct asker *a, const json_t *hello, struct err *e)
{
	int64_t version = json_int_or(hello, "version", 0);
	if (version != 1)
		return err_set(e, ERR_INPUT, "version %lld of the wire is not spoken here",
			       (long long)version);
	return llm_wire_send(a->wire,
			     json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "ready", "name",
				       "forge-llm", "version", FORGE_VERSION, "provider",
				       a->settings->provider, "model", a->settings->model),
			     e);
}

/* Lines of other types are passed over, as everywhere on the wire. */
static int serve_line(struct asker *a, const json_t *line, struct err *e)
{
	const char *type = json_text_or(line, "type", "");
	if (strcmp(type, "hello") == 0)
		return serve_hello(a, line, e);
	return strcmp(type, "turn") == 0 ? llm_turn_serve(a, line, e) : 0;
}

static int serve(struct asker *a, struct err *e)
{
	for (;;) {
		AUTO_JSON json_t *line = llm_wire_next(a->wire, e);
		if (!line)
			return e->kind == ERR_NONE ? 0 : -1;
		if (serve_line(a, line, e) < 0)
			return -1;
	}
}

/* Out of the environment, where a child or a core of ours would find it again. NULL: none. */
static char *take_key(const char *name)
{
	char *value = name ? getenv(name) : NULL;
	char *key = value && value[0] ? xstrdup(value) : NULL;
	if (value)
		explicit_bzero(value, strlen(value)); /* /proc/self/environ shows these bytes */
	if (name)
		unsetenv(name);
	return key;
}

static void learn_secrets(struct mask *m, const char *key)
{
	mask_learn(m, key);
	for (size_t i = 0; mask_proxy_names[i]; i++)
		mask_learn_proxy(m, getenv(mask_proxy_names[i]));
}

static int check_key(const struct llm_settings *s, const char *key, struct err *e)
{
	if (key && !str_starts(s->base_url, "https://") && !s->is_here)
		return err_set(e, ERR_INPUT,
			       "the key would travel in clear text to %s; use https://",
			       s->base_url);
	for (const char *c = key; c && *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			return err_set(e, ERR_INPUT, "the key in %s holds a control character",
				       s->key_env);
	return 0;
}

static int run(const char *settings_text, struct err *e)
{
	struct llm_settings settings;
	struct llm_wire wire;
	AUTO_MASK struct mask mask = { 0 };
	struct asker a = { .settings = &settings, .wire = &wire, .mask = &mask };
	a.rng.seed = clock_wall_ns(); /* of the jitter of waits, nothing else */
	if (llm_settings_parse(&settings, settings_text, e) < 0) {
		llm_settings_release(&settings);
		return -1;
	}
	AUTO_FREE char *key = take_key(settings.key_env);
	a.key = key;
	learn_secrets(&mask, key);
	llm_wire_init(&wire, stdin, stdout, &mask);
	int rc = check_key(&settings, key, e);
	if (rc == 0)
		rc = http_open(&a.http, e);
	if (rc == 0)
		rc = serve(&a, e);
	if (a.http)
		http_close(&a.http);
	AUTO_STR struct str masked = STR_INIT;
	mask_add(&mask, &masked, e->text);
	snprintf(e->text, sizeof(e->text), "%s", masked.text);
	llm_wire_release(&wire);
	llm_settings_release(&settings);
	return rc;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct err e = { 0 };
	(void)argc;
	log_set_program("forge-llm");
	/* A connection that breaks is an error of one request. */
	signal(SIGPIPE, SIG_IGN);
	int rc = parse_options(&o, argv, &e);
	if (rc == 0 && !o.is_help && !o.is_version)
		rc = run(o.settings, &e);
	if (rc == 0)
		return 0;
	log_error("%s", e.text);
	return err_exit_code(e.kind);
}
