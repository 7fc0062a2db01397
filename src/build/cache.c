#include "build/cache.h"
/*
 * KEY/leaf.o, KEY/shim.o, KEY/build.json (their digests, log, facts) and
 * KEY/PADDINGxCOPIES.DIGEST.so. A linked object carries its digest in its name, so that adding one
 * is a single rename and nothing has to be rewritten.
 */

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/str.h"
#include "model/task.h"
#include "sys/cpu.h"

/* Changes when compile flags, shim, screens or facts change what an entry holds. */
static const char cache_version[] = "forge-build-4";

static const char *const kept[] = { "leaf.o", "shim.o" };

static void key_add_task(struct str *text, const struct task *t, enum build_role role)
{
	str_addf(text, "entry %s threads %u\n", t->entry, build_threads(t, role));
	for (size_t i = 0; i < t->nr_args; i++)
		str_addf(text, "arg %d %s\n", (int)t->args[i].role, dtype_name(t->args[i].dtype));
	for (size_t i = 0; i < t->nr_deny; i++)
		str_addf(text, "deny %s\n", t->deny[i]);
}

int cache_init(struct cache *c, const struct build_spec *s, const struct build *b, bool is_jailed,
	       struct err *e)
{
	*c = (struct cache){ 0 };
	if (!s->cache_dir)
		return 0;
	struct digest kit;
	if (digest_tree(s->kit_dir, &kit, e) < 0)
		return err_wrap(e, "kit");
	struct cpu_info cpu;
	cpu_read(&cpu);
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "%s\nsource %s\nrole %s\nflags %s\ncompiler %s\nkit %s\n", cache_version,
		 b->source.hex, build_role_name(s->role), b->flags, b->compiler_version, kit.hex);
	str_addf(&text, "cpu %s %s %u %u %u %s\njail %d\n", cpu.vendor, cpu.model, cpu.family,
		 cpu.model_nr, cpu.stepping, cpu.isa, is_jailed);
	key_add_task(&text, s->task, s->role);
	c->dir = path_join(s->cache_dir, digest_text(text.text).hex);
	return 0;
}

void cache_release(struct cache *c)
{
	free(c->dir);
	*c = (struct cache){ 0 };
}

static bool has_digest(const char *path, const char *want)
{
	struct digest found;
	struct err e = { 0 };
	return want && digest_file(path, &found, &e) == 0 && str_equal(found.hex, want);
}

/* build.json of a whole entry, a new reference; NULL when there is none or it is broken. */
static json_t *entry_read(const struct cache *c)
{
	AUTO_FREE char *path = path_join(c->dir, "build.json");
	struct err e = { 0 };
	AUTO_JSON json_t *doc = file_exists(path) ? json_read_file(path, &e) : NULL;
	if (!json_is_object(json_object_get(doc, "facts")))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		AUTO_FREE char *object = path_join(c->dir, kept[i]);
		json_t *digest = json_object_get(json_object_get(doc, "digests"), kept[i]);
		if (!has_digest(object, json_string_value(digest)))
			return NULL;
	}
	return take_ptr(&doc);
}

static int objects_copy(const struct cache *c, const char *obj_dir, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		AUTO_FREE char *from = path_join(c->dir, kept[i]);
		AUTO_FREE char *to = path_join(obj_dir, kept[i]);
		if (file_copy(from, to, e) < 0)
			return -1;
	}
	return 0;
}

bool cache_load(const struct cache *c, const char *obj_dir, struct build *b)
{
	struct err e = { 0 };
	AUTO_JSON json_t *doc = c->dir ? entry_read(c) : NULL;
	if (!doc || objects_copy(c, obj_dir, &e) < 0)
		return false;
	const json_t *digests = json_object_get(doc, "digests");
	snprintf(b->object.hex, sizeof(b->object.hex), "%s",
		 json_string_value(json_object_get(digests, kept[0])));
	b->facts = json_incref(json_object_get(doc, "facts"));
	b->log = arena_strdup(&b->arena, json_text_or(doc, "log", ""));
	return true;
}

