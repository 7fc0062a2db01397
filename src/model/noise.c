#include "model/noise.h"

/* One small JSON file a kind of machine. A file that is there and can not be understood is an error
 * and not "nothing known": a floor that is lost in silence lets noise pass as a gain. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { NOISE_VERSION = 1 };

static const size_t most_last = (size_t)32 << 20;
/* A machine noisier than that is none to measure on. */
static const double max_floor = 1;

static const char *const class_names[NOISE_CLASSES] = {
	[NOISE_L1] = "l1",
	[NOISE_LLC] = "llc",
	[NOISE_DRAM] = "dram",
};

const char *noise_class_name(enum noise_class c)
{
	return class_names[c];
}

bool noise_class_find(const char *name, enum noise_class *out)
{
	for (unsigned i = 0; i < NOISE_CLASSES; i++) {
		if (!str_equal(name, class_names[i]))
			continue;
		*out = (enum noise_class)i;
		return true;
	}
	return false;
}

struct noise_caches noise_caches_of(size_t l1d, size_t l2, size_t l3)
{
	size_t last = l3 ? l3 : l2;
	return (struct noise_caches){ .first = l1d, .last = last < most_last ? last : most_last };
}

enum noise_class noise_class_of(size_t bytes, const struct noise_caches *c)
{
	if (bytes <= c->first)
		return NOISE_L1;
	return bytes <= c->last ? NOISE_LLC : NOISE_DRAM;
}

static int parse_counts(struct noise_row *row, const json_t *obj, const char *doc, struct err *e)
{
	int64_t threads = 0;
	int64_t trials = 0;
	int64_t called = 0;
	if (json_get_int(obj, "threads", doc, &threads, e) < 0 ||
	    json_get_int(obj, "trials", doc, &trials, e) < 0 ||
	    json_get_int(obj, "called", doc, &called, e) < 0)
		return -1;
	if (threads < 1 || threads > INT32_MAX || called < 0 || trials < called ||
	    trials > INT32_MAX)
		return err_set(e, ERR_INPUT, "%s: impossible counts in a class", doc);
	row->threads = (unsigned)threads;
	row->trials = (unsigned)trials;
	row->called = (unsigned)called;
	return 0;
}

static int parse_row(struct noise_row *row, const json_t *obj, const char *doc, struct err *e)
{
	const char *name = NULL;
	if (json_get_text(obj, "class", doc, &name, e) < 0 || parse_counts(row, obj, doc, e) < 0 ||
	    json_get_real(obj, "floor", doc, &row->floor, e) < 0)
		return -1;
	if (!noise_class_find(name, &row->class))
		return err_set(e, ERR_INPUT, "%s: no size class \"%s\"", doc, name);
	if (!(row->floor >= 0 && row->floor < max_floor))
		return err_set(e, ERR_INPUT, "%s: the floor of class %s is no fraction below 1",
			       doc, name);
	return 0;
}

static int parse_texts(struct noise *n, const json_t *json, const char *doc, struct arena *a,
		       struct err *e)
{
	const struct {
		const char *key;
		const char **slot;
	} texts[] = {
		{ "fingerprint", &n->fingerprint },
		{ "cpu", &n->cpu },
		{ "kernel", &n->kernel },
		{ "date", &n->date },
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *text = NULL;
		if (json_get_text(json, texts[i].key, doc, &text, e) < 0)
			return -1;
		*texts[i].slot = arena_strdup(a, text);
	}
	return 0;
}

int noise_parse(struct noise *n, const json_t *json, const char *doc, struct arena *a,
		struct err *e)
{
	*n = (struct noise){ 0 };
	int64_t version = 0;
	json_t *classes = NULL;
	if (json_get_int(json, "version", doc, &version, e) < 0)
		return -1;
	if (version != NOISE_VERSION)
		return err_set(e, ERR_INPUT, "%s: version %lld, not %d", doc, (long long)version,
			       NOISE_VERSION);
	if (parse_texts(n, json, doc, a, e) < 0 ||
	    json_get_array(json, "classes", doc, &classes, e) < 0)
		return -1;
	if (json_array_size(classes) > NOISE_MAX_ROWS)
		return err_set(e, ERR_INPUT, "%s: more than %d classes", doc, NOISE_MAX_ROWS);
	for (; n->nr < json_array_size(classes); n->nr++)
		if (parse_row(&n->rows[n->nr], json_array_get(classes, n->nr), doc, e) < 0)
			return -1;
	return 0;
}

