#include "model/order.h"

#include <limits.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

enum { DELIVERY_VERSION = 1 };

static json_t *load(const char *dir, const char *name, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_JSON json_t *doc = json_read_file(path, e);
	int64_t version = 0;
	if (!doc || json_get_int(doc, "version", path, &version, e) < 0)
		return NULL;
	if (version == DELIVERY_VERSION)
		return json_incref(doc);
	err_set(e, ERR_INPUT, "%s: version %lld is not known here; forge and the worker must match",
		path, (long long)version);
	return NULL;
}

int order_save(const struct order *o, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ORDER);
	AUTO_JSON json_t *doc =
		json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:f}", "version", DELIVERY_VERSION,
			  "command", o->is_probe ? "probe" : "run", "ask", o->ask ? o->ask : "",
			  "bundle", o->bundle, "gpu", o->gpu ? o->gpu : "", "cache",
			  o->cache ? o->cache : "", "deadline_s", o->deadline_s);
	return json_write_file(path, doc, e);
}

static int order_read(struct order *o, const char *doc, struct err *e)
{
	const char *command = NULL;
	if (json_get_text(o->doc, "command", doc, &command, e) < 0 ||
	    json_get_text(o->doc, "bundle", doc, &o->bundle, e) < 0 ||
	    json_get_text(o->doc, "gpu", doc, &o->gpu, e) < 0 ||
	    json_get_text(o->doc, "cache", doc, &o->cache, e) < 0 ||
	    json_get_real(o->doc, "deadline_s", doc, &o->deadline_s, e) < 0)
		return -1;
	o->ask = json_text_or(o->doc, "ask", "");
	o->is_probe = str_equal(command, "probe");
	if (o->is_probe || str_equal(command, "run"))
		return 0;
	return err_set(e, ERR_INPUT, "%s: command \"%.40s\" is neither run nor probe", doc,
		       command);
}

int order_load(struct order *o, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ORDER);
	*o = (struct order){ .doc = load(dir, DELIVERY_ORDER, e) };
	if (!o->doc)
		return -1;
	return order_read(o, path, e);
}

void order_release(struct order *o)
{
	json_decref(o->doc);
	o->doc = NULL;
}

int answer_save(const struct answer *a, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ANSWER);
	AUTO_JSON json_t *doc = json_pack(
		"{s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:O}", "version", DELIVERY_VERSION, "ask",
		a->ask ? a->ask : "", "bundle", a->bundle, "trouble", a->trouble ? a->trouble : "",
		"text", a->text ? a->text : "", "exit", a->exit_code, "signal", a->signal, "work_s",
		a->work_s, "files", a->files);
	return json_write_file(path, doc, e);
}

static int int_of(const json_t *doc, const char *key, const char *path, int *out, struct err *e)
{
	int64_t value = 0;
	if (json_get_int(doc, key, path, &value, e) < 0)
		return -1;
	if (value < INT_MIN || value > INT_MAX)
		return err_set(e, ERR_INPUT, "%s: %s is out of range", path, key);
	*out = (int)value;
	return 0;
}

static int files_check(json_t *files, const char *path, struct err *e)
{
	const char *name;
	json_t *value;
	json_object_foreach(files, name, value)
	{
		if (!json_is_string(value))
			return err_set(e, ERR_INPUT, "%s: files: %.80s has no digest", path, name);
	}
	return 0;
}

int answer_load(struct answer *a, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ANSWER);
	*a = (struct answer){ .doc = load(dir, DELIVERY_ANSWER, e) };
	if (!a->doc || json_get_text(a->doc, "bundle", path, &a->bundle, e) < 0 ||
	    json_get_text(a->doc, "trouble", path, &a->trouble, e) < 0 ||
	    json_get_text(a->doc, "text", path, &a->text, e) < 0 ||
	    int_of(a->doc, "exit", path, &a->exit_code, e) < 0 ||
	    int_of(a->doc, "signal", path, &a->signal, e) < 0 ||
	    json_get_real(a->doc, "work_s", path, &a->work_s, e) < 0 ||
	    json_get_object(a->doc, "files", path, &a->files, e) < 0)
		return -1;
	a->ask = json_text_or(a->doc, "ask", "");
	return files_check(a->files, path, e);
}

bool answer_is_there(const char *dir, const char *ask)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ANSWER);
	AUTO_ANSWER struct answer a = { 0 };
	struct err ignored = { 0 };
	return file_exists(path) && (answer_load(&a, dir, &ignored) < 0 || str_equal(a.ask, ask));
}

void answer_release(struct answer *a)
{
	json_decref(a->doc);
	a->doc = NULL;
}
