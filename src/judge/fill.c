#include "judge/fill.h"

/* Values are made as doubles, a piece at a time so that they stay in the nearest cache, and stored
 * in the argument's dtype. What does not fit the dtype is an error and not clamped: a group that
 * says "up to 1e6" and silently holds infinities would test something else than its purpose says.
 */

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "judge/draw.h"
#include "judge/generator.h"
#include "model/task.h"

enum { PIECE = 1024 };

#define LARGEST_WHOLE 0x1p53

/* What a filling is read from. */
struct source {
	const struct generator *generator;
	const json_t *spec;
	const struct dims *dims;
};

static const struct {
	const char *name;
	double value;
} specials[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };

/* A kernel sees the draws of its inputs (of f64 all 53 bits of each) and can compute their stream's
 * seed. From the job's seed follow the places where the worker looks. */
uint64_t fill_seed(uint64_t job_seed, const char *shape, const char *group, const char *arg)
{
	AUTO_FREE char *purpose = xasprintf("%s/%s/%s", shape, group, arg);
	return rng_derive_secret(job_seed, purpose);
}

/* A number, or an expression over dims. */
static int read_number(const struct source *s, const json_t *value, double *out, struct err *e)
{
	int64_t whole;
	if (json_is_number(value)) {
		*out = json_number_value(value);
		return 0;
	}
	if (!json_is_string(value))
		return err_set(e, ERR_INPUT, "not a number or an expression");
	if (expr_eval(json_string_value(value), s->dims, &whole, e) < 0)
		return -1;
	*out = (double)whole;
	return 0;
}

static const char *domain_breach(enum domain domain, double value)
{
	switch (domain) {
	case DOMAIN_ANY:
		return NULL;
	case DOMAIN_POSITIVE:
		return value < 0 ? "is negative" : NULL;
	case DOMAIN_RATE:
		return value < 0 || value > 1 ? "is not between 0 and 1" : NULL;
	case DOMAIN_COUNT:
		if (value < 1)
			return "is below 1";
		/* fall through */
	case DOMAIN_WHOLE:
		return floor(value) != value || fabs(value) > LARGEST_WHOLE
			       ? "is not a whole number below 2^53"
			       : NULL;
	}
	BUG("no such domain: %d", (int)domain);
}

static int read_param(const struct source *s, const struct param *p, double *out, struct err *e)
{
	const json_t *value = json_object_get(s->spec, p->name);
	*out = p->otherwise;
	if (!value && isnan(p->otherwise))
		return err_set(e, ERR_INPUT, "no parameter \"%s\"", p->name);
	if (value && read_number(s, value, out, e) < 0)
		return err_wrap(e, "parameter \"%s\"", p->name);
	const char *breach = domain_breach(p->domain, *out);
	if (breach)
		return err_set(e, ERR_INPUT, "parameter \"%s\" %s", p->name, breach);
	return 0;
}

static int read_item(const struct source *s, const json_t *value, double *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(specials); i++) {
		if (str_equal(json_string_value(value), specials[i].name)) {
			*out = specials[i].value;
			return 0;
		}
	}
	return read_number(s, value, out, e);
}

static void default_list(const struct generator *g, struct filling *f)
{
	f->list = xcalloc(ARRAY_LEN(g->list_otherwise), sizeof(*f->list));
	while (g->list_otherwise[f->nr_list]) {
		f->list[f->nr_list] = specials[f->nr_list].value;
		f->nr_list++;
	}
}

static int read_list(const struct source *s, struct filling *f, struct err *e)
{
	const json_t *values = json_object_get(s->spec, s->generator->list);
	if (!values) {
		default_list(s->generator, f);
		return 0;
	}
	if (!json_is_array(values))
		return err_set(e, ERR_INPUT, "parameter \"%s\" is not a list", s->generator->list);
	f->nr_list = json_array_size(values);
	f->list = xcalloc(f->nr_list + 1, sizeof(*f->list));
	for (size_t i = 0; i < f->nr_list; i++) {
		if (read_item(s, json_array_get(values, i), &f->list[i], e) < 0)
			return err_wrap(e, "parameter \"%s\", item %zu", s->generator->list, i);
	}
	return 0;
}

static int read_word(const struct source *s, struct filling *f, struct err *e)
{
	const json_t *value = json_object_get(s->spec, s->generator->word);
	if (value && !json_is_string(value))
		return err_set(e, ERR_INPUT, "parameter \"%s\" is not a word", s->generator->word);
	f->skew = json_string_value(value);
	return 0;
}

static bool is_param(const struct generator *g, const char *key)
{
	for (size_t i = 0; i < GENERATOR_PARAMS && g->params[i].name; i++) {
		if (str_equal(g->params[i].name, key))
			return true;
	}
	return str_equal(key, "kind") || str_equal(g->word, key) || str_equal(g->list, key);
}

static int check_keys(const struct source *s, struct err *e)
{
	/* jansson's iterator wants a json_t that is not const. */
	AUTO_JSON json_t *spec = json_copy((json_t *)(uintptr_t)s->spec);
	const char *key;
	json_t *value;
	json_object_foreach(spec, key, value)
	{
		if (!is_param(s->generator, key))
			return err_set(e, ERR_INPUT, "unknown parameter \"%s\"", key);
	}
	return 0;
}

