#include "model/ceilings.h"

/* One small JSON file a kind of device, as model/noise.c has one a kind of machine. A file that can
 * not be understood is an error: a ceiling that is lost in silence would let a number pass that is
 * faster than the device. */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { CEILINGS_VERSION = 1 };

static int parse_texts(struct ceilings *c, const json_t *json, const char *doc, struct arena *a,
		       struct err *e)
{
	const struct {
		const char *key;
		const char **slot;
	} texts[] = {
		{ "fingerprint", &c->fingerprint },
		{ "device", &c->device },
		{ "arch", &c->arch },
		{ "compiler", &c->compiler },
		{ "date", &c->date },
		{ "matrix_method", &c->matrix_method },
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *text = NULL;
		if (json_get_text(json, texts[i].key, doc, &text, e) < 0)
			return -1;
		*texts[i].slot = arena_strdup(a, text);
	}
	return 0;
}

static int parse_rates(struct ceilings *c, const json_t *json, const char *doc, struct err *e)
{
	const struct {
		const char *key;
		double *slot;
	} rates[] = {
		{ "copy_bytes_per_s", &c->copy_bytes_per_s },
		{ "matrix_flops_per_s", &c->matrix_flops_per_s },
		{ "f32_flops_per_s", &c->f32_flops_per_s },
	};
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		if (json_get_real(json, rates[i].key, doc, rates[i].slot, e) < 0)
			return -1;
		if (!(isfinite(*rates[i].slot) && *rates[i].slot > 0))
			return err_set(e, ERR_INPUT, "%s: %s is no rate", doc, rates[i].key);
	}
	return 0;
}

int ceilings_parse(struct ceilings *c, const json_t *json, const char *doc, struct arena *a,
		   struct err *e)
{
	*c = (struct ceilings){ 0 };
	int64_t version = 0;
	int64_t driver = 0;
	if (json_get_int(json, "version", doc, &version, e) < 0)
		return -1;
	if (version != CEILINGS_VERSION)
		return err_set(e, ERR_INPUT, "%s: version %lld, not %d", doc, (long long)version,
			       CEILINGS_VERSION);
	if (parse_texts(c, json, doc, a, e) < 0 || parse_rates(c, json, doc, e) < 0 ||
	    json_get_int(json, "driver", doc, &driver, e) < 0)
		return -1;
	if (driver < 0 || driver > INT32_MAX)
		return err_set(e, ERR_INPUT, "%s: driver is no version", doc);
	c->driver = (int)driver;
	return 0;
}

json_t *ceilings_to_json(const struct ceilings *c)
{
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:s, s:o}", "version",
			 CEILINGS_VERSION, "fingerprint", c->fingerprint, "device", c->device,
			 "arch", c->arch, "compiler", c->compiler, "date", c->date, "driver",
			 c->driver, "copy_bytes_per_s", json_number(c->copy_bytes_per_s),
			 "matrix_flops_per_s", json_number(c->matrix_flops_per_s), "matrix_method",
			 c->matrix_method, "f32_flops_per_s", json_number(c->f32_flops_per_s));
}

char *ceilings_path(const char *fingerprint)
{
	const char *own = getenv("FORGE_CEILINGS");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	if (own && *own)
		return xasprintf("%s/%s.json", own, fingerprint);
	if (data && *data)
		return xasprintf("%s/forge/ceilings/%s.json", data, fingerprint);
	if (home && *home)
		return xasprintf("%s/.local/share/forge/ceilings/%s.json", home, fingerprint);
	return NULL;
}

static int check_device(const struct ceilings *c, const char *fingerprint, const char *path,
			struct err *e)
{
	if (str_equal(c->fingerprint, fingerprint))
		return 0;
	return err_set(e, ERR_INPUT, "%s: it is of another device (%s)", path, c->fingerprint);
}

int ceilings_load(struct ceilings *c, const char *fingerprint, struct arena *a, bool *is_there,
		  struct err *e)
{
	*c = (struct ceilings){ 0 };
	AUTO_FREE char *path = ceilings_path(fingerprint);
	*is_there = path && file_exists(path);
	if (!*is_there)
		return 0;
	AUTO_JSON json_t *json = json_read_file(path, e);
	if (json && ceilings_parse(c, json, path, a, e) == 0 &&
	    check_device(c, fingerprint, path, e) == 0)
		return 0;
	AUTO_FREE char *why = xstrdup(e->text);
	return err_set(e, ERR_INPUT, "%s; remove the file, forge doctor measures again", why);
}

int ceilings_save(const struct ceilings *c, struct err *e)
{
	AUTO_FREE char *path = ceilings_path(c->fingerprint);
	if (!path)
		return err_set(e, ERR_INPUT,
			       "no place for the ceilings of the GPU: set FORGE_CEILINGS or HOME");
	AUTO_FREE char *dir = path_dir(path);
	AUTO_JSON json_t *json = ceilings_to_json(c);
	return dir_make(dir, e) < 0 ? -1 : json_write_file(path, json, e);
}

struct roofline_place ceilings_place(double bytes_rate, double flops_rate, double bytes,
				     double flops, double call_ns)
{
	const double memory_s = bytes_rate > 0 ? bytes / bytes_rate : 0;
	const double arithmetic_s = flops_rate > 0 ? flops / flops_rate : 0;
	const double ideal_s = fmax(memory_s, arithmetic_s);
	return (struct roofline_place){
		.intensity = bytes > 0 ? flops / bytes : 0,
		.ridge = bytes_rate > 0 ? flops_rate / bytes_rate : 0,
		.share = call_ns > 0 ? ideal_s * 1e9 / call_ns : 0,
	};
}
