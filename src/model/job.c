#include "model/job.h"

/*
 * One table names every setting of a job once; reading, writing and the refusal of unknown members
 * walk it. A setting that is absent is an error, not a default: a bundle says everything itself, so
 * that a worker of another version can not fill a gap differently.
 */

#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

enum { JOB_VERSION = 1 };

/* Bounds of what a worker takes on; far above what any stage asks for. */
#define MAX_SEED ((INT64_C(1) << 62) - 1)
#define MAX_REPLICATES 64
#define MAX_ROUNDS 1000
#define MAX_SECONDS 604800

enum field_type { FIELD_SEED, FIELD_COUNT, FIELD_BOOL, FIELD_SECONDS };

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	int64_t max;
};

#define FIELD(name, member, type, max)                                                             \
	{                                                                                          \
		name, type, offsetof(struct job, member), max                                      \
	}
static const struct field fields[] = {
	FIELD("seed", seed, FIELD_SEED, MAX_SEED),
	FIELD("replicates", replicates, FIELD_COUNT, MAX_REPLICATES),
	FIELD("rounds", rounds, FIELD_COUNT, MAX_ROUNDS),
	FIELD("held_out", held_out, FIELD_BOOL, 1),
	FIELD("cold", is_cold, FIELD_BOOL, 1),
	FIELD("monitor", with_monitor, FIELD_BOOL, 1),
	FIELD("profile", with_profile, FIELD_BOOL, 1),
	FIELD("origin", with_origin, FIELD_BOOL, 1),
	FIELD("sealed", is_sealed, FIELD_BOOL, 1),
	FIELD("accept_weak_sandbox", accept_weak_sandbox, FIELD_BOOL, 1),
	FIELD("deadline_s", deadline_s, FIELD_SECONDS, MAX_SECONDS),
	FIELD("call_deadline_s", call_deadline_s, FIELD_SECONDS, MAX_SECONDS),
};

static const char *const kind_names[] = {
	[JOB_BUILD] = "build",         [JOB_JUDGE] = "judge",     [JOB_TIME] = "time",
	[JOB_CALIBRATE] = "calibrate", [JOB_INSPECT] = "inspect", [JOB_LESSON] = "lesson",
};

const char *job_kind_name(enum job_kind k)
{
	return kind_names[k];
}

static const void *field_at(const struct job *j, const struct field *f)
{
	return (const char *)j + f->offset;
}

static json_t *field_to_json(const struct job *j, const struct field *f)
{
	switch (f->type) {
	case FIELD_SEED:
		return json_integer((json_int_t) * (const uint64_t *)field_at(j, f));
	case FIELD_COUNT:
		return json_integer(*(const unsigned *)field_at(j, f));
	case FIELD_BOOL:
		return json_boolean(*(const bool *)field_at(j, f));
	case FIELD_SECONDS:
		return json_number(*(const double *)field_at(j, f));
	}
	BUG("field %s has no type", f->name);
}

json_t *job_to_json(const struct job *j)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "version", json_integer(JOB_VERSION));
	json_object_set_new(obj, "id", json_string(j->id));
	json_object_set_new(obj, "kind", json_string(job_kind_name(j->kind)));
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		json_object_set_new(obj, fields[i].name, field_to_json(j, &fields[i]));
	return obj;
}

static int read_integer(const json_t *obj, const char *doc, const struct field *f, int64_t *out,
			struct err *e)
{
	if (json_get_int(obj, f->name, doc, out, e) < 0)
		return -1;
	if (*out < 0 || *out > f->max)
		return err_set(e, ERR_INPUT, "%s: member \"%s\" is out of range 0..%lld", doc,
			       f->name, (long long)f->max);
	return 0;
}

static int read_seconds(const json_t *obj, const char *doc, const struct field *f, double *out,
			struct err *e)
{
	if (json_get_real(obj, f->name, doc, out, e) < 0)
		return -1;
	if (!(*out >= 0) || *out > (double)f->max)
		return err_set(e, ERR_INPUT, "%s: member \"%s\" is out of range 0..%lld", doc,
			       f->name, (long long)f->max);
	return 0;
}

