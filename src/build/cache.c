#include "build/cache.h"
/*
 * An entry is a folder named by its key: layout0.so ... and build.json, which holds the objects'
 * digests, the leaf's digest, log and facts. The objects are used where they lie; they are
 * read-only to whoever loads them.
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
static const char cache_version[] = "forge-build-1";

enum { CACHE_MAX_LAYOUTS = 4096 };

static void key_add_task(struct str *text, const struct task *t)
{
	str_addf(text, "entry %s threads %u\n", t->entry, t->threads);
	for (size_t i = 0; i < t->nr_args; i++)
		str_addf(text, "arg %d %s\n", (int)t->args[i].role, dtype_name(t->args[i].dtype));
	for (size_t i = 0; i < t->nr_deny; i++)
		str_addf(text, "deny %s\n", t->deny[i]);
}

int cache_key(const struct build_spec *s, const struct build *b, bool is_jailed, struct digest *out,
	      struct err *e)
{
	struct digest kit;
	if (digest_tree(s->kit_dir, &kit, e) < 0)
		return err_wrap(e, "kit");
	struct cpu_info cpu;
	cpu_read(&cpu);
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "%s\nsource %s\nrole %s\nflags %s\ncompiler %s\nkit %s\n", cache_version,
		 b->source.hex, build_role_name(s->role), b->flags, b->compiler_version, kit.hex);
	str_addf(&text, "cpu %s %s %u %u %u %s\njail %d\nlayouts %u %llu\n", cpu.vendor, cpu.model,
		 cpu.family, cpu.model_nr, cpu.stepping, cpu.isa, is_jailed, s->nr_layouts,
		 (unsigned long long)s->layout_seed);
	key_add_task(&text, s->task);
	*out = digest_text(text.text);
	return 0;
}

/* Path of object i if it is there and has its digest; else NULL. */
static char *object_path(struct arena *a, const char *dir, const json_t *digest, size_t i)
{
	char *path = arena_printf(a, "%s/layout%zu.so", dir, i);
	struct digest found;
	struct err e = { 0 };
	const char *want = json_string_value(digest);
	if (!want || digest_file(path, &found, &e) < 0 || !str_equal(found.hex, want))
		return NULL;
	return path;
}

static bool objects_load(struct build *b, const char *dir, const json_t *digests)
{
	size_t nr = json_array_size(digests);
	if (!nr || nr > CACHE_MAX_LAYOUTS)
		return false;
	char **paths = arena_array(&b->arena, nr, sizeof(*paths));
	for (size_t i = 0; i < nr; i++) {
		paths[i] = object_path(&b->arena, dir, json_array_get(digests, i), i);
		if (!paths[i])
			return false;
	}
	b->so_paths = paths;
	b->nr_so = nr;
	return true;
}

bool cache_load(const char *cache_dir, const struct digest *key, struct build *b)
{
	AUTO_FREE char *dir = path_join(cache_dir, key->hex);
	AUTO_FREE char *path = path_join(dir, "build.json");
	struct err e = { 0 };
	AUTO_JSON json_t *doc = file_exists(path) ? json_read_file(path, &e) : NULL;
	json_t *facts = NULL;
	const char *object = json_text_or(doc, "object", "");
	if (!doc || strlen(object) != sizeof(b->object.hex) - 1 ||
	    json_get_object(doc, "facts", path, &facts, &e) < 0 ||
	    !objects_load(b, dir, json_object_get(doc, "layouts")))
		return false;
	memcpy(b->object.hex, object, sizeof(b->object.hex));
	b->facts = json_incref(facts);
	b->log = arena_strdup(&b->arena, json_text_or(doc, "log", ""));
	b->from_cache = true;
	return true;
}

/* A new folder beside the entries; yours. */
static char *aside_make(const char *cache_dir, struct err *e)
{
	if (dir_make(cache_dir, e) < 0)
		return NULL;
	char *dir = path_join(cache_dir, ".new-XXXXXX");
	if (mkdtemp(dir) && chmod(dir, 0755) == 0)
		return dir;
	err_errno(e, ERR_SYSTEM, "make %s", dir);
	free(dir);
	return NULL;
}

static int aside_fill(const char *dir, const struct build *b, struct err *e)
{
	json_t *layouts = json_array();
	AUTO_JSON json_t *doc = json_pack("{s:s, s:s, s:O, s:o}", "object", b->object.hex, "log",
					  b->log, "facts", b->facts, "layouts", layouts);
	for (size_t i = 0; i < b->nr_so; i++) {
		AUTO_FREE char *to = xasprintf("%s/layout%zu.so", dir, i);
		struct digest d;
		if (file_copy(b->so_paths[i], to, e) < 0 || digest_file(to, &d, e) < 0)
			return -1;
		json_array_append_new(layouts, json_string(d.hex));
	}
	AUTO_FREE char *path = path_join(dir, "build.json");
	return json_write_file(path, doc, e);
}

static int entry_store(const char *dir, const char *entry, const struct build *b, struct err *e)
{
	if (aside_fill(dir, b, e) < 0)
		return -1;
	if (rename(dir, entry) == 0)
		return 0;
	/* Somebody else kept the same build first, or a broken entry stands there: both fine to
	 * lose against, but a broken one must not stand for ever. */
	bool is_taken = errno == EEXIST || errno == ENOTEMPTY;
	if (!is_taken)
		return err_errno(e, ERR_SYSTEM, "rename %s", dir);
	AUTO_FREE char *old = xasprintf("%s.old", dir);
	if (rename(entry, old) == 0 && rename(dir, entry) < 0)
		err_errno(e, ERR_SYSTEM, "rename %s", dir);
	return tree_remove(old, e);
}

void cache_store(const char *cache_dir, const struct digest *key, const struct build *b)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = aside_make(cache_dir, &e);
	AUTO_FREE char *entry = path_join(cache_dir, key->hex);
	if (!dir || entry_store(dir, entry, b, &e) < 0)
		log_warn("build cache: %s", e.text);
	if (dir)
		tree_remove(dir, &e);
}