/* A new folder beside the entry; yours. */
static char *aside_make(const struct cache *c, struct err *e)
{
	AUTO_FREE char *parent = path_dir(c->dir);
	if (dir_make(parent, e) < 0)
		return NULL;
	char *dir = path_join(parent, ".new-XXXXXX");
	if (mkdtemp(dir) && chmod(dir, 0755) == 0)
		return dir;
	err_errno(e, ERR_SYSTEM, "make %s", dir);
	free(dir);
	return NULL;
}

static int aside_fill(const char *dir, const char *obj_dir, const struct build *b, struct err *e)
{
	json_t *digests = json_object();
	AUTO_JSON json_t *doc =
		json_pack("{s:s, s:O, s:o}", "log", b->log, "facts", b->facts, "digests", digests);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		AUTO_FREE char *from = path_join(obj_dir, kept[i]);
		AUTO_FREE char *to = path_join(dir, kept[i]);
		struct digest d;
		if (file_copy(from, to, e) < 0 || digest_file(to, &d, e) < 0)
			return -1;
		json_object_set_new(digests, kept[i], json_string(d.hex));
	}
	AUTO_FREE char *path = path_join(dir, "build.json");
	return json_write_file(path, doc, e);
}

/* Losing against another build of the same is fine: objects of a whole entry may be in use and
 * stay. But what stands there may be broken (we missed it), and must not stand for ever. */
static int aside_place(const struct cache *c, const char *dir, struct err *e)
{
	if (rename(dir, c->dir) == 0)
		return 0;
	if (errno != EEXIST && errno != ENOTEMPTY)
		return err_errno(e, ERR_SYSTEM, "rename %s", dir);
	AUTO_JSON json_t *whole = entry_read(c);
	if (whole)
		return 0;
	AUTO_FREE char *old = xasprintf("%s.old", dir);
	if (rename(c->dir, old) < 0 || rename(dir, c->dir) < 0)
		return err_errno(e, ERR_SYSTEM, "replace %s", c->dir);
	return tree_remove(old, e);
}

void cache_store(const struct cache *c, const char *obj_dir, const struct build *b)
{
	if (!c->dir)
		return;
	struct err e = { 0 };
	AUTO_FREE char *dir = aside_make(c, &e);
	if (!dir || aside_fill(dir, obj_dir, b, &e) < 0 || aside_place(c, dir, &e) < 0)
		log_warn("build cache: %s", e.text);
	if (dir)
		tree_remove(dir, &e);
}

/* "1024x8.<64 hex digits>.so" -> its digest, if it is the object of this layout. */
static bool is_name_of(const char *name, const struct cache_layout *l, struct digest *d)
{
	int used = 0;
	struct cache_layout found = { 0 };
	return sscanf(name, "%zux%u.%64[0-9a-f].so%n", &found.padding, &found.nr_copies, d->hex,
		      &used) == 3 &&
	       found.padding == l->padding && found.nr_copies == l->nr_copies && used &&
	       !name[used];
}

char *cache_layout_find(const struct cache *c, const struct cache_layout *l)
{
	AUTO_STRV struct strv names = { 0 };
	struct err e = { 0 };
	if (!c->dir || dir_list(c->dir, &names, &e) < 0)
		return NULL;
	for (size_t i = 0; i < names.nr; i++) {
		struct digest want;
		if (!is_name_of(names.items[i], l, &want))
			continue;
		AUTO_FREE char *path = path_join(c->dir, names.items[i]);
		if (has_digest(path, want.hex))
			return take_ptr(&path);
		unlink(path);
	}
	return NULL;
}

void cache_layout_store(const struct cache *c, const struct cache_layout *l, const char *so_path)
{
	if (!c->dir)
		return;
	struct err e = { 0 };
	struct digest d;
	AUTO_FREE char *temp =
		xasprintf("%s/.%zux%u.%ld", c->dir, l->padding, l->nr_copies, (long)getpid());
	if (file_copy(so_path, temp, &e) < 0 || digest_file(temp, &d, &e) < 0) {
		log_warn("build cache: %s", e.text);
		return;
	}
	AUTO_FREE char *to = xasprintf("%s/%zux%u.%s.so", c->dir, l->padding, l->nr_copies, d.hex);
	if (rename(temp, to) < 0)
		log_warn("build cache: rename %s: %s", temp, strerror(errno));
}
