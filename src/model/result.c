#include "model/result.h"

/*
 * result.json is the worker's document with the fields of `struct result` laid over it. It is the
 * commit point: samples.csv is written first and result.json holds its digest, so a result that
 * loads is whole.
 */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "model/samples.h"

enum { RESULT_VERSION = 1 };

/* 200 bytes a line and 64 replicates of 1000 rounds would still fit. */
static const size_t max_samples_bytes = (size_t)256 << 20;

static json_t *verdict_or_null(const struct verdict *v)
{
	return v->state == VERDICT_NONE ? json_null() : verdict_to_json(v);
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *case_to_json(const struct case_result *c)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "shape", json_string(c->shape));
	json_object_set_new(obj, "group", json_string(c->group));
	json_object_set_new(obj, "held_out", json_boolean(c->held_out));
	json_object_set_new(obj, "verdict", verdict_or_null(&c->verdict));
	json_object_set_new(obj, "max_err", json_number(c->max_err));
	json_object_set_new(obj, "tolerance", json_number(c->tolerance));
	return obj;
}

static json_t *shape_to_json(const struct result_shape *s)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "name", json_string(s->name));
	json_object_set_new(obj, "held_out", json_boolean(s->held_out));
	json_object_set_new(obj, "flops", json_number(s->flops));
	json_object_set_new(obj, "bytes", json_number(s->bytes));
	return obj;
}

static json_t *cost_to_json(const struct job_cost *c)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "build_s", json_number(c->build_s));
	json_object_set_new(obj, "start_s", json_number(c->start_s));
	json_object_set_new(obj, "kernel_s", json_number(c->kernel_s));
	json_object_set_new(obj, "judge_s", json_number(c->judge_s));
	json_object_set_new(obj, "prepare_s", json_number(c->prepare_s));
	json_object_set_new(obj, "wait_s", json_number(c->wait_s));
	json_object_set_new(obj, "total_s", json_number(c->total_s));
	return obj;
}

static void lists_to_json(const struct result *r, json_t *doc)
{
	json_t *cases = json_array();
	for (size_t i = 0; i < r->nr_cases; i++)
		json_array_append_new(cases, case_to_json(&r->cases[i]));
	json_object_set_new(doc, "cases", cases);
	json_t *shapes = json_array();
	for (size_t i = 0; i < r->nr_shapes; i++)
		json_array_append_new(shapes, shape_to_json(&r->shapes[i]));
	json_object_set_new(doc, "shapes", shapes);
}

/* Writes the sample file and returns what result.json says of it; NULL on error. */
static json_t *save_samples(const struct result *r, const char *dir, struct err *e)
{
	if (r->nr_samples == 0)
		return json_null();
	AUTO_STR struct str text = STR_INIT;
	samples_print(r->samples, r->nr_samples, &text);
	AUTO_FREE char *path = path_join(dir, SAMPLES_FILE);
	if (file_write(path, text.text, text.len, e) < 0)
		return NULL;
	json_t *obj = json_object();
	json_object_set_new(obj, "file", json_string(SAMPLES_FILE));
	json_object_set_new(obj, "rows", json_integer((json_int_t)r->nr_samples));
	struct digest digest = digest_bytes(text.text, text.len);
	json_object_set_new(obj, "sha256", json_string(digest.hex));
	return obj;
}

int result_save(const struct result *r, const char *dir, struct err *e)
{
	json_t *samples = save_samples(r, dir, e);
	if (!samples)
		return -1;
	AUTO_JSON json_t *doc = r->doc ? json_copy(r->doc) : json_object();
	json_object_set_new(doc, "version", json_integer(RESULT_VERSION));
	json_object_set_new(doc, "job", json_string(r->job_id));
	json_object_set_new(doc, "error", text_or_null(r->error));
	json_object_set_new(doc, "verdict", verdict_or_null(&r->verdict));
	json_object_set_new(doc, "samples", samples);
	json_object_set_new(doc, "cost", cost_to_json(&r->cost));
	json_object_set_new(doc, "contended", json_boolean(r->is_contended));
	lists_to_json(r, doc);
	AUTO_FREE char *path = path_join(dir, "result.json");
	return json_write_file(path, doc, e);
}

