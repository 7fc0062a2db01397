#include "agent/provider.h"

/* A task could name any address, so the user's key goes to addresses of the user's own files and
 * environment only. */

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/share.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task_agents.h"

enum { MAX_TOML_DEPTH = 16 };

static const struct toml_field profile_fields[] = {
	TOML_NEEDED("format", TEXT, provider, format),
	TOML_NEEDED("base_url", TEXT, provider, base_url),
	TOML_OPTION("key_env", TEXT, provider, key_env),
	TOML_OPTION("provider", TEXT, provider, provider),
	TOML_OPTION("model", TEXT, provider, model),
	TOML_OPTION("effort", TEXT, provider, effort),
	TOML_OPTION("effort_field", TEXT, provider, effort_field),
	TOML_OPTION("max_tokens_field", TEXT, provider, max_tokens_field),
	TOML_OPTION("echo_reasoning", TEXT, provider, echo_reasoning),
	TOML_OPTION("stream_usage", BOOL, provider, stream_usage),
	TOML_OPTION("strict_tools", BOOL, provider, strict_tools),
	TOML_OPTION("must_call", BOOL, provider, must_call),
	TOML_OPTION("free", BOOL, provider, free),
	TOML_OPTION("context_window", INT, provider, context_window),
	TOML_OPTION("max_output_tokens", INT, provider, max_output_tokens),
	TOML_OPTION("first_byte_s", REAL, provider, first_byte_s),
	TOML_OPTION("idle_s", REAL, provider, idle_s),
	TOML_LIST("extra_headers", provider, extra_headers),
	TOML_NESTED("extra_body"),
};

static bool is_address(const char *url)
{
	return str_starts(url, "https://") || str_starts(url, "http://");
}

static int check(struct toml_loader *l, const struct provider *p, const struct toml *table)
{
	if (!provider_default(p->format))
		return toml_fail_at(l, toml_get(table, "format"),
				    "unknown format \"%s\"; known: openai-chat anthropic",
				    p->format);
	if (!is_address(p->base_url))
		return toml_fail_at(l, toml_get(table, "base_url"),
				    "base_url begins with neither https:// nor http://");
	const struct toml *body = toml_get(table, "extra_body");
	if (body && body->type != TOML_TABLE)
		return toml_fail_at(l, body, "extra_body must be a table");
	return 0;
}

static int read_profile(struct provider *p, struct toml_loader *l, const struct toml *table)
{
	const char *name = arena_printf(&p->arena, "[%s]", p->name);
	const struct toml_section section = { name, profile_fields, ARRAY_LEN(profile_fields) };
	p->stream_usage = true;
	p->provider = p->name;
	p->max_tokens_field = "max_tokens";
	if (toml_read_fields(l, &section, table, p) < 0)
		return -1;
	p->extra_body = toml_get(table, "extra_body");
	return check(l, p, table);
}

/* 1: there it was; 0: the file has no such profile. Names of those it has are added. */
static int look_in(struct provider *p, const char *path, struct strv *names, struct err *e)
{
	struct toml_loader l = { .path = path, .arena = &p->arena, .e = e };
	const struct toml *root = toml_read_file(path, &p->arena, e);
	if (!root)
		return -1;
	for (size_t i = 0; i < root->nr_members; i++)
		strv_add(names, root->members[i].key);
	const struct toml *table = toml_get(root, p->name);
	if (!table)
		return 0;
	return read_profile(p, &l, table) < 0 ? -1 : 1;
}

int provider_load(struct provider *p, const char *name, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	AUTO_FREE char *own = share_own_path("FORGE_PROVIDERS", "providers.toml");
	*p = (struct provider){ 0 };
	p->name = arena_strdup(&p->arena, name);
	AUTO_FREE char *shared = share_path("providers.toml", e);
	if (!shared)
		return -1;
	int found = own ? look_in(p, arena_strdup(&p->arena, own), &names, e) : 0;
	if (found == 0)
		found = look_in(p, arena_strdup(&p->arena, shared), &names, e);
	if (found == 0) {
		AUTO_FREE char *known = strv_join(&names, ", ");
		err_set(e, ERR_INPUT, "there is no provider profile \"%s\"; known: %s", name,
			known);
	}
	return found > 0 ? 0 : -1;
}

static int add_names(struct strv *names, const char *path, struct err *e)
{
	AUTO_ARENA struct arena arena = { 0 };
	const struct toml *root = toml_read_file(path, &arena, e);
	for (size_t i = 0; root && i < root->nr_members; i++)
		if (!strv_has(names, root->members[i].key))
			strv_add(names, root->members[i].key);
	return root ? 0 : -1;
}

