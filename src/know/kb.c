#include "know/kb.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/share.h"
#include "base/str.h"
#include "know/kb_device.h"
#include "model/task.h"

char *kb_find_dir(struct err *e)
{
	const char *named = getenv("FORGE_KB");
	if (named && *named)
		return xstrdup(named);
	struct err ignored = { 0 };
	AUTO_FREE char *dir = share_path("hw_kb", &ignored);
	if (!dir)
		dir = share_path("../hw_kb", &ignored);
	char *whole = dir ? realpath(dir, NULL) : NULL;
	if (!whole)
		err_set(e, ERR_INPUT,
			"there is no knowledge base beside this installation; name a folder by "
			"--base or FORGE_KB");
	return whole;
}

/* "x.toml:7:1: what" is a finding of that line. */
static void add_unreadable(struct findings *f, const char *path, const struct err *why)
{
	size_t len = strlen(path);
	unsigned line = 1;
	const char *text = why->text;
	if (!f)
		return;
	if (strncmp(text, path, len) == 0 && text[len] == ':') {
		line = (unsigned)strtoul(text + len + 1, NULL, 10);
		const char *rest = strstr(text + len, ": ");
		text = rest ? rest + 2 : text;
	}
	finding_error(f, path, line ? line : 1, "format: %s", text);
}

static void add_lesson(struct kb *kb, const char *path, struct findings *f)
{
	struct err why = { 0 };
	kb->items = xreallocarray(kb->items, kb->nr + 1, sizeof(*kb->items));
	struct kb_entry *entry = &kb->items[kb->nr];
	*entry = (struct kb_entry){ .certs = NULL };
	if (lesson_load(&entry->lesson, path, &why) < 0) {
		add_unreadable(f, path, &why);
		lesson_release(&entry->lesson);
		return;
	}
	kb->nr++;
	if (cert_load(&entry->lesson, &entry->certs, &why) < 0 && f)
		finding_error(f, path, 1, "not_certified: %s; certify it again", why.text);
}

static int load_family(struct kb *kb, const char *family, struct findings *f, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	AUTO_FREE char *dir = path_join(kb->dir, family);
	if (!file_is_dir(dir))
		return 0;
	if (dir_list(dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		if (str_ends(names.items[i], ".md"))
			add_lesson(kb, path, f);
	}
	return 0;
}

int kb_load(struct kb *kb, const char *dir, struct findings *f, struct err *e)
{
	AUTO_STRV struct strv families = { 0 };
	*kb = (struct kb){ .dir = xstrdup(dir) };
	if (!file_is_dir(dir))
		return err_set(e, ERR_INPUT,
			       "%s: there is no such folder; a knowledge base holds "
			       "FAMILY/LESSON.md (docs/format/lesson.md)",
			       dir);
	if (dir_list(dir, &families, e) < 0)
		return -1;
	for (size_t i = 0; i < families.nr; i++)
		if (load_family(kb, families.items[i], f, e) < 0)
			return -1;
	return 0;
}

void kb_release(struct kb *kb)
{
	for (size_t i = 0; i < kb->nr; i++) {
		lesson_release(&kb->items[i].lesson);
		json_decref(kb->items[i].certs);
	}
	free(kb->items);
	free(kb->dir);
	*kb = (struct kb){ 0 };
}

const struct kb_entry *kb_find(const struct kb *kb, const char *id)
{
	for (size_t i = 0; i < kb->nr; i++)
		if (str_equal(kb->items[i].lesson.id, id))
			return &kb->items[i];
	return NULL;
}

void kb_ids(const struct kb *kb, struct strv *ids)
{
	for (size_t i = 0; i < kb->nr; i++)
		strv_add(ids, kb->items[i].lesson.id);
}

const struct kb_entry *kb_need(const struct kb *kb, const char *id, struct err *e)
{
	const struct kb_entry *entry = kb_find(kb, id);
	AUTO_STRV struct strv ids = { 0 };
	if (entry)
		return entry;
	kb_ids(kb, &ids);
	const char *near = opt_nearest(id, (const char *const *)ids.items, ids.nr);
	err_set(e, ERR_INPUT, "there is no lesson %s%s%s%s%s%s forge kb list names them", id,
		kb->dir ? " in " : "", kb->dir ? kb->dir : "", near ? "; did you mean " : "",
		near ? near : "", near ? "?" : ";");
	return NULL;
}

enum lesson_state kb_state(const struct kb_entry *entry, const struct kb_device *machine,
			   struct str *why)
{
	return cert_state(entry->certs, &entry->lesson, machine, why);
}

static int refuse_taken(const char *path, bool is_replacing, struct err *e)
{
	if (is_replacing || !file_exists(path))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: already there; give --replace to put this in its place", path);
}

int kb_enter(const char *dir, const struct lesson *l, const json_t *certificate, bool is_replacing,
	     struct err *e)
{
	AUTO_FREE char *folder = path_join(dir, l->family);
	AUTO_FREE char *path = xasprintf("%s/%s.md", folder, l->id);
	AUTO_FREE char *probe_from = lesson_probe_path(l);
	AUTO_FREE char *probe_to = path_join(folder, l->probe);
	AUTO_LESSON struct lesson entered = { 0 };
	if (refuse_taken(path, is_replacing, e) < 0 || dir_make(folder, e) < 0 ||
	    file_copy(probe_from, probe_to, e) < 0 || file_write_text(path, l->text, e) < 0 ||
	    lesson_load(&entered, path, e) < 0)
		return -1;
	return cert_put(&entered, certificate, e);
}