static int read_verdict(const json_t *obj, const char *doc, struct verdict *v, struct err *e)
{
	const json_t *value = json_object_get(obj, "verdict");
	if (!value)
		return err_set(e, ERR_INPUT, "%s: no member \"verdict\"", doc);
	*v = (struct verdict){ 0 };
	return json_is_null(value) ? 0 : verdict_from_json(value, doc, v, e);
}

static int read_case(const json_t *obj, const char *doc, struct case_result *c, struct err *e)
{
	if (json_get_text(obj, "shape", doc, &c->shape, e) < 0 ||
	    json_get_text(obj, "group", doc, &c->group, e) < 0 ||
	    json_get_bool(obj, "held_out", doc, &c->held_out, e) < 0 ||
	    json_get_real(obj, "max_err", doc, &c->max_err, e) < 0 ||
	    json_get_real(obj, "tolerance", doc, &c->tolerance, e) < 0)
		return -1;
	return read_verdict(obj, doc, &c->verdict, e);
}

static int read_shape(const json_t *obj, const char *doc, struct result_shape *s, struct err *e)
{
	if (json_get_text(obj, "name", doc, &s->name, e) < 0 ||
	    json_get_bool(obj, "held_out", doc, &s->held_out, e) < 0 ||
	    json_get_real(obj, "flops", doc, &s->flops, e) < 0)
		return -1;
	return json_get_real(obj, "bytes", doc, &s->bytes, e);
}

static int read_lists(struct result *r, const char *doc, struct err *e)
{
	json_t *cases = NULL;
	json_t *shapes = NULL;
	if (json_get_array(r->doc, "cases", doc, &cases, e) < 0 ||
	    json_get_array(r->doc, "shapes", doc, &shapes, e) < 0)
		return -1;
	r->nr_cases = json_array_size(cases);
	r->cases = arena_array(&r->arena, r->nr_cases, sizeof(*r->cases));
	for (size_t i = 0; i < r->nr_cases; i++)
		if (read_case(json_array_get(cases, i), doc, &r->cases[i], e) < 0)
			return -1;
	r->nr_shapes = json_array_size(shapes);
	r->shapes = arena_array(&r->arena, r->nr_shapes, sizeof(*r->shapes));
	for (size_t i = 0; i < r->nr_shapes; i++)
		if (read_shape(json_array_get(shapes, i), doc, &r->shapes[i], e) < 0)
			return -1;
	return 0;
}

static int read_cost(const json_t *obj, const char *doc, struct job_cost *c, struct err *e)
{
	json_t *cost = NULL;
	if (json_get_object(obj, "cost", doc, &cost, e) < 0 ||
	    json_get_real(cost, "build_s", doc, &c->build_s, e) < 0 ||
	    json_get_real(cost, "start_s", doc, &c->start_s, e) < 0 ||
	    json_get_real(cost, "kernel_s", doc, &c->kernel_s, e) < 0 ||
	    json_get_real(cost, "judge_s", doc, &c->judge_s, e) < 0)
		return -1;
	c->prepare_s = json_real_or(cost, "prepare_s", 0);
	c->wait_s = json_real_or(cost, "wait_s", 0);
	return json_get_real(cost, "total_s", doc, &c->total_s, e);
}

static int check_samples(const struct result *r, const char *path, int64_t rows, struct err *e)
{
	if ((int64_t)r->nr_samples != rows)
		return err_set(e, ERR_INPUT, "%s: %zu samples, result.json says %lld", path,
			       r->nr_samples, (long long)rows);
	for (size_t i = 0; i < r->nr_samples; i++)
		if (r->samples[i].shape >= r->nr_shapes || r->samples[i].calls == 0)
			return err_set(e, ERR_INPUT, "%s:%zu: no such shape, or no calls", path,
				       i + 2);
	return 0;
}

