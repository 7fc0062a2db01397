#include "cmd/doctor_facts.h"

/* The base of this installation on this machine. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "cmd/kb_host.h"
#include "host/host.h"
#include "know/kb.h"

static json_t *failed(const struct err *why)
{
	return json_pack("{s:s}", "error", why->text);
}

static json_t *count(const struct kb *kb, const struct kb_device *device)
{
	size_t nr_certified = 0;
	size_t nr_open = 0;
	for (size_t i = 0; i < kb->nr; i++) {
		AUTO_STR struct str ignored = STR_INIT;
		enum lesson_state state = kb_state(&kb->items[i], device, &ignored);
		nr_certified += state == LESSON_certified;
		nr_open += state != LESSON_certified && state != LESSON_not_applicable;
	}
	return json_pack("{s:s, s:I, s:I, s:I}", "base", kb->dir, "lessons", (json_int_t)kb->nr,
			 "certified", (json_int_t)nr_certified, "open", (json_int_t)nr_open);
}

/* Lessons are certified where jobs run, and only that place can say what it is. */
static bool must_ask_away(void)
{
	const struct host_ops *host = NULL;
	struct err ignored = { 0 };
	return host_choose(&host, &ignored) == 0 && host != &host_local;
}

json_t *doctor_knowledge(bool asks)
{
	AUTO_KB struct kb kb = { 0 };
	AUTO_KB_HOST struct kb_host here = { 0 };
	struct err why = { 0 };
	AUTO_FREE char *dir = kb_find_dir(&why);
	if (!dir || kb_load(&kb, dir, NULL, &why) < 0)
		return failed(&why);
	if (!asks && must_ask_away())
		return json_pack("{s:s, s:I, s:n, s:n}", "base", kb.dir, "lessons",
				 (json_int_t)kb.nr, "certified", "open");
	if (kb.nr && kb_host_open(&here, NULL, &why) < 0)
		return failed(&why);
	return count(&kb, &here.device);
}