static int field_from_json(const json_t *obj, const char *doc, const struct field *f, struct job *j,
			   struct err *e)
{
	char *at = (char *)j + f->offset;
	int64_t value = 0;
	switch (f->type) {
	case FIELD_SEED:
		if (read_integer(obj, doc, f, &value, e) < 0)
			return -1;
		*(uint64_t *)(void *)at = (uint64_t)value;
		return 0;
	case FIELD_COUNT:
		if (read_integer(obj, doc, f, &value, e) < 0)
			return -1;
		*(unsigned *)(void *)at = (unsigned)value;
		return 0;
	case FIELD_BOOL:
		return json_get_bool(obj, f->name, doc, (bool *)(void *)at, e);
	case FIELD_SECONDS:
		return read_seconds(obj, doc, f, (double *)(void *)at, e);
	}
	BUG("field %s has no type", f->name);
}

static bool is_known_member(const char *key)
{
	if (str_equal(key, "version") || str_equal(key, "id") || str_equal(key, "kind"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (str_equal(key, fields[i].name))
			return true;
	return false;
}

static int check_members(const json_t *obj, const char *doc, struct err *e)
{
	if (!json_is_object(obj))
		return err_set(e, ERR_INPUT, "%s: not a JSON object", doc);
	for (void *it = json_object_iter((json_t *)(uintptr_t)obj); it;
	     it = json_object_iter_next((json_t *)(uintptr_t)obj, it))
		if (!is_known_member(json_object_iter_key(it)))
			return err_set(e, ERR_INPUT, "%s: unknown member \"%s\"", doc,
				       json_object_iter_key(it));
	int64_t version = 0;
	if (json_get_int(obj, "version", doc, &version, e) < 0)
		return -1;
	if (version != JOB_VERSION)
		return err_set(e, ERR_INPUT, "%s: version %lld, this program reads %d", doc,
			       (long long)version, JOB_VERSION);
	return 0;
}

static int read_kind(const json_t *obj, const char *doc, enum job_kind *out, struct err *e)
{
	const char *name = NULL;
	if (json_get_text(obj, "kind", doc, &name, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(kind_names); i++) {
		if (str_equal(name, kind_names[i])) {
			*out = (enum job_kind)i;
			return 0;
		}
	}
	return err_set(e, ERR_INPUT, "%s: unknown kind \"%s\"", doc, name);
}

static int read_id(const json_t *obj, const char *doc, struct job *j, struct err *e)
{
	const char *id = NULL;
	if (json_get_text(obj, "id", doc, &id, e) < 0)
		return -1;
	if (!id[0] || strlen(id) >= sizeof(j->id))
		return err_set(e, ERR_INPUT, "%s: id is empty or longer than %zu bytes", doc,
			       sizeof(j->id) - 1);
	memcpy(j->id, id, strlen(id) + 1);
	return 0;
}

static int check_values(const struct job *j, const char *doc, struct err *e)
{
	if (j->kind == JOB_TIME && (j->replicates == 0 || j->rounds == 0))
		return err_set(e, ERR_INPUT, "%s: a time job needs replicates and rounds", doc);
	if (!(j->deadline_s > 0))
		return err_set(e, ERR_INPUT, "%s: deadline_s is not above 0", doc);
	return 0;
}

int job_from_json(const json_t *obj, const char *doc, struct job *j, struct err *e)
{
	*j = (struct job){ 0 };
	if (check_members(obj, doc, e) < 0 || read_id(obj, doc, j, e) < 0 ||
	    read_kind(obj, doc, &j->kind, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (field_from_json(obj, doc, &fields[i], j, e) < 0)
			return -1;
	return check_values(j, doc, e);
}

int job_load(struct job *j, const char *bundle_dir, struct err *e)
{
	AUTO_FREE char *path = path_join(bundle_dir, "job.json");
	AUTO_JSON json_t *obj = json_read_file(path, e);
	if (!obj)
		return -1;
	return job_from_json(obj, path, j, e);
}

int job_save(const struct job *j, const char *bundle_dir, struct err *e)
{
	AUTO_FREE char *path = path_join(bundle_dir, "job.json");
	AUTO_JSON json_t *obj = job_to_json(j);
	return json_write_file(path, obj, e);
}