static int read_samples(struct result *r, const char *dir, const char *doc, struct err *e)
{
	json_t *obj = json_object_get(r->doc, "samples");
	if (json_is_null(obj))
		return 0;
	const char *sha256 = NULL;
	int64_t rows = 0;
	if (json_get_object(r->doc, "samples", doc, &obj, e) < 0 ||
	    json_get_text(obj, "sha256", doc, &sha256, e) < 0 ||
	    json_get_int(obj, "rows", doc, &rows, e) < 0)
		return -1;
	AUTO_FREE char *path = path_join(dir, SAMPLES_FILE);
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, max_samples_bytes, &text, e) < 0)
		return -1;
	if (!str_equal(digest_bytes(text.text, text.len).hex, sha256))
		return err_set(e, ERR_INPUT, "%s: not the file that %s was written with", path,
			       doc);
	if (samples_parse(text.text, path, &r->arena, &r->samples, &r->nr_samples, e) < 0)
		return -1;
	return check_samples(r, path, rows, e);
}

static int read_head(struct result *r, const char *doc, struct err *e)
{
	int64_t version = 0;
	if (json_get_int(r->doc, "version", doc, &version, e) < 0)
		return -1;
	if (version != RESULT_VERSION)
		return err_set(e, ERR_INPUT, "%s: version %lld, this program reads %d", doc,
			       (long long)version, RESULT_VERSION);
	r->error = json_text_or(r->doc, "error", NULL);
	if (json_get_text(r->doc, "job", doc, &r->job_id, e) < 0 ||
	    json_get_bool(r->doc, "contended", doc, &r->is_contended, e) < 0 ||
	    read_cost(r->doc, doc, &r->cost, e) < 0)
		return -1;
	return read_verdict(r->doc, doc, &r->verdict, e);
}

int result_load(struct result *r, const char *dir, struct err *e)
{
	*r = (struct result){ 0 };
	AUTO_FREE char *path = path_join(dir, "result.json");
	r->doc = json_read_file(path, e);
	if (!r->doc)
		return -1;
	if (!json_is_object(r->doc))
		return err_set(e, ERR_INPUT, "%s: not a JSON object", path);
	if (read_head(r, path, e) < 0 || read_lists(r, path, e) < 0)
		return -1;
	return read_samples(r, dir, path, e);
}

void result_release(struct result *r)
{
	json_decref(r->doc);
	arena_release(&r->arena);
	*r = (struct result){ 0 };
}

bool result_metric(const struct result *r, const char *side, const char *metric, double *out)
{
	const json_t *profile = json_object_get(r->doc, "profile");
	const json_t *value = json_object_get(json_object_get(profile, side), metric);
	if (!json_is_number(value))
		return false;
	*out = json_number_value(value);
	return true;
}

static const json_t *timing_list(const struct result *r, const char *key)
{
	return json_object_get(json_object_get(r->doc, "timing"), key);
}

double result_noise_floor(const struct result *r, const char *shape)
{
	size_t i;
	json_t *row;
	json_array_foreach(timing_list(r, "shapes"), i, row)
	{
		if (str_equal(json_text_or(row, "shape", ""), shape))
			return json_real_or(row, "noise_floor", 0);
	}
	return 0;
}

size_t result_slowdowns(const struct result *r, double *out, size_t max)
{
	size_t nr = 0;
	size_t i;
	json_t *row;
	json_array_foreach(timing_list(r, "alone"), i, row)
	{
		const json_t *value = json_object_get(row, "slowdown");
		if (nr < max && json_is_number(value) && json_number_value(value) > -1)
			out[nr++] = json_number_value(value);
	}
	return nr;
}
