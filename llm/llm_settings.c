#include "llm/llm_settings.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/llm_format.h"

/* Local models are slow to begin; a provider that is silent for longer has lost us. */
#define BACKOFF_S 0.5
#define CONNECT_S 15.0
#define FIRST_BYTE_S 600.0
#define IDLE_S 300.0
enum { MAX_ATTEMPTS = 8, MAX_OUTPUT_TOKENS = 16384, CONTEXT_WINDOW = 128000 };

static const char doc[] = "settings";

static int check_url(const char *url, struct err *e)
{
	if (str_starts(url, "https://") || str_starts(url, "http://"))
		return 0;
	return err_set(e, ERR_INPUT, "base_url \"%s\" begins with neither https:// nor http://",
		       url);
}

static bool is_here(const char *url)
{
	static const char *const heads[] = { "http://127.0.0.1:", "http://127.0.0.1/",
					     "http://localhost:", "http://localhost/",
					     "http://[::1]:",     "http://[::1]/" };
	if (strchr(url, '@')) /* what stands before it would be a name and no host */
		return false;
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (str_starts(url, heads[i]))
			return true;
	return false;
}

static int read_required(struct llm_settings *s, struct err *e)
{
	const char *format;
	if (json_get_text(s->json, "format", doc, &format, e) < 0 ||
	    json_get_text(s->json, "base_url", doc, &s->base_url, e) < 0 ||
	    json_get_text(s->json, "model", doc, &s->model, e) < 0 || check_url(s->base_url, e) < 0)
		return -1;
	s->format = llm_format_find(format);
	return s->format ? 0 : err_set(e, ERR_INPUT, "there is no format \"%s\"", format);
}

static void read_optional(struct llm_settings *s)
{
	const json_t *j = s->json;
	s->provider = json_text_or(j, "provider", "");
	s->is_here = is_here(s->base_url);
	s->key_env = json_text_or(j, "key_env", NULL);
	s->effort = json_text_or(j, "effort", NULL);
	s->effort_field = json_text_or(j, "effort_field", NULL);
	s->max_tokens_field = json_text_or(j, "max_tokens_field", "max_tokens");
	s->echo_reasoning = json_text_or(j, "echo_reasoning", NULL);
	s->has_stream_usage = json_bool_or(j, "stream_usage", true);
	s->is_strict = json_bool_or(j, "strict_tools", false);
	s->is_free = json_bool_or(j, "free", false);
	s->must_call = json_bool_or(j, "must_call", false);
	s->extra_body = json_object_get(j, "extra_body");
	s->extra_headers = json_object_get(j, "extra_headers");
	s->context_window = json_int_or(j, "context_window", CONTEXT_WINDOW);
	s->max_output_tokens = json_int_or(j, "max_output_tokens", MAX_OUTPUT_TOKENS);
	s->max_attempts = json_int_or(j, "max_attempts", MAX_ATTEMPTS);
	s->backoff_s = json_real_or(j, "backoff_s", BACKOFF_S);
	s->connect_s = json_real_or(j, "connect_s", CONNECT_S);
	s->first_byte_s = json_real_or(j, "first_byte_s", FIRST_BYTE_S);
	s->idle_s = json_real_or(j, "idle_s", IDLE_S);
}

int llm_settings_parse(struct llm_settings *s, const char *text, struct err *e)
{
	*s = (struct llm_settings){ .json = json_read_text(text, strlen(text), doc, e) };
	if (!s->json || read_required(s, e) < 0)
		return -1;
	read_optional(s);
	return 0;
}

void llm_settings_release(struct llm_settings *s)
{
	json_decref(s->json);
	*s = (struct llm_settings){ 0 };
}