static json_t *row_to_json(const struct noise_row *row)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:o}", "class", class_names[row->class], "threads",
			 (int)row->threads, "trials", (int)row->trials, "called", (int)row->called,
			 "floor", json_number(row->floor));
}

json_t *noise_to_json(const struct noise *n)
{
	json_t *classes = json_array();
	for (size_t i = 0; i < n->nr; i++)
		json_array_append_new(classes, row_to_json(&n->rows[i]));
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "version", NOISE_VERSION, "fingerprint",
			 n->fingerprint, "cpu", n->cpu, "kernel", n->kernel, "date", n->date,
			 "classes", classes);
}

static char *file_in(const char *dir, const char *below, const char *fingerprint)
{
	return xasprintf("%s/%s%s.json", dir, below, fingerprint);
}

char *noise_path(const char *fingerprint)
{
	const char *own = getenv("FORGE_NOISE");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	if (own && *own)
		return file_in(own, "", fingerprint);
	if (data && *data)
		return file_in(data, "forge/noise/", fingerprint);
	if (home && *home)
		return file_in(home, ".local/share/forge/noise/", fingerprint);
	return NULL;
}

static int check_machine(const struct noise *n, const char *fingerprint, const char *path,
			 struct err *e)
{
	if (str_equal(n->fingerprint, fingerprint))
		return 0;
	return err_set(e, ERR_INPUT, "%s: it is of another machine (%s)", path, n->fingerprint);
}

int noise_load(struct noise *n, const char *fingerprint, struct arena *a, bool *is_there,
	       struct err *e)
{
	*n = (struct noise){ 0 };
	AUTO_FREE char *path = noise_path(fingerprint);
	*is_there = path && file_exists(path);
	if (!*is_there)
		return 0;
	AUTO_JSON json_t *json = json_read_file(path, e);
	if (json && noise_parse(n, json, path, a, e) == 0 &&
	    check_machine(n, fingerprint, path, e) == 0)
		return 0;
	AUTO_FREE char *why = xstrdup(e->text);
	return err_set(e, ERR_INPUT, "%s; remove the file or measure again (make nightly)", why);
}

int noise_save(const struct noise *n, struct err *e)
{
	AUTO_FREE char *path = noise_path(n->fingerprint);
	if (!path)
		return err_set(e, ERR_INPUT,
			       "no place for the noise floor: set FORGE_NOISE or HOME");
	AUTO_FREE char *dir = path_dir(path);
	AUTO_JSON json_t *json = noise_to_json(n);
	return dir_make(dir, e) < 0 ? -1 : json_write_file(path, json, e);
}

int noise_put(struct noise *n, const struct noise_row *row, struct err *e)
{
	size_t at = 0;
	while (at < n->nr &&
	       (n->rows[at].class != row->class || n->rows[at].threads != row->threads))
		at++;
	if (at == NOISE_MAX_ROWS)
		return err_set(e, ERR_INPUT, "more than %d size classes", NOISE_MAX_ROWS);
	n->rows[at] = *row;
	n->nr = at == n->nr ? at + 1 : n->nr;
	return 0;
}

double noise_floor(const struct noise *n, enum noise_class class, unsigned threads)
{
	const struct noise_row *best = NULL;
	for (size_t i = 0; i < n->nr; i++) {
		const struct noise_row *row = &n->rows[i];
		if (row->class != class || row->threads > threads)
			continue;
		if (!best || row->threads > best->threads)
			best = row;
	}
	return best ? best->floor : 0;
}