int provider_names(struct strv *names, struct err *e)
{
	AUTO_FREE char *own = share_own_path("FORGE_PROVIDERS", "providers.toml");
	AUTO_FREE char *shared = share_path("providers.toml", e);
	if (!shared || (own && add_names(names, own, e) < 0))
		return -1;
	return add_names(names, shared, e);
}

void provider_release(struct provider *p)
{
	arena_release(&p->arena);
}

const char *provider_default(const char *driver)
{
	static const struct {
		const char *driver;
		const char *profile;
	} rows[] = { { "openai-chat", "openai" }, { "anthropic", "anthropic" } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].driver, driver))
			return rows[i].profile;
	return NULL;
}

static json_t *json_of(const struct toml *value, unsigned depth);

static json_t *object_of(const struct toml *table, unsigned depth)
{
	json_t *out = json_object();
	for (size_t i = 0; i < table->nr_members; i++)
		json_object_set_new(out, table->members[i].key,
				    json_of(table->members[i].value, depth + 1));
	return out;
}

static json_t *array_of(const struct toml *array, unsigned depth)
{
	json_t *out = json_array();
	for (size_t i = 0; i < array->nr_items; i++)
		json_array_append_new(out, json_of(array->items[i], depth + 1));
	return out;
}

static json_t *json_of(const struct toml *value, unsigned depth)
{
	if (depth > MAX_TOML_DEPTH)
		return json_null();
	switch (value->type) {
	case TOML_INTEGER:
		return json_integer(value->integer);
	case TOML_FLOAT:
		return json_real(value->real);
	case TOML_BOOL:
		return json_boolean(value->boolean);
	case TOML_ARRAY:
		return array_of(value, depth);
	case TOML_TABLE:
		return object_of(value, depth);
	case TOML_STRING:
	case TOML_OFFSET_DATETIME:
	case TOML_LOCAL_DATETIME:
	case TOML_LOCAL_DATE:
	case TOML_LOCAL_TIME:
		return json_string(value->text);
	}
	return json_null();
}

static void set_text(json_t *out, const char *name, const char *value)
{
	if (value && value[0])
		json_object_set_new(out, name, json_string(value));
}

static void set_number(json_t *out, const char *name, double value)
{
	if (value > 0)
		json_object_set_new(out, name, json_real(value));
}

static void set_count(json_t *out, const char *name, int64_t of_task, int64_t of_profile)
{
	int64_t value = of_task > 0 ? of_task : of_profile;
	if (value > 0)
		json_object_set_new(out, name, json_integer(value));
}

static json_t *headers_of(const struct provider *p)
{
	json_t *out = json_array();
	for (size_t i = 0; i < p->nr_extra_headers; i++)
		json_array_append_new(out, json_string(p->extra_headers[i]));
	return out;
}

static json_t *dialect(const struct provider *p)
{
	json_t *out = json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:o}", "format", p->format,
				"provider", p->provider, "stream_usage", p->stream_usage,
				"strict_tools", p->strict_tools, "must_call", p->must_call, "free",
				p->free, "extra_headers", headers_of(p));
	set_text(out, "effort_field", p->effort_field);
	set_text(out, "max_tokens_field", p->max_tokens_field);
	set_text(out, "echo_reasoning", p->echo_reasoning);
	set_number(out, "first_byte_s", p->first_byte_s);
	set_number(out, "idle_s", p->idle_s);
	if (p->extra_body)
		json_object_set_new(out, "extra_body", json_of(p->extra_body, 0));
	return out;
}

json_t *provider_settings(const struct provider *p, const struct agent_settings *task,
			  const char **key_env, struct err *e)
{
	static const struct agent_settings unsaid = { 0 };
	const struct agent_settings *s = task ? task : &unsaid;
	const char *model = s->model ? s->model : p->model;
	const char *url = getenv("FORGE_LLM_BASE_URL");
	bool is_of_user = url && url[0];
	if (!model) {
		err_set(e, ERR_INPUT,
			"no model is named; write it into task.toml: [agents.%s] model = \"...\"",
			p->format);
		return NULL;
	}
	if (!is_of_user)
		url = s->base_url ? s->base_url : p->base_url;
	*key_env = is_of_user || !s->base_url ? p->key_env : NULL;
	json_t *out = dialect(p);
	set_text(out, "base_url", url);
	set_text(out, "model", model);
	set_text(out, "effort", s->effort ? s->effort : p->effort);
	set_text(out, "key_env", *key_env);
	set_count(out, "context_window", s->context_window, p->context_window);
	set_count(out, "max_output_tokens", s->max_output_tokens, p->max_output_tokens);
	return out;
}