static int read_params(const struct source *s, struct filling *f, struct err *e)
{
	const struct generator *g = s->generator;
	if (check_keys(s, e) < 0)
		return -1;
	for (size_t i = 0; i < GENERATOR_PARAMS && g->params[i].name; i++) {
		if (read_param(s, &g->params[i], &f->param[i], e) < 0)
			return -1;
	}
	if (g->word && read_word(s, f, e) < 0)
		return -1;
	if (g->list && read_list(s, f, e) < 0)
		return -1;
	return g->prepare ? g->prepare(f, e) : 0;
}

static void filling_release(struct filling *f)
{
	free(f->list);
	free(f->table);
}
#define AUTO_FILLING __attribute__((cleanup(filling_release)))

static int measure(struct filling *f, const struct arg *arg, const struct dims *dims, struct err *e)
{
	int64_t row = 0;
	const struct arg innermost = { .name = arg->name,
				       .shape =
					       arg->shape + (arg->nr_shape ? arg->nr_shape - 1 : 0),
				       .nr_shape = arg->nr_shape ? 1 : 0 };
	if (arg_elements(arg, dims, &f->nr, e) < 0 || arg_extents(&innermost, dims, &row, e) < 0)
		return -1;
	f->row_len = arg->nr_shape >= 2 ? (size_t)row : f->nr;
	f->dtype = arg->dtype;
	return 0;
}

/* Does the dtype hold this value as meant? */
static bool value_fits(enum dtype dtype, double value)
{
	unsigned char bytes[8] = { 0 };
	if (dtype == DTYPE_BOOL)
		return value == 0 || value == 1;
	dtype_store(dtype, bytes, 0, value);
	if (!dtype_is_float(dtype))
		return fabs(value) < 0x1p63 && dtype_load(dtype, bytes, 0) == rint(value);
	double stored = dtype_load(dtype, bytes, 0);
	return isfinite(value) ? isfinite(stored) != 0
	       : isnan(value)  ? isnan(stored) != 0
			       : stored == value;
}

static int store_checked(const struct filling *f, const double *values, size_t nr, void *out,
			 struct err *e)
{
	for (size_t i = 0; i < nr; i++) {
		if (!value_fits(f->dtype, values[i]))
			return err_set(e, ERR_INPUT, "value %.17g does not fit %s", values[i],
				       dtype_name(f->dtype));
		dtype_store(f->dtype, out, i, values[i]);
	}
	return 0;
}

/* False when a value needs a closer look; then what was stored does not count. */
static bool store_f32(const double *values, size_t nr, unsigned char *out)
{
	bool fits = true;
	for (size_t i = 0; i < nr; i++) {
		float narrow = (float)values[i];
		memcpy(out + i * sizeof(narrow), &narrow, sizeof(narrow));
		fits &= fabsf(narrow) < INFINITY;
	}
	return fits;
}

static bool store_i32(const double *values, size_t nr, unsigned char *out)
{
	bool fits = true;
	for (size_t i = 0; i < nr; i++) {
		bool in_range = values[i] >= INT32_MIN && values[i] <= INT32_MAX;
		int32_t whole = in_range ? (int32_t)values[i] : 0;
		memcpy(out + i * sizeof(whole), &whole, sizeof(whole));
		fits &= whole == values[i];
	}
	return fits;
}

static int store_piece(const struct filling *f, const double *values, size_t nr, void *out,
		       struct err *e)
{
	if (f->dtype == DTYPE_F32 && store_f32(values, nr, out))
		return 0;
	if (f->dtype == DTYPE_I32 && store_i32(values, nr, out))
		return 0;
	return store_checked(f, values, nr, out, e);
}

static int fill_pieces(const struct filling *f, const struct generator *g, void *out, struct err *e)
{
	double values[PIECE];
	for (size_t from = 0; from < f->nr; from += PIECE) {
		size_t nr = f->nr - from < PIECE ? f->nr - from : PIECE;
		unsigned char *to = (unsigned char *)out + from * dtype_bytes(f->dtype);
		g->make(f, from, nr, values);
		if (store_piece(f, values, nr, to, e) < 0)
			return -1;
	}
	return 0;
}

static int run_generator(const struct source *s, struct filling *f, void *out, struct err *e)
{
	if (read_params(s, f, e) < 0 || fill_pieces(f, s->generator, out, e) < 0)
		return err_wrap(e, "generator %s", s->generator->name);
	return 0;
}

static int fill_from(const struct source *s, const struct arg *arg, uint64_t seed, void *out,
		     struct err *e)
{
	AUTO_FILLING struct filling f = { .seed = seed, .key = draw_key(seed) };
	f.pick = draw_key(rng_derive(seed, "pick"));
	if (measure(&f, arg, s->dims, e) < 0)
		return -1;
	return run_generator(s, &f, out, e);
}

int fill_arg(const struct arg *arg, const struct shape *shape, const struct group *group,
	     uint64_t job_seed, void *out, struct err *e)
{
	const json_t *spec = json_object_get(group->inputs, arg->name);
	const char *kind = json_text_or(spec, "kind", "");
	struct source s = { .generator = generator_find(kind), .spec = spec, .dims = &shape->dims };
	if (arg->role != ARG_IN && arg->role != ARG_INOUT)
		BUG("argument %s is no input tensor", arg->name);
	if (!s.generator)
		return err_set(e, ERR_INPUT, "group %s, argument %s: no generator \"%s\"",
			       group->name, arg->name, kind);
	uint64_t seed = fill_seed(job_seed, shape->name, group->name, arg->name);
	if (fill_from(&s, arg, seed, out, e) < 0)
		return err_wrap(e, "group %s, argument %s", group->name, arg->name);
	return 0;
}
