#include "know/certify.h"

/* A probe that fails shows nothing, neither for the lesson nor against it; only one that measured
 * may refute. All runs must agree about whether the lesson applies and what is printed. */

#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "know/kb_device.h"
#include "know/lesson.h"
#include "know/probe_values.h"

enum { SHOWN_LOG = 300 };

struct measured {
	const struct lesson *lesson;
	const char *name; /* of the probe's file, for messages */
	struct probe_values runs[PROBE_RUNS];
	const char *not_applicable; /* why, or NULL */
};

static int fail(const struct measured *m, struct err *e, const char *what, const char *said)
{
	AUTO_FREE char *line = xstrndup(said, strcspn(said, "\n"));
	return err_set(e, ERR_CHILD, "%s: %s%s%.*s", m->name, what, *line ? ": " : "", SHOWN_LOG,
		       line);
}

/* 1: it does not apply here. */
static int read_run(struct measured *m, size_t i, const json_t *run, struct err *e)
{
	int64_t code = json_int_or(run, "exit", -1);
	const char *said = json_text_or(run, "err", "");
	if (code == PROBE_NOT_APPLICABLE) {
		m->not_applicable = said;
		return 1;
	}
	if (code != 0)
		return fail(m, e, json_text_or(run, "how", "it failed"), said);
	if (probe_values_parse(&m->runs[i], json_text_or(run, "out", ""), e) < 0)
		return err_wrap(e, "%s", m->name);
	return 0;
}

static int check_same(const struct measured *m, size_t i, struct err *e)
{
	const struct probe_values *first = &m->runs[0];
	const struct probe_values *now = &m->runs[i];
	for (size_t k = 0; k < first->nr; k++) {
		const struct probe_value *v = probe_values_find(now, first->items[k].name);
		if (now->nr != first->nr || !v || !str_equal(v->unit, first->items[k].unit))
			return fail(m, e, "its runs print different values", first->items[k].name);
	}
	return 0;
}

static int check_claimed(const struct measured *m, const struct claim *c, struct err *e)
{
	const struct probe_value *v = probe_values_find(&m->runs[0], c->value);
	if (!v)
		return err_set(e, ERR_CHILD, "%s: it does not print %s, which %s:%u claims",
			       m->name, c->value, m->lesson->path, c->line);
	if (!str_equal(v->unit, c->unit))
		return err_set(e, ERR_CHILD, "%s: it prints %s in %s, %s:%u claims it in %s",
			       m->name, c->value, v->unit, m->lesson->path, c->line, c->unit);
	return 0;
}

static int read_answer(struct measured *m, const json_t *answer, struct err *e)
{
	const json_t *runs = json_object_get(answer, "runs");
	int nr_not = 0;
	if (!json_bool_or(answer, "built", false))
		return fail(m, e, "it does not build", json_text_or(answer, "log", ""));
	if (json_array_size(runs) != PROBE_RUNS)
		return fail(m, e, "it was not run", "");
	for (size_t i = 0; i < PROBE_RUNS; i++) {
		int applies_not = read_run(m, i, json_array_get(runs, i), e);
		if (applies_not < 0)
			return -1;
		nr_not += applies_not;
	}
	if (nr_not == PROBE_RUNS)
		return 0;
	if (nr_not)
		return fail(m, e, "only some of its runs apply", m->not_applicable);
	for (size_t i = 1; i < PROBE_RUNS; i++)
		if (check_same(m, i, e) < 0)
			return -1;
	for (size_t i = 0; i < m->lesson->nr_claims; i++)
		if (check_claimed(m, &m->lesson->claims[i], e) < 0)
			return -1;
	return 0;
}

/* Of three. */
static double median(const struct measured *m, const char *name)
{
	double v[PROBE_RUNS];
	for (size_t i = 0; i < PROBE_RUNS; i++)
		v[i] = probe_values_find(&m->runs[i], name)->value;
	return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
}

static json_t *bound(double value)
{
	return isnan(value) ? json_null() : json_number(value);
}

static json_t *claims_json(const struct measured *m, bool *all_hold)
{
	json_t *list = json_array();
	*all_hold = true;
	for (size_t i = 0; i < m->lesson->nr_claims; i++) {
		const struct claim *c = &m->lesson->claims[i];
		double value = median(m, c->value);
		bool holds = claim_holds(c, value);
		*all_hold = *all_hold && holds;
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:b}", "value", c->value, "unit",
					c->unit, "low", bound(c->low), "high", bound(c->high),
					"measured", json_number(value), "holds", holds));
	}
	return list;
}

static json_t *values_json(const struct measured *m)
{
	json_t *list = json_array();
	for (size_t k = 0; k < m->runs[0].nr; k++) {
		const struct probe_value *v = &m->runs[0].items[k];
		json_t *runs = json_array();
		for (size_t i = 0; i < PROBE_RUNS; i++)
			json_array_append_new(
				runs, json_number(probe_values_find(&m->runs[i], v->name)->value));
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", v->name, "unit",
						      v->unit, "runs", runs));
	}
	return list;
}

static json_t *certificate(const struct measured *m, const struct kb_device *device,
			   const char *date, const char *compiler)
{
	AUTO_FREE char *path = lesson_probe_path(m->lesson);
	struct digest probe;
	struct err ignored = { 0 };
	bool all_hold = true;
	if (digest_file(path, &probe, &ignored) < 0)
		return NULL;
	json_t *claims = m->not_applicable ? json_array() : claims_json(m, &all_hold);
	json_t *values = m->not_applicable ? json_array() : values_json(m);
	const char *said = m->not_applicable ? m->not_applicable : "";
	AUTO_FREE char *why = xstrndup(said, strcspn(said, "\n"));
	enum lesson_state state = m->not_applicable ? LESSON_not_applicable
				  : all_hold        ? LESSON_certified
						    : LESSON_refuted;
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s?}", "state",
			 lesson_state_name(state), "date", date, "host", device->host, "device",
			 device->name, "compiler", compiler, "driver", device->driver, "lesson",
			 m->lesson->digest.hex, "probe", probe.hex, "claims", claims, "values",
			 values, "why", *why ? why : NULL);
}

json_t *certify(const struct lesson *l, const struct kb_device *machine, const char *date,
		const struct probe_ops *ops, struct err *e)
{
	const struct kb_device *device = kb_device_for(machine, l->family);
	AUTO_FREE char *path = lesson_probe_path(l);
	AUTO_FREE struct measured *m = xcalloc(1, sizeof(*m));
	struct digest before;
	struct digest after;
	*m = (struct measured){ .lesson = l, .name = path };
	if (digest_file(path, &before, e) < 0)
		return NULL;
	AUTO_JSON json_t *answer = ops->run(ops->ctx, path, e);
	if (!answer || read_answer(m, answer, e) < 0 || digest_file(path, &after, e) < 0)
		return NULL;
	if (!str_equal(before.hex, after.hex)) {
		err_set(e, ERR_CONFLICT, "%s: changed while it ran; certify again", path);
		return NULL;
	}
	const char *compiler = json_text_or(answer, "compiler", "");
	json_t *made = certificate(m, device, date, *compiler ? compiler : device->compiler);
	if (!made)
		err_set(e, ERR_INPUT, "%s: what it or the compiler said is not UTF-8", path);
	return made;
}

enum lesson_state certify_state(const json_t *certificate)
{
	const char *name = json_text_or(certificate, "state", "");
	for (int s = 0; s < LESSON_NR_STATES; s++)
		if (str_equal(lesson_state_name((enum lesson_state)s), name))
			return (enum lesson_state)s;
	return LESSON_uncertified;
}
