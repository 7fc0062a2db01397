#include "engine/prompt_custody.h"

/* A prompt is a setting of the run like a compiler's version: a change is allowed, since people
 * mend prompts, and it is recorded, since rounds from before and after were asked otherwise. */

#include <string.h>

#include "agent/agent_ops.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/share.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "engine/prompt_file.h"
#include "engine/prompts.h"

enum { MAX_FILE_BYTES = 1 << 20, SHOWN_DIGEST = 12 };

static bool reads_prompts(const char *driver)
{
	const struct agent_ops *ops = agent_driver(driver);
	return ops && !ops->takes_rows_only;
}

bool prompt_custody_is_needed(const struct task *t)
{
	return reads_prompts(t->teacher) || reads_prompts(t->student);
}

static int take_file(const char *dir, const char *folder, const char *name, json_t *all,
		     struct err *e)
{
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_FREE char *key = xasprintf("%s/%s", folder, name);
	AUTO_FREE char *stem = xstrndup(name, strlen(name) - strlen(".md"));
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_FILE_BYTES, &text, e) < 0)
		return -1;
	long version = prompt_file_version(path, stem, text.text, e);
	if (version < 0)
		return -1;
	const struct digest digest = digest_bytes(text.text, text.len);
	json_object_set_new(
		all, key,
		json_pack("{s:I, s:s}", "version", (json_int_t)version, "digest", digest.hex));
	return 0;
}

static int take_folder(const char *folder, json_t *all, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	AUTO_FREE char *dir = share_path(folder, e);
	if (!dir || dir_list(dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++)
		if (str_ends(names.items[i], ".md") &&
		    take_file(dir, folder, names.items[i], all, e) < 0)
			return -1;
	return 0;
}

json_t *prompt_custody_take(const struct task *t, struct err *e)
{
	AUTO_JSON json_t *all = json_object();
	if (prompts_check(t, e) < 0 || take_folder("prompts", all, e) < 0 ||
	    take_folder("strategy", all, e) < 0)
		return NULL;
	return json_incref(all);
}

/* "prompts/round.md (version 2, sha256 0123456789ab)", where it is another one or there is none. */
static void compare(const json_t *then, const json_t *now, struct str *out)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)now, name, value)
	{
		if (json_equal(value, json_object_get(then, name)))
			continue;
		str_addf(out, "%s%s (version %lld, sha256 %.*s)", out->len ? ", " : "", name,
			 (long long)json_int_or(value, "version", 0), SHOWN_DIGEST,
			 json_text_or(value, "digest", ""));
	}
	json_object_foreach((json_t *)(uintptr_t)then, name, value)
	{
		if (!json_object_get(now, name))
			str_addf(out, "%s%s (gone)", out->len ? ", " : "", name);
	}
}

int prompt_custody_check(struct engine *g, struct err *e)
{
	if (!g->state.prompts || !prompt_custody_is_needed(&g->task))
		return 0;
	AUTO_JSON json_t *now = prompt_custody_take(&g->task, e);
	AUTO_STR struct str changed = STR_INIT;
	if (!now)
		return -1;
	compare(g->state.prompts, now, &changed);
	if (!changed.len)
		return 0;
	return engine_warn_once(g, e,
				"prompts changed after the run was made: %s; turns from before and "
				"after were asked differently",
				changed.text);
}
